import { beforeEach, describe, expect, test } from '@jest/globals';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import { signIn } from '../../packages/secrets-service/src/identity-provider/sign-in.ts';
import { changes, type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { reviewStack } from '../harness/review-stack.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

type Outer = { name: string; members: string[]; policies?: string[] }[];
type Groups = { name: string; alias?: string; policies?: string[] }[];

describeOnBothServers('groups that live', (service) => {
  const environment = environmentFor(service);
  const first: Groups = [
    { name: 'red', alias: 'one', policies: ['red'] },
    { name: 'green', alias: 'two', policies: ['green'] },
    { name: 'blue', alias: 'three' },
  ];

  beforeEach(() => environment().up(stack(first)));

  const stack = (groups: Groups, outer: Outer = []) =>
    environment().stack((config: DevConfig) => {
      config['providers'] = config['providers'].filter(({ name }: { name: string }) => name === 'community');
      config['clientSecrets'] = { community: config['clientSecrets'].community };
      config['serviceAccountKeys'] = {};
      config['providers'][0].groups = groups;
      config['promises'] = [];
      config['groups'] = outer;
      config['policies'].push(
        ...['red', 'green', 'team', 'everybody'].map((name) => ({
          name,
          policy: `path "secret/${name}" { capabilities = ["read"] }`,
        })),
      );
    });

  /** Applies them once, and finds nothing left to do. */
  async function up(groups: Groups, outer: Outer = []): Promise<string[]> {
    const done = await environment().up(stack(groups, outer));
    const again = await environment().run('preview', stack(groups, outer), { refresh: true });
    expect(changes(again)).toEqual([]);
    return done;
  }

  /** Group → its alias on the service. */
  async function live(): Promise<Record<string, string>> {
    const { key_info } = (await environment().client.list('identity/group/id'))?.data as any;
    return Object.fromEntries(
      Object.values<any>(key_info).map(({ name, alias }) => [name, alias?.name ?? '']),
    );
  }

  test('a renamed group takes its alias along, in one up', async () => {
    const [red, ...rest] = first as [Groups[number], ...Groups];
    await up([{ ...red, name: 'crimson' }, ...rest]);
    expect(await live()).toEqual({ crimson: 'one', green: 'two', blue: 'three' });
  });

  test('two groups swap their aliases, in one up', async () => {
    await up([
      { name: 'red', alias: 'two', policies: ['red'] },
      { name: 'green', alias: 'one', policies: ['green'] },
      { name: 'blue', alias: 'three' },
    ]);
    expect(await live()).toEqual({ red: 'two', green: 'one', blue: 'three' });
  });

  test('three groups pass their aliases round while one is renamed, in one up', async () => {
    await up([
      { name: 'crimson', alias: 'three' },
      { name: 'green', alias: 'one' },
      { name: 'blue', alias: 'two' },
    ]);
    expect(await live()).toEqual({ crimson: 'three', green: 'one', blue: 'two' });
  });

  test('an alias goes to another group, whose own alias is given up', async () => {
    await up([
      { name: 'green', alias: 'one' },
      { name: 'blue', alias: 'three' },
    ]);
    expect(await live()).toEqual({ green: 'one', blue: 'three' });
  });

  test('a group changes its alias without being without one', async () => {
    const [red, ...rest] = first as [Groups[number], ...Groups];
    const steps = await up([{ ...red, alias: 'four' }, ...rest]);
    expect(steps).toEqual(['create community-four-groupalias', 'delete community-one-groupalias']);
    expect(await live()).toEqual({ red: 'four', green: 'two', blue: 'three' });
  });

  test('another case of a group’s or an alias’s name is an update in place', async () => {
    const [red, ...rest] = first as [Groups[number], ...Groups];
    const steps = await up([{ ...red, name: 'Red', alias: 'One' }, ...rest]);
    expect(steps).toEqual(['update community-one-groupalias', 'update community-red-group']);
    expect(await live()).toEqual({ Red: 'One', green: 'two', blue: 'three' });
  });

  test('a group without an alias is there, and loses and gains one', async () => {
    await up([{ name: 'red', policies: ['red'] }, { name: 'later' }]);
    expect(await live()).toEqual({ red: '', later: '' });
    await up([
      { name: 'red', policies: ['red'] },
      { name: 'later', alias: 'one' },
    ]);
    expect(await live()).toEqual({ red: '', later: 'one' });
  });

  test.each<[string, Groups, string[]]>([
    [
      'a renamed group changes nothing for who comes by its alias',
      [{ name: 'crimson', alias: 'one', policies: ['red'] }, ...first.slice(1)],
      [],
    ],
    [
      'swapped aliases swap what their people can do',
      [
        { name: 'red', alias: 'two', policies: ['red'] },
        { name: 'green', alias: 'one', policies: ['green'] },
        { name: 'blue', alias: 'three' },
      ],
      ['one: secret/green', 'two: secret/red'],
    ],
  ])('in a review, %s', async (_, groups, gained) => {
    const engine = new LocalEngine({ env: environment().env });
    const review = await reviewStack(stack(groups), engine, { now: 0n }, environment().env);
    expect(review.findings.filter(({ rule }) => rule === 'cannot-be-judged')).toEqual([]);
    const gains = review.access.flatMap(({ principals, paths }) =>
      paths.flatMap(({ path, gained }) => (gained.length > 0 ? [`${principals.name}: ${path}`] : [])),
    );
    expect(gains).toEqual(gained);
  });

  describe('groups of groups', () => {
    const people: Groups = [{ name: 'admins', alias: 'admins' }, { name: 'others' }];
    const outer: Outer = [
      { name: 'everybody', members: ['Team', 'others'], policies: ['everybody'] },
      { name: 'team', members: ['admins'], policies: ['team'] },
    ];
    const differing = async () => {
      const { differences } = await drift({
        stack: stack(people, outer),
        env: environment().env,
        unmanaged: false,
      });
      return differences.map(({ kind, subject, field }) => [kind, subject.name, field]);
    };
    const groupNamed = async (name: string) =>
      (await environment().client.read(`identity/group/name/${name}`))?.data as any;

    test('give their policies to who is in a member, and a review knows it', async () => {
      const engine = new LocalEngine({ env: environment().env });
      const review = await reviewStack(stack(people, outer), engine, { now: 0n }, environment().env);
      expect(review.findings.filter(({ rule }) => rule === 'cannot-be-judged')).toEqual([]);
      expect(JSON.stringify(review)).toContain('secret/everybody');
      await up(people, outer);

      const redirect_uri = 'http://localhost:8250/oidc/callback';
      const { data } = await environment().client.post('auth/community/oidc/auth_url', { redirect_uri });
      const { redirectUrl } = await signIn({ authUrl: String(data['auth_url']), username: 'alice' });
      const callback = `${service().address}/v1/auth/community/oidc/callback?${new URL(redirectUrl).searchParams}`;
      const login = (await (await fetch(callback)).json()) as { auth: { identity_policies: string[] } };
      expect(login.auth.identity_policies).toEqual(['everybody', 'team']);
      expect((await groupNamed('admins')).member_entity_ids).toHaveLength(1);
      const refreshed = await environment().run('preview', stack(people, outer), { refresh: true });
      // Who signs in is no change of what is declared.
      expect(changes(refreshed)).toEqual([]);
    });

    test('are found drifted when somebody else is put in, and are fixed', async () => {
      await up(people, outer);
      expect(await differing()).toEqual([]);
      const { id } = await groupNamed('team');
      const stranger = await environment().client.post('identity/entity', { name: 'stranger' });
      await environment().client.put(`identity/group/id/${id}`, {
        member_entity_ids: [stranger.data['id']] as string[],
      });
      expect(await differing()).toEqual([['changed', 'team', 'members']]);
      await environment().run('up', stack(people, outer), { refresh: true });
      expect(await differing()).toEqual([]);
    });

    test('take another name of a member, and lose a member that goes', async () => {
      await up(people, outer);
      await up(
        [{ name: 'administrators', alias: 'admins' }],
        [{ name: 'everybody', members: ['administrators'] }],
      );
      const { id } = await groupNamed('administrators');
      expect((await groupNamed('everybody')).member_group_ids).toEqual([id]);
      expect(Object.keys(await live()).sort()).toEqual(['administrators', 'everybody']);
    });
  });
});
