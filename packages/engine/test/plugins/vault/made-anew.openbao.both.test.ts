import { beforeAll, expect, test } from '@jest/globals';
import {
  changes,
  type DevConfig,
  EnvironmentUnderTest,
} from '../../../../../test/harness/environment-under-test.ts';
import { someOf } from '../../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { started } from '../../../../../test/harness/started.ts';
import { reviewDeployment, reviewSettings } from '../../../../cli/src/review/review-stack.ts';

const directoryId = '00000000-0000-0000-c000-000000000046';

describeWithOpenBao('what is deleted and made anew by hand', (server) => {
  const around = [
    { name: 'inner', policies: ['secrets-read'], members: ['staff-admins'] },
    { name: 'outer', policies: ['secrets-read'], members: ['inner'] },
  ];
  const stack = () =>
    environment().stack((config: DevConfig) => {
      config['groups'] = around;
    });
  const environment = started(() => EnvironmentUnderTest.start({ ...server(), kind: 'openbao' }));
  beforeAll(async () => {
    expect((await environment().run('up', stack())).succeeded).toBe(true);
  });

  const groupNamed = async (name: string): Promise<any> =>
    (await environment().client.read(`identity/group/name/${name}`))?.data ?? {};
  const aliasTo = ({ mount_accessor, name }: any, canonical_id: unknown) =>
    environment().client.post('identity/group-alias', { name, mount_accessor, canonical_id });
  const makeGroup = async (name: string, alias?: unknown, fields: object = {}) => {
    const { id: old, type, policies } = await groupNamed(name);
    await environment().client.delete(`identity/group/id/${old}`);
    const { data } = await environment().client.post('identity/group', { name, type, policies, ...fields });
    expect(data['id']).not.toBe(old);
    if (alias !== undefined) await aliasTo(alias, data['id']);
    return String(data['id']);
  };
  const makeAlias = async (group: string) => {
    const { id, alias } = await groupNamed(group);
    await environment().client.delete(`identity/group-alias/id/${alias.id}`);
    await aliasTo(alias, id);
  };
  /** The members of an internal group are put right by hand, too. */
  const putIn = async (outer: string, inner: string) =>
    environment().client.post(`identity/group/id/${(await groupNamed(outer)).id}`, {
      member_group_ids: [(await groupNamed(inner)).id],
    });

  const cases: [what: string, make: () => Promise<unknown>, changed: string[]][] = [
    ['an alias', () => makeAlias('staff-admins'), []],
    [
      'a group, with its alias, in the group around it',
      async () => {
        const { alias } = await groupNamed('staff-admins');
        await makeGroup('staff-admins', alias);
        await putIn('inner', 'staff-admins');
      },
      [`staff-${directoryId}-groupalias canonicalId`, 'inner memberGroupIds[0]'],
    ],
    [
      'a group of groups, in another',
      async () => {
        await makeGroup('inner');
        await putIn('inner', 'staff-admins');
        await putIn('outer', 'inner');
      },
      ['outer memberGroupIds[0]'],
    ],
  ];
  test.each(someOf(2, cases))('%s is taken over with its id', async (_, make, changed) => {
    await make();
    const preview = await environment().run('preview', stack(), { refresh: true });
    const found = preview.steps.flatMap(({ urn, op, detailedDiff }) =>
      op === 'refresh'
        ? Object.keys(detailedDiff ?? {}).map((path) => `${urn.replace(/.*::/, '')} ${path}`)
        : [],
    );
    expect(found.sort()).toEqual(changed.sort());
    expect(changes(preview).filter((change) => !change.startsWith('refresh'))).toEqual([]);
    const { options } = await reviewSettings(stack(), environment().env, {});
    const review = await reviewDeployment(stack(), preview, options, environment().env);
    expect(review).toMatchObject({ gains: 'none', losses: 'none', taken: [], findings: [], access: [] });
    expect((await environment().run('up', stack(), { refresh: true })).succeeded).toBe(true);
    expect(changes(await environment().run('preview', stack(), { refresh: true }))).toEqual([]);
  });

  test('one that is not otherwise the same is changed back; one that only has the name of another is not taken over', async () => {
    const { alias } = await groupNamed('maintainers');
    const id = await makeGroup('maintainers', alias, { policies: [] });
    const { succeeded } = await environment().run('up', stack(), { refresh: true });
    const { id: kept, policies } = await groupNamed('maintainers');
    expect({ succeeded, kept, policies }).toEqual({ succeeded: true, kept: id, policies: ['secrets-admin'] });
    // `inner` goes, and `outer` gets its name: the state knows that id as another group.
    await environment().client.delete(`identity/group/id/${(await groupNamed('inner')).id}`);
    await environment().client.post(`identity/group/id/${(await groupNamed('outer')).id}`, { name: 'inner' });
    const preview = await environment().run('preview', stack(), { refresh: true });
    expect(changes(preview)).toEqual(expect.arrayContaining(['create inner', 'update outer']));
  });
});
