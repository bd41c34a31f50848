import { expect, test } from '@jest/globals';
import { explainSignIn } from '../../../src/access/questions/explain-sign-in.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import type { Claims } from '../../../src/login/claims.ts';
import { graphOf } from '../../review/graphs.ts';
import { oidcMethod, oidcRole } from '../../review/rules/graph-fixture.ts';

const now = 1_800_000_000;
const byClaims = (graph: Graph, claims: Claims, role = 'deploy') =>
  explainSignIn(graph, { role, presented: { claims }, now: BigInt(now) * 1_000_000_000n });

test('to an oidc role: by the claims of an ID token, for its client', async () => {
  const graph = graphOf({ methods: [oidcMethod()], roles: [oidcRole()] });
  expect(await byClaims(graph, { sub: 'alice', aud: 'client' }, 'reader')).toMatchObject({ signsIn: true });
  expect(await byClaims(graph, { sub: 'alice', aud: 'other' }, 'reader')).toMatchObject({
    refused: { message: expect.stringMatching(/^invalid id_token: one audience \(other\)/) },
    fixes: [
      [{ of: 'method', text: 'set oidcClientId to "other"' }],
      [{ of: 'token', text: 'present a token that was issued to "client"' }],
    ],
  });
});

test.each<[string, Claims, string[]]>([
  ['another issuer', { iss: 'https://other.example' }, ['set oidcDiscoveryUrl to "https://other.example"']],
  ['an end in the past', { exp: now - 1 }, ['present a token that is valid now']],
  ['two audiences', { aud: ['client', 'x'] }, ['present a token that was issued to "client"']],
  [
    'another authorized party',
    { azp: 'x' },
    ['set oidcClientId to "x"', 'present a token that was issued to "client"'],
  ],
  ['a time of issue ahead', { iat: now + 120 }, ['present a token that is valid now']],
  ['no subject', { sub: undefined }, ['have the provider send "sub"']],
])('not to an oidc role, by an ID token with %s', async (_, given, expected) => {
  const graph = graphOf({ methods: [oidcMethod()], roles: [oidcRole()] });
  const { sub = 'alice', ...rest } = { sub: undefined, ...given };
  const claims = 'sub' in given ? rest : { sub, ...rest };
  const { refused, fixes } = await byClaims(graph, claims, 'reader');
  expect({ step: refused?.step, fixes: fixes?.map((fix) => fix.map(({ text }) => text).join()) }).toEqual({
    step: 'token',
    fixes: expected,
  });
});

test('to an oidc role: what every token of the provider has may be left out', async () => {
  const graph = graphOf({ methods: [oidcMethod()], roles: [oidcRole({ maxAge: 600 })] });
  const { notes, fixes } = await byClaims(graph, { sub: 'alice' }, 'reader');
  expect(notes).toEqual([{ kind: 'claims-added', claims: ['iss', 'aud', 'exp'] }]);
  expect(fixes).toEqual([[{ of: 'token', field: 'auth_time', text: 'sign in at the provider again' }]]);
});
