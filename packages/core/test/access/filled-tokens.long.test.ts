import { expect, it } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { readLiveGraph } from '../../../service-client/src/live-graph.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { now } from '../review/graphs.ts';

const byName = 'kv/{{identity.groups.names.g9.name}}/*';
const byTeam = 'kv/{{identity.groups.names.g9.metadata.team}}/*';
const ofEntity = 'kv/{{identity.entity.metadata.team}}/*';

describeWithOpenBao('what fills templates in, on OpenBao', (server) => {
  const clientWith = (token: string) => new ServiceClient({ address: server().address, token });
  const texts = ['g9', 'G9', 'dev', 'prod', 'p*', 'x'];

  /** People who sign in as ann: an entity in group `inner`, which is in group `outer`, and in group `side`. */
  async function annsService(client: ServiceClient) {
    await client.post('sys/mounts/kv', { type: 'kv' });
    for (const text of texts) await client.put(`kv/${text}/a`, { value: text });
    await client.post('sys/auth/people', { type: 'userpass' });
    const mounts = (await client.read('sys/auth'))?.data as Record<string, { accessor: string }>;
    await client.put('auth/people/users/ann', { password: 'p', token_policies: ['t', 'extra'] });
    const { data: ann } = await client.post('identity/entity', { name: 'ann' });
    const alias = { name: 'ann', mount_accessor: mounts['people/']?.accessor, canonical_id: ann['id'] };
    await client.post('identity/entity-alias', alias);
    const ids: Record<string, unknown> = { ann: ann['id'] };
    for (const [name, members] of [
      ['inner', { member_entity_ids: [ann['id']] }],
      ['side', { member_entity_ids: [ann['id']] }],
    ] as const)
      ids[name] = (await client.post('identity/group', { name, ...members })).data['id'];
    ids['outer'] = (
      await client.post('identity/group', { name: 'outer', member_group_ids: [ids['inner']] })
    ).data['id'];
    return ids;
  }

  /** The texts below which ann reads. */
  async function readByAnn(client: ServiceClient): Promise<string[]> {
    const { auth } = (await client.post('auth/people/login/ann', { password: 'p' })) as { auth?: unknown };
    const own = clientWith((auth as { client_token: string }).client_token);
    const answers = await Promise.all(
      texts.map((text) =>
        own.read(`kv/${text}/a`).then(
          (answer) => (answer === undefined ? [] : [text]),
          () => [],
        ),
      ),
    );
    await own.close();
    return answers.flat();
  }

  it('it is read as it is decided', async () => {
    const client = clientWith(server().token);
    const ids = await annsService(client);
    const policies = (texts: Record<string, string>) =>
      Promise.all(
        Object.entries(texts).map(([name, policy]) => client.put(`sys/policies/acl/${name}`, { policy })),
      );
    const allow = (...paths: string[]) =>
      paths.map((path) => `path "${path}" { capabilities = ["read"] }`).join('\n');
    const deny = (path: string) => `path "${path}" { capabilities = ["deny"] }`;
    const group = (id: string, fields: Record<string, unknown>) => () =>
      client.post(`identity/group/id/${ids[id]}`, fields);
    const entity = (fields: Record<string, unknown>) => () =>
      client.post(`identity/entity/id/${ids['ann']}`, fields);
    const swapped = async () => {
      await group('inner', { name: 'later' })();
      await group('side', { name: 'inner' })();
      await group('inner', { name: 'g9' })();
    };
    const steps: [what: string, texts: Record<string, string>, step: () => Promise<unknown>][] = [
      [
        'a group gets the name',
        { t: allow(byName), extra: allow('kv/none') },
        group('inner', { name: 'g9' }),
      ],
      ['in another case', {}, group('inner', { name: 'G9' })],
      ['another name', {}, group('inner', { name: 'first' })],
      ['a group around it gets the name', {}, group('outer', { name: 'g9' })],
      ['and another one', {}, group('outer', { name: 'outer' })],
      ['another policy denies it', { extra: deny('kv/g9/*') }, group('side', { name: 'g9' })],
      ['two groups swap names', { extra: allow('kv/none') }, swapped],
      ['metadata', { t: allow(byTeam) }, group('inner', { name: 'g9', metadata: { team: 'dev' } })],
      ['other metadata', {}, group('inner', { name: 'g9', metadata: { team: 'prod' } })],
      ['a wildcard', {}, group('inner', { name: 'g9', metadata: { team: 'p*' } })],
      ['of an entity', { t: allow(ofEntity) }, entity({ metadata: { team: 'dev' } })],
      ['other of an entity', {}, entity({ metadata: { team: 'prod' } })],
      ['it gives no more', { extra: allow('kv/*') }, entity({ metadata: { team: 'dev' } })],
      ['a denial is filled in', { t: deny(ofEntity) }, entity({ metadata: { team: 'prod' } })],
      ['a denial is filled in no more', { t: deny(byName) }, group('inner', { name: 'x' })],
    ];
    const graphOf = async () => (await readLiveGraph(client, { messages: false, whole: true })).graph;
    const decided: Record<string, string[]> = {};
    const truth: Record<string, string[]> = {};
    for (const [what, written, step] of steps) {
      await policies(written);
      const [before, readBefore] = [await graphOf(), await readByAnn(client)];
      await step();
      const [after, readAfter] = [await graphOf(), await readByAnn(client)];
      const { gains, losses } = decideAccess({ before, after, replaced: [], rotated: [], unknown: [] }, now);
      decided[what] = [gains, losses];
      const isNewIn = (some: string[], known: string[]) => some.some((text) => !known.includes(text));
      truth[what] = [isNewIn(readAfter, readBefore), isNewIn(readBefore, readAfter)].map((isSome) =>
        isSome ? 'some' : 'none',
      );
    }
    // OpenBao fills none in. A service that does would read it as a wildcard.
    expect(truth['a wildcard']).toEqual(['none', 'some']);
    expect(decided).toEqual({ ...truth, 'a wildcard': ['unknown', 'unknown'] });
    await client.close();
  });
});
