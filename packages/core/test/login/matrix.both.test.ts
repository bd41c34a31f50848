import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactSign } from 'jose';
import { longTest, someOf } from '../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { roleFromWire } from '../../src/graph/resources/role.ts';
import type { GatehouseError } from '../../src/graph/values/errors.ts';
import type { Claims } from '../../src/login/claims.ts';
import type { SignedIn } from '../../src/login/identify.ts';
import { keyFromPem } from '../../src/login/key-set.ts';
import { LoginRefused } from '../../src/login/login-refused.ts';
import { policiesGiven } from '../../src/login/policies-given.ts';
import { signIn, signInByClaims } from '../../src/login/sign-in.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_121);
const [roleCount, tokenCount] = [30, 24];
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = key.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const start = Math.floor(Date.now() / 1000);

const scalar = fc.constantFrom<unknown>('a', 'b', 'ab', 'true', true, 7, '7');
const bound = fc.oneof(
  fc.constantFrom('a', 'b', 'a*', '*', 'true', '7'),
  fc.constantFrom<unknown>(true, 7),
  fc.uniqueArray(fc.constantFrom('a', 'b', '*b'), { minLength: 1, maxLength: 2 }),
);
const perhaps = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const anyRole = fc.record({
  role_type: fc.constantFrom('jwt', 'jwt', 'jwt', 'jwt', 'jwt', 'jwt', 'jwt', 'oidc'),
  user_claim: fc.constantFrom('sub', 'sub', 'sub', 'sub', 'sub', 'email', 'id', '/deep/name'),
  user_claim_json_pointer: fc.boolean(),
  bound_audiences: fc.constantFrom<string[]>([], ['app'], ['app'], ['app'], ['app', 'web'], ['ap']),
  bound_subject: fc.constantFrom('', '', '', 'alice'),
  // One of a role, or none: of several that fail, a server names any.
  bound_claims: fc.option(fc.tuple(fc.constantFrom('team', '/deep/team', 'groups'), bound), {
    nil: undefined,
    freq: 1,
  }),
  bound_claims_type: fc.constantFrom('string', 'glob'),
  groups_claim: fc.constantFrom('', '', 'groups', '/deep/groups'),
  claim_mappings: perhaps(fc.constantFrom('email', 'team', '/deep/name', 'groups', 'gone')),
  clock_skew_leeway: fc.constantFrom(0, -1, 300),
  expiration_leeway: fc.constantFrom(0, -1, 900),
  not_before_leeway: fc.constantFrom(0, -1, 900),
  token_policies: fc.subarray(['reader', 'Writer']),
  token_no_default_policy: fc.boolean(),
  token_bound_cidrs: fc.constantFrom<string[]>([], [], ['127.0.0.0/8']),
});
const anyTime = fc.constantFrom(undefined, -900, -100, -30, 0, 30, 100, 900);
const anyToken = fc.record({
  sub: fc.constantFrom('alice', 'alice', 'alice', 'bob', undefined),
  aud: fc.constantFrom<unknown>(
    'app',
    'app',
    'app',
    'app',
    ['app'],
    ['app', 'web'],
    ['x', 'web'],
    [],
    undefined,
    'APP',
  ),
  email: fc.constantFrom<unknown>('a@b.example', undefined, 7),
  id: fc.constantFrom<unknown>('i', undefined, 7),
  team: perhaps(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }))),
  groups: perhaps(fc.oneof(fc.subarray(['Staff', 'ops', '']), fc.constantFrom<unknown>('staff', 7, [7]))),
  deep: perhaps(
    fc.record({ name: fc.constantFrom<unknown>('n', 7), team: scalar, groups: fc.constantFrom(['ops'], []) }),
  ),
  // Mostly a token that is valid now.
  times: fc.oneof(
    { weight: 8, arbitrary: fc.constant({ iat: 0, nbf: undefined, exp: 900 }) },
    { weight: 1, arbitrary: fc.record({ iat: anyTime, nbf: anyTime, exp: anyTime }) },
  ),
  isForged: fc.constantFrom(false, false, false, false, false, false, false, true),
});

const roles = fc
  .sample(anyRole, { seed, numRuns: roleCount })
  .map(({ bound_claims, claim_mappings, ...role }) => {
    // The service refuses a glob that is no text, and a jwt role that binds nothing.
    const isGlob = role.bound_claims_type === 'glob';
    const [claim, values] = bound_claims ?? [];
    const claims = claim === undefined || (isGlob && typeof values !== 'string') ? {} : { [claim]: values };
    const bindsNothing =
      role.bound_audiences.length + role.bound_subject.length + Object.keys(claims).length === 0;
    return {
      ...role,
      ...(bindsNothing ? { bound_subject: 'alice' } : {}),
      bound_claims: claims,
      claim_mappings: claim_mappings === undefined ? {} : { [claim_mappings]: 'mapped' },
      ...(role.role_type === 'oidc' ? { allowed_redirect_uris: ['http://localhost/'] } : {}),
    };
  });
