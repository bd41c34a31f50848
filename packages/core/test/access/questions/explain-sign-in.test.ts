import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { CompactSign } from 'jose';
import { explainSignIn } from '../../../src/access/questions/explain-sign-in.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import type { Claims } from '../../../src/login/claims.ts';
import { signInNoteWords } from '../../../src/words/sign-in-note-words.ts';
import { graphOf } from '../../review/graphs.ts';
import { jwtMethod, jwtRole } from '../../review/rules/graph-fixture.ts';

const now = 1_800_000_000;
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = key.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const good = { sub: 'project:1', aud: 'secrets', iss: 'https://ci.example.com', iat: now };

const withRole = (role: object, config: object = {}, parts: Partial<Graph> = {}) =>
  graphOf({ methods: [jwtMethod(config)], roles: [jwtRole(role)], ...parts });
const byClaims = (graph: Graph, claims: Claims, role = 'deploy') =>
  explainSignIn(graph, { role, presented: { claims }, now: BigInt(now) * 1_000_000_000n });
const keyed = { oidcDiscoveryUrl: undefined, jwtValidationPubkeys: [pem] };
const byToken = async (graph: Graph, claims: Claims, by = key) => {
  const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(by.privateKey);
  const presented = { token };
  return explainSignIn(graph, { role: 'deploy', presented, now: BigInt(now) * 1_000_000_000n });
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
        { name: 'admin', sources: ['group admins, by its alias ci/Admins'] },
        { name: 'default', sources: ['every token'] },
        { name: 'deploy', sources: ['role ci/deploy', 'group admins, by its alias ci/Admins'] },
      ],
      groups: [{ name: 'ADMINS', group: 'admins' }, { name: 'others' }],
    });
  });

  test('is refused at the first sign-in where the claims write what no new alias takes', async () => {
    const graph = withRole({ claimMappings: { team: 'the team' } });
    expect(await byClaims(graph, { ...good, team: 'ops' })).toMatchObject({
      signsIn: false,
      refused: { step: 'session', message: expect.stringMatching(/^invalid alias metadata: /) },
      notes: expect.arrayContaining([{ kind: 'metadata-of-new' }]),
    });
    expect(await byClaims(graph, good)).toMatchObject({ signsIn: true });
  });

  test('with claims without times: those of this moment', async () => {
    const { iat: _, ...timeless } = good;
    const { signsIn, notes } = await byClaims(withRole({}), timeless);
    expect({ signsIn, notes }).toEqual({ signsIn: true, notes: [{ kind: 'claims-added', claims: ['iat'] }] });
  });

  test.each([
    ['_claim_names', { _claim_names: { groups: 'src1' } }],
    ['hasgroups', { hasgroups: 'true' }],
  ])('is told that groups are left out by %s, with both ways out', async (name, claims) => {
    const { signsIn, notes } = await byClaims(withRole({ groupsClaim: 'groups' }), { ...good, ...claims });
    expect(signsIn).toBe(false);
    const leftOut = { kind: 'groups-left-out', by: name, groupsClaim: 'groups' };
    expect(notes).toEqual([{ ...leftOut, isFetched: false }]);
    const fetched = withRole({ groupsClaim: 'groups' }, { providerConfig: { provider: 'cloud_directory' } });
    expect((await byClaims(fetched, { ...good, ...claims })).notes).toContainEqual({
      ...leftOut,
      isFetched: true,
    });
  });

  test('says what was taken for granted', async () => {
    const { notes } = await byClaims(withRole({ tokenBoundCidrs: ['10.0.0.0/8'] }), good);
    expect(notes).toEqual([{ kind: 'address-assumed', ranges: ['10.0.0.0/8'] }]);
  });
});

describe('a subject in the other of two forms', () => {
  const config = { boundIssuer: 'https://token.actions.githubusercontent.com' };
  const bound = 'repo:acme/shop:ref:refs/heads/main';
  const token = {
    ...good,
    iss: config.boundIssuer,
    sub: 'repo:acme@7/shop@42:ref:refs/heads/main',
    repository_id: '42',
  };
  const note =
    'GitHub Actions writes subjects in two forms: the role binds `repo:<owner>/<repository>`, and the token has `repo:<owner>@<owner id>/<repository>@<repository id>`. For a migration, bind both in boundClaims.sub instead of boundSubject. Or bind claim repository_id "42", which both have.';

  test.each<[string, object]>([
    ['a subject', { boundSubject: bound }],
    ['a bound claim', { boundSubject: undefined, boundClaims: { sub: bound } }],
    ['a pointer', { boundSubject: undefined, boundClaims: { '/sub': bound } }],
  ])('is named with what to bind, for %s', async (_, role) => {
    const { notes } = await byClaims(withRole(role, config), token);
    expect(notes.map(signInNoteWords)).toEqual([note]);
  });

  test.each<[string, object, object]>([
    [
      'the token is of another repository',
      { boundSubject: bound },
      { sub: 'repo:evil@9/shop@42:pull_request' },
    ],
    ['another claim differs', { boundSubject: undefined, boundClaims: { sub: token.sub, ref: 'x' } }, {}],
    ['the token has no subject', { boundSubject: bound }, { sub: 7 }],
    [
      'both forms are bound',
      { boundSubject: undefined, boundClaims: { sub: [bound, `${token.sub}:x`] } },
      {},
    ],
  ])('is not named where %s', async (_, role, claims) => {
    const { signsIn, notes } = await byClaims(withRole(role, config), { ...token, ...claims });
    expect({ signsIn, notes }).toEqual({ signsIn: false, notes: [] });
  });
});

test.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['192.0.2.1', false],
])('a sign-in from %s: %s', async (from, signsIn) => {
  const graph = withRole({ tokenBoundCidrs: ['10.0.0.0/8'] });
  const request = { role: 'deploy', presented: { claims: good }, from };
  const explained = await explainSignIn(graph, { ...request, now: BigInt(now) * 1_000_000_000n });
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
    const request = { role: 'deploy', presented: { token }, now: 0n };
    expect((await explainSignIn(withRole({}, keyed), request, { rules: 'own' })).refused?.message).toContain(
      '65536',
    );
  });

  test('is read without its signature where the keys are the issuer’s, and that is said', async () => {
    expect(await byToken(withRole({}), good, stranger)).toMatchObject({
      signsIn: true,
      signature: 'not checked',
      notes: [{ kind: 'unread-token', why: expect.stringContaining('The signature was not checked') }],
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
});
