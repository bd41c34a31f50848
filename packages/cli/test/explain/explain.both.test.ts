import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { CompactSign } from 'jose';
import { appliedEnvironmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import type { Graph } from '../../../core/src/graph/graph.ts';
import type { Claims } from '../../../core/src/login/claims.ts';
import { graphOf } from '../../../core/test/review/graphs.ts';
import { jwtMethod, jwtRole } from '../../../core/test/review/rules/graph-fixture.ts';
import { explain, explainIn } from '../../src/explain/explain.ts';
import { readPresented } from '../../src/explain/explain-token.ts';

const now = 1_800_000_000;
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = key.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const good = { sub: 'project:1', aud: 'secrets', iss: 'https://ci.example.com', iat: now };

const withRole = (role: object, config: object = {}, parts: Partial<Graph> = {}) =>
  graphOf({ methods: [jwtMethod(config)], roles: [jwtRole(role)], ...parts });
const byClaims = (graph: Graph, claims: Claims, role = 'deploy') =>
  explainIn(graph, { role, presented: { claims }, live: false, now: BigInt(now) * 1_000_000_000n });
const keyed = { oidcDiscoveryUrl: undefined, jwtValidationPubkeys: [pem] };
const byToken = async (graph: Graph, claims: Claims, by = key) => {
  const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(by.privateKey);
  const presented = { token };
  return explainIn(graph, { role: 'deploy', presented, live: false, now: BigInt(now) * 1_000_000_000n });
};
const words = (fixes: { of: string; text: string }[][] = []) =>
  fixes.map((fix) => fix.map(({ of, text }) => `${of}: ${text}`).join(' + '));

describe('who signs in', () => {
  test('gets the policies of the role, of the groups and of every token, each with its sources', async () => {
    const graph = withRole(
      { groupsClaim: 'groups' },
      {},
      {
        groups: [{ name: 'admins', policies: ['admin', 'Deploy'] }],
        aliases: [{ name: 'Admins', method: 'ci', group: 'admins' }],
      },
    );
    expect(await byClaims(graph, { ...good, groups: ['ADMINS', 'others'] })).toMatchObject({
      signsIn: true,
      source: 'declared',
      signature: 'none',
      name: 'project:1',
      policies: [
        { name: 'admin', sources: ['group "admins", by its alias "Admins"'] },
        { name: 'default', sources: ['every token'] },
        { name: 'deploy', sources: ['role "deploy"', 'group "admins", by its alias "Admins"'] },
      ],
      groups: [{ name: 'ADMINS', group: 'admins' }, { name: 'others' }],
    });
  });

  test('is refused at the first sign-in where the claims write what no new alias takes', async () => {
    const graph = withRole({ claimMappings: { team: 'the team' } });
    expect(await byClaims(graph, { ...good, team: 'ops' })).toMatchObject({
      signsIn: false,
      refused: { step: 'session', message: expect.stringMatching(/^invalid alias metadata: /) },
      notes: expect.arrayContaining([
        expect.stringContaining('Who signed in before by this name still signs in'),
      ]),
    });
    expect(await byClaims(graph, good)).toMatchObject({ signsIn: true });
  });

  test('with claims without times: those of this moment', async () => {
    const { iat: _, ...timeless } = good;
    const { signsIn, notes } = await byClaims(withRole({}), timeless);
    expect({ signsIn, notes }).toEqual({ signsIn: true, notes: [expect.stringContaining('lack iat')] });
  });

  test('says what was taken for granted', async () => {
    const { notes } = await byClaims(withRole({ tokenBoundCidrs: ['10.0.0.0/8'] }), good);
    expect(notes).toEqual([expect.stringContaining('10.0.0.0/8')]);
  });
});

test.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['192.0.2.1', false],
])('a sign-in from %s: %s', async (from, signsIn) => {
  const graph = withRole({ tokenBoundCidrs: ['10.0.0.0/8'] });
  const request = { role: 'deploy', presented: { claims: good }, live: false, from };
  const explained = await explainIn(graph, { ...request, now: BigInt(now) * 1_000_000_000n });
  expect(explained).toMatchObject({ signsIn, notes: [] });
  if (!signsIn) expect(explained.refused).toEqual({ step: 'source_address', message: 'permission denied' });
});