const tokens = fc.sample(anyToken, { seed, numRuns: tokenCount }).map(({ times, isForged, ...claims }) => ({
  isForged,
  claims: JSON.parse(
    JSON.stringify({
      ...claims,
      ...Object.fromEntries(
        Object.entries(times).map(([name, offset]) => [
          name,
          offset === undefined ? undefined : start + offset,
        ]),
      ),
    }),
  ) as Claims,
}));
const sign = (claims: Claims, by: KeyObject) =>
  new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader({ alg: 'ES256' }).sign(by);

describeWithOpenBao(`sign-ins of ${tokenCount} tokens with ${roleCount} roles, seed ${seed}`, (server) => {
  let client: ServiceClient;
  let graph: Graph;
  beforeAll(async () => {
    client = new ServiceClient({ address: server().address, token: server().token });
    await client.post('sys/auth/jwt', { type: 'jwt' });
    await client.put('auth/jwt/config', { jwt_validation_pubkeys: [pem] });
    const { data: mount } = (await client.read('sys/auth/jwt')) ?? { data: {} };
    for (const [name, group] of [
      ['staff', 'people'],
      ['Ops', 'operators'],
    ]) {
      const { data } = await client.post('identity/group', {
        name: group,
        type: 'external',
        policies: [`of-${group}`],
      });
      const canonical_id = data['id'];
      await client.post('identity/group-alias', { name, mount_accessor: mount['accessor'], canonical_id });
    }
    for (const [index, role] of roles.entries()) await client.put(`auth/jwt/role/role-${index}`, role);
    graph = {
      methods: [],
      roles: roles.map((role, index) => roleFromWire('jwt', `role-${index}`, role)),
      groups: ['people', 'operators'].map((name) => ({ name, policies: [`of-${name}`] })),
      aliases: [
        { name: 'staff', method: 'jwt', group: 'people' },
        { name: 'Ops', method: 'jwt', group: 'operators' },
      ],
      policies: [],
      messages: [],
    };
  });

  /** What the service answers, and what we say it does. */
  async function both(roleIndex: number, { claims, isForged }: (typeof tokens)[number]) {
    const role = graph.roles[roleIndex];
    if (role === undefined) throw new Error('no such role');
    const jwt = await sign(claims, (isForged ? stranger : key).privateKey);
    const real = await client.post('auth/jwt/login', { role: role.name, jwt }).then(
      ({ auth }) => ({ policies: auth?.['policies'], metadata: auth?.['metadata'] }),
      (error: GatehouseError) => error.parts.what.replace(/^.*?\(HTTP 4\d\d\): /s, ''),
    );
    const attempt = {
      config: {},
      roleName: role.name,
      role: () => role,
      addressAllowed: () => true,
      now: BigInt(Date.now()) * 1_000_000n,
    };
    const say = (answer: SignedIn | LoginRefused) =>
      answer instanceof LoginRefused
        ? answer.message
        : {
            policies: policiesGiven(graph, role, answer).map(({ name }) => name),
            metadata: answer.metadata,
          };
    const keys = () => ({ source: 'configured' as const, keys: [keyFromPem(pem)!] });
    return {
      real,
      byToken: say(await signIn({ ...attempt, token: jwt, keys })),
      // Of a forged token and an oidc role, claims alone say something else.
      byClaims:
        isForged || role.roleType === 'oidc' ? undefined : say(await signInByClaims({ ...attempt, claims })),
    };
  }

  let passed = 0;
  const texts = new Set<string>();
  const numbered = tokens.map((token, index) => [index, token] as const);

  test.each(someOf(3, numbered))('token %i and every role', async (_, token) => {
    for (const index of roles.keys()) {
      const { real, byToken, byClaims } = await both(index, token);
      const where = { role: roles[index], token };
      expect({ ...where, answer: byToken }).toEqual({ ...where, answer: real });
      if (byClaims !== undefined) expect({ ...where, answer: byClaims }).toEqual({ ...where, answer: real });
      if (typeof real === 'string') texts.add(real.replace(/"[^"]*"/g, '…'));
      else passed++;
    }
  });

  longTest('pass and fail for many reasons', () => {
    expect(roleCount * tokenCount).toBeGreaterThanOrEqual(500);
    expect(passed).toBeGreaterThan(50);
    expect(texts.size).toBeGreaterThan(10);
  });
});
