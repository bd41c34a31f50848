import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { certificate } from '../../../test/harness/certificate.ts';
import { root } from '../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../test/harness/openbao.ts';
import { principalsNamed, reachOfPolicies } from '../../core/src/access/questions/reach.ts';
import { Reach } from '../../core/src/access/questions/who-can.ts';
import { isComplete, isWhole } from '../../core/src/graph/graph.ts';
import { wordsOf } from '../../core/src/graph/nodes/other-node.ts';
import type { LiveService } from '../../core/src/review/plan/live-service.ts';
import { readPlan } from '../../core/src/review/plan/read-plan.ts';
import { verdictWords } from '../../core/src/review/reports/words.ts';
import { type Review, review } from '../../core/src/review/review.ts';
import { entry, same, terraform } from '../../core/test/review/plan/terraform.ts';
import { ServiceClient } from '../../service-client/src/service-client.ts';
import { wholeLiveGraph } from '../src/open/open-graph.ts';

const now = BigInt(Date.now()) * 1_000_000n;
const reading = (path: string) => `path "${path}" { capabilities = ["read"] }`;
const pem = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEF7CaCG3PjdkvqY9W0AThM05Pn8cT
qWPBN9a7l810eV9098WqYOexqJNXI9F+taCuap+yZW4kOnHKCv9jP/ja9A==
-----END PUBLIC KEY-----`;

/** Whether a pattern of these tests matches: one has a star at its end, or none. */
function covers(pattern: string, path: string): boolean {
  return pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1));
}

describeWithOpenBao('a service with a life of its own', (server) => {
  const client = () => new ServiceClient({ address: server().address, token: server().token });
  const write = async (path: string, body: Record<string, unknown>) => (await client().put(path, body)).data;
  const accessors: Record<string, string> = {};
  let memberId = '';

  beforeAll(async () => {
    for (const [path, type] of Object.entries({
      apps: 'approle',
      k8s: 'kubernetes',
      people: 'userpass',
      certs: 'cert',
      ci: 'jwt',
      staff: 'oidc',
    })) {
      await write(`sys/auth/${path}`, { type });
      accessors[path] = String((await client().read(`sys/auth/${path}`))?.data['accessor']);
    }
    for (const [name, policy] of Object.entries({
      deploy: 'path "secret/data/app" { capabilities = ["read"] }',
      wide: reading('secret/data/*'),
      narrow: 'path "secret/data/prod" { capabilities = ["deny"] }',
    }))
      await write(`sys/policies/acl/${name}`, { policy });
    await write('auth/ci/config', { jwt_validation_pubkeys: [pem] });
    await write('auth/ci/role/build', {
      role_type: 'jwt',
      user_claim: 'sub',
      bound_audiences: ['x'],
      token_policies: ['deploy'],
    });
    await write('identity/oidc/key/k', { allowed_client_ids: ['*'] });
    await write('identity/oidc/role/w', { key: 'k' });
    await write('sys/mounts/pki', { type: 'pki' });
    await write('pki/root/generate/internal', { common_name: 'root.example.com', key_type: 'ec' });
    await write('pki/roles/web', { allowed_domains: ['example.com'] });
    await write('auth/apps/role/web', { token_policies: ['deploy'] });
    await write('auth/k8s/config', {
      kubernetes_host: 'https://k8s.example',
      disable_local_ca_jwt: true,
      kubernetes_ca_cert: certificate?.cert,
    });
    await write('auth/k8s/role/web', {
      bound_service_account_names: ['web'],
      bound_service_account_namespaces: ['shop'],
      token_policies: ['deploy'],
    });
    await write('auth/people/users/ann', { password: 'x', token_policies: ['wide'] });
    await write('auth/certs/certs/web', { certificate: certificate?.cert, token_policies: ['wide'] });
    await write('auth/token/roles/made', { allowed_policies: ['wide'] });
    const member = await write('identity/entity', { name: 'ann', policies: ['narrow'] });
    memberId = String(member['id']);
    await write('identity/entity-alias', {
      name: 'ann',
      canonical_id: memberId,
      mount_accessor: accessors['people'],
    });
    await write('identity/group', { name: 'inner', policies: ['deploy'], member_entity_ids: [memberId] });
  });

  const live = async (): Promise<LiveService> => ({ namespace: '', ...(await wholeLiveGraph(client())) });
  const reviewOf = async (...changes: object[]): Promise<Review> =>
    review(readPlan(terraform(changes)), { now, live: await live() });

  it('is read as a whole: each principal, with what it has', async () => {
    const { graph, missing } = await live();
    expect([missing, isWhole(graph)]).toEqual([[], true]);
    expect(
      graph.others?.map((node) => [wordsOf(node), node.kind === 'otherRole' ? node.who : undefined]),
    ).toEqual(
      expect.arrayContaining([
        ['role web of apps (approle)', 'jobs that hold a secret id of AppRole web'],
        [
          'role web of k8s (kubernetes)',
          'service account web of namespace shop at cluster https://k8s.example',
        ],
        ['user ann of people (userpass)', 'user ann'],
        ['token role made', 'tokens made with token role made'],
      ]),
    );
    const {
      answer,
      abilities,
      missing: unseen,
    } = new Reach(graph, now).whoCan({ capability: 'read', path: 'secret/data/app' });
    expect([answer, unseen]).toEqual(['yes', []]);
    expect(abilities.map(({ by }) => `${by.kind} ${by.name}`).sort()).toEqual([
      'entity ann',
      'members inner',
      'other role web of apps (approle)',
      'other role web of certs (cert)',
      'other role web of k8s (kubernetes)',
      'other token role made',
      'other user ann of people (userpass)',
      'role build',
    ]);
    expect(new Reach(graph, now).whoCan({ capability: 'delete', path: 'secret/data/app' })).toMatchObject({
      answer: 'no',
      missing: [],
    });
  });

  describe('where a plan makes a policy that is there', () => {
    const planned = (policy: string) => entry('vault_policy.deploy', { after: { name: 'deploy', policy } });

    it('who holds it gains what its new text allows', async () => {
      const found = await reviewOf(planned(reading('secret/data/*')));
      expect(found).toMatchObject({ gains: 'some', losses: 'none', scope: { complete: true } });
      expect(found.access.map(({ principals: { name } }) => name)).toEqual(
        expect.arrayContaining(['build', 'role web of apps (approle)']),
      );
    });

    it('the same text gives no one more', async () => {
      const found = await reviewOf(planned('path "secret/data/app" { capabilities = ["read"] }'));
      expect(found).toMatchObject({ gains: 'none', losses: 'none', scope: { complete: true } });
    });
  });

  it('a denial of an entity that goes is a gain of its user, whose own policy allows the path', async () => {
    const sides = { id: memberId, name: 'ann' };
    const found = await reviewOf(
      entry('vault_identity_entity.ann', {
        before: { ...sides, policies: ['narrow'] },
        after: { ...sides, policies: [] },
      }),
    );
    expect(found).toMatchObject({ gains: 'some', scope: { complete: true } });
  });

  it('a denial that no one holds may go', async () => {
    await write('sys/policies/acl/unheld', { policy: 'path "secret/data/prod" { capabilities = ["deny"] }' });
    const sides = { name: 'unheld', policy: 'path "secret/data/prod" { capabilities = ["deny"] }' };
    const found = await reviewOf(entry('vault_policy.unheld', { before: sides }));
    expect(found).toMatchObject({ gains: 'none', losses: 'none', scope: { complete: true } });
  });

  it('a mount that goes takes what it has along', async () => {
    const found = await reviewOf(
      entry('vault_auth_backend.k8s', {
        before: { path: 'k8s', type: 'kubernetes', accessor: accessors['k8s'] },
      }),
    );
    expect(found).toMatchObject({ gains: 'none', losses: 'some' });
    expect(found.access.map(({ principals: { name } }) => name)).toContain('role web of k8s (kubernetes)');
  });

  it('a group that is known by its id alone is the one of the service', async () => {
    const { ids } = await live();
    const id = Object.keys(ids.group).find((one) => ids.group[one] === 'inner');
    const found = await reviewOf(
      entry('vault_identity_group_policies.more', {
        after: { group_id: id, policies: ['wide'], exclusive: false },
      }),
      entry('vault_policy.narrow', same({ name: 'narrow', policy: 'x' })),
    );
    expect(found).toMatchObject({ gains: 'some', missing: [], scope: { complete: true } });
  });

  it('a token that may list but not read knows names only, and nothing is proved', async () => {
    await write('sys/policies/acl/lister', {
      policy: `path "*" { capabilities = ["list"] }
        path "sys/auth" { capabilities = ["read"] }`,
    });
    const { auth } = await client().post('auth/token/create', { policies: ['lister'] });
    const lister = client().with({ token: String(auth?.['client_token']) });
    const { graph, missing } = await wholeLiveGraph(lister);
    expect(isWhole(graph)).toBe(false);
    expect(missing).toEqual([expect.stringMatching(/more \(the token may not read them\)$/)]);
    const found = review(
      readPlan(
        terraform([entry('vault_policy.deploy', { after: { name: 'deploy', policy: reading('a') } })]),
      ),
      { now, live: { namespace: '', ...(await wholeLiveGraph(lister)) } },
    );
    expect(found.gains).toBe('unknown');
  });

  it('says of each that can sign in what the service says of its token', async () => {
    const { graph } = await live();
    const post = (path: string, body: Record<string, unknown>) => client().post(path, body);
    const roleId = (await client().read('auth/apps/role/web/role-id'))?.data['role_id'];
    const { data } = await post('auth/apps/role/web/secret-id', {});
    const tokens = {
      'role web of apps (approle)': (
        await post('auth/apps/login', { role_id: roleId, secret_id: data['secret_id'] })
      ).auth,
      'token role made': (await post('auth/token/create/made', { policies: ['wide'] })).auth,
      // Its entity and the group around that come along.
      ann: (await post('auth/people/login/ann', { password: 'x' })).auth,
    };
    const asked = ['read', 'update', 'delete', 'create'];
    const paths = ['secret/data', 'sys/policies/acl', 'auth/token'].flatMap((folder) =>
      ['app', 'prod', 'x', 'shop/db', 'prod/y'].map((word) => `${folder}/${word}`),
    );
    const reach = new Reach(graph, now);
    const names = { ann: ['user ann of people (userpass)', 'ann', 'inner'] } as Record<string, string[]>;
    for (const [name, auth] of Object.entries(tokens)) {
      const given = await post('auth/token/lookup', { token: auth?.['client_token'] });
      const held = [given.data['policies'], given.data['identity_policies'] ?? []].flat() as string[];
      const principals = (names[name] ?? [name]).flatMap((one) =>
        (['role', 'entity', 'group'] as const).flatMap((kind) => {
          const called = kind === 'role' ? /^(?:token role|role|user) (\S+)/.exec(one)?.[1] : one;
          return principalsNamed(graph, { kind, name: called ?? one });
        }),
      );
      const ours = principals.filter(({ words: by }) =>
        (names[name] ?? [name]).some((one) => by.includes(one)),
      );
      const policies = [...new Set(ours.flatMap((one) => one.policies))].sort();
      expect([name, policies]).toEqual([name, [...new Set(held)].sort()]);
      const answer = await post('sys/capabilities', { token: auth?.['client_token'], paths });
      const { rows } = reachOfPolicies(graph, policies, now);
      for (const path of paths) {
        const row = rows.find((one) => one.pattern === path) ?? rows.find((one) => covers(one.pattern, path));
        const of = (capabilities: readonly string[] = []) =>
          asked.filter((capability) => capabilities.includes(capability));
        expect([name, path, of(row?.capabilities)]).toEqual([name, path, of(answer.data[path] as string[])]);
      }
    }
    expect(reach.whoCan({ capability: 'update', path: 'secret/data/prod' }).answer).toBe('no');
  });

  it('is read whole by a token with docs/reading-token.hcl alone', async () => {
    await write('sys/policies/acl/reader', {
      policy: readFileSync(`${root}/docs/reading-token.hcl`, 'utf8'),
    });
    const { auth } = await client().post('auth/token/create', {
      policies: ['reader'],
      no_default_policy: true,
    });
    const reader = client().with({ token: String(auth?.['client_token']) });
    const [{ graph, missing }, all] = await Promise.all([wholeLiveGraph(reader), live()]);
    expect([missing, isWhole(graph)]).toEqual([[], true]);
    expect(isComplete(graph, 'credentials')).toBe(true);
    expect(graph).toEqual(all.graph);
  });

  describe('tokens that were issued', () => {
    const forgotten = entry('vault_policy.forgotten', {
      before: { name: 'forgotten', policy: reading('a') },
      after: { name: 'forgotten', policy: reading('*') },
    });
    const reviewed = async (reader: ServiceClient) =>
      review(readPlan(terraform([forgotten])), {
        now,
        live: { namespace: '', ...(await wholeLiveGraph(reader, { tokens: true })) },
      });
    const tokenWith = async (...policies: string[]) => {
      const { auth } = await client().post('auth/token/create', { policies, no_default_policy: true });
      return String(auth?.['client_token']);
    };
    beforeAll(async () => {
      await write('sys/policies/acl/forgotten', { policy: reading('a') });
      await tokenWith('forgotten');
    });

    it('gain by a policy that only a token made by hand holds', async () => {
      const found = await reviewed(client());
      expect(found).toMatchObject({ gains: 'some', scope: { complete: true, whole: true, tokens: true } });
      expect(found.access.map(({ principals: { name } }) => name)).toContain('tokens with forgotten');
      expect(verdictWords({ ...found, gains: 'none' })).toContain('not batch tokens');
    });

    it('have what their entity has', async () => {
      await client().post('auth/people/login/ann', { password: 'x' });
      const { graph } = await wholeLiveGraph(client(), { tokens: true });
      const { abilities } = new Reach(graph, now).whoCan({ capability: 'read', path: 'secret/data/app' });
      expect(abilities.map(({ by }) => by.name)).toContain('tokens with default, wide of entity ann');
    });

    it('are read with the rules that the docs name, and said to be missing without', async () => {
      const reader = readFileSync(`${root}/docs/reading-token.hcl`, 'utf8');
      const [needed = ''] = /(?<=```hcl\n)path "auth\/token[^`]*/.exec(
        readFileSync(`${root}/docs/whole-service.md`, 'utf8'),
      ) ?? [''];
      await write('sys/policies/acl/reader', { policy: reader });
      await write('sys/policies/acl/token-reader', { policy: needed });
      const [poor, rich] = [await tokenWith('reader'), await tokenWith('reader', 'token-reader')];
      expect((await reviewed(client().with({ token: rich }))).scope).toMatchObject({
        tokens: true,
        missing: [],
      });
      expect((await reviewed(client().with({ token: poor }))).scope).toMatchObject({
        complete: false,
        tokens: false,
        missing: [{ kind: 'not-read', what: expect.stringMatching(/^tokens \(/) }],
      });
    });
  });

  it('a budget that is spent leaves the rest unknown, and says so', async () => {
    const { graph, missing } = await wholeLiveGraph(client(), { budget: 12 });
    expect(isWhole(graph)).toBe(false);
    expect(missing).toEqual(
      expect.arrayContaining([expect.stringContaining('the read budget of 12 requests is spent')]),
    );
  });
});