describe('who does not sign in', () => {
  // Each reason, and each way past it, is in packages/core/test/login.
  test('hears at which step, why, and of each change that together let it in', async () => {
    const role = { boundSubject: 'project:2', boundAudiences: ['app'] };
    const { refused, fixes } = await byClaims(withRole(role), good);
    expect({ ...refused, fixes: words(fixes) }).toEqual({
      step: 'token',
      message: 'error validating token: invalid subject (sub) claim',
      fixes: ['role: set boundSubject to "project:1" + role: add "secrets" to boundAudiences'],
    });
  });

  test('hears of every change that alone lets it in', async () => {
    const role = { boundClaims: { ref: 'release/*' } };
    const { fixes } = await byClaims(withRole(role), { ...good, ref: 'release/1' });
    expect(words(fixes)).toEqual([
      'role: bind "ref" to "release/1" too',
      'role: set boundClaimsType to glob',
    ]);
  });

  test('another issuer', async () => {
    const explanation = await byClaims(withRole({}, { boundIssuer: 'https://other.example' }), good);
    expect(words(explanation.fixes)).toEqual(['method: set boundIssuer to "https://ci.example.com"']);
  });

  test('hears of other roles that let it in', async () => {
    const graph = withRole({ boundSubject: 'x' });
    graph.roles.push(jwtRole({ name: 'other' }), jwtRole({ name: 'elsewhere', method: 'b' }));
    expect((await byClaims(graph, good)).otherRoles).toEqual(['other']);
  });
});

describe('a token', () => {
  test('is verified by declared keys', async () => {
    expect(await byToken(withRole({}, keyed), good)).toMatchObject({ signsIn: true, signature: 'verified' });
  });

  test('of another key ends at its signature, and nothing would let it in', async () => {
    expect(await byToken(withRole({}, keyed), good, stranger)).toMatchObject({
      signsIn: false,
      signature: 'refused',
      refused: { step: 'token', message: expect.stringContaining('error verifying token signature') },
      fixes: [],
    });
  });

  test('of an algorithm that is not among the supported: adding it is the way in', async () => {
    const { refused, fixes } = await byToken(withRole({}, { ...keyed, jwtSupportedAlgs: ['RS256'] }), good);
    expect(refused?.message).toContain('token signed with unexpected algorithm');
    expect(words(fixes)).toEqual(['method: add ES256 to jwtSupportedAlgs']);
  });

  test('that is longer than the embedded service takes: both answers, or its own where it is asked', async () => {
    const long = { ...good, x: 'x'.repeat(60_000) };
    expect(await byToken(withRole({}, keyed), long)).toMatchObject({
      signsIn: true,
      stricter: { step: 'token', message: expect.stringContaining('65536 bytes at most') },
    });
    const { stricter } = await byToken(withRole({}, keyed), good);
    expect(stricter).toBeUndefined();
    const token = 'x'.repeat(70_000);
    const request = { role: 'deploy', presented: { token }, live: false, now: 0n };
    expect((await explainIn(withRole({}, keyed), request, { rules: 'own' })).refused?.message).toContain(
      '65536',
    );
  });

  test('is read without its signature where the keys are the issuer’s, and that is said', async () => {
    expect(await byToken(withRole({}), good, stranger)).toMatchObject({
      signsIn: true,
      signature: 'not checked',
      notes: [expect.stringContaining('The signature was not checked')],
    });
  });
});

describe('what cannot be explained', () => {
  test('a role that is not there', async () => {
    await expect(byClaims(withRole({}), good, 'nobody')).rejects.toMatchObject({
      code: 'role_unknown',
      parts: { allowed: 'deploy (--method ci)' },
    });
  });

  test('a role of several methods', async () => {
    const graph = withRole({});
    graph.roles.push(jwtRole({ method: 'other' }));
    await expect(byClaims(graph, good)).rejects.toMatchObject({ code: 'role_ambiguous' });
  });

  test.each([
    ['nothing', {}, 'option_missing'],
    ['a text', { claims: 'hvs.secret' }, 'claims_invalid'],
    ['a list', { claims: '[]' }, 'claims_invalid'],
    ['a claim twice', { claims: '{"sub":"a","sub":"b"}' }, 'claims_invalid'],
  ])('%s', (_, given, code) => {
    expect(() => readPresented(given)).toThrow(expect.objectContaining({ code }));
    expect(() => readPresented(given)).not.toThrow('hvs.');
  });
});

describeOnBothServers('explain of the dev stack', (service) => {
  const of = async (subject: string, live: boolean) =>
    explain({
      stack: environment().stack(),
      env: environment().env,
      role: 'web',
      presented: { token: await environment().identity.signWorkloadToken({ subject }) },
      live,
      now: BigInt(Date.now()) * 1_000_000n,
    });

  const environment = appliedEnvironmentFor(service);

  test('says offline what the service does', async () => {
    expect(await of('system:serviceaccount:shop:web', false)).toMatchObject({
      signsIn: true,
      signature: 'not checked',
      policies: [{ name: 'default' }, { name: 'secrets-read' }],
    });
  });

  test('live, knows what the service keeps of who signs in', async () => {
    const { client } = environment();
    const subject = 'system:serviceaccount:shop:web';
    const jwt = await environment().identity.signWorkloadToken({ subject });
    // The entity comes to be by a sign-in.
    expect(await of(subject, true)).toMatchObject({ signsIn: true, notes: [] });
    await client.post('auth/cluster/login', { role: 'web', jwt });
    const mount = await client.read('sys/auth/cluster');
    const alias = { alias_name: subject, alias_mount_accessor: mount?.data['accessor'] };
    const id = (await client.post('identity/lookup/entity', alias)).data['id'];
    await client.post(`identity/entity/id/${id}`, { name: 'shop-web', policies: ['of-its-own'] });
    const inner = await client.post('identity/group', {
      name: 'inner',
      policies: ['a'],
      member_entity_ids: [id],
    });
    await client.post('identity/group', {
      name: 'outer',
      policies: ['b'],
      member_group_ids: [inner.data['id']],
    });
    const explained = await of(subject, true);
    const { auth } = await client.post('auth/cluster/login', { role: 'web', jwt });
    expect(explained.policies?.map(({ name }) => name)).toEqual(auth?.['policies']);
    expect(explained.policies?.map(({ name, sources }) => `${name}: ${sources.join()}`)).toEqual([
      'a: group "inner", which has the entity in it',
      'b: group "outer", which has "inner" in it',
      'default: every token',
      'of-its-own: entity "shop-web"',
      'secrets-read: role "web"',
    ]);
    await client.post(`identity/entity/id/${id}`, { disabled: true });
    expect(await of(subject, true)).toMatchObject({
      signsIn: false,
      refused: { step: 'session', message: 'permission denied' },
      notes: [expect.stringContaining('"shop-web" is disabled')],
    });
    await expect(client.post('auth/cluster/login', { role: 'web', jwt })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await client.post(`identity/entity/id/${id}`, { disabled: false, policies: [] });
  });

  test('judges live by what the service holds, with the issuer’s keys', async () => {
    const role = (await environment().client.read('auth/cluster/role/web'))?.data ?? {};
    await environment().client.put('auth/cluster/role/web', { ...role, bound_subject: 'changed:by:hand' });
    expect(await of('system:serviceaccount:shop:web', true)).toMatchObject({
      signsIn: false,
      source: 'live',
      signature: 'verified',
      refused: { message: 'error validating token: invalid subject (sub) claim' },
    });
    expect(await of('system:serviceaccount:shop:web', false)).toMatchObject({ signsIn: true });
  });
});
