import { BlockList } from 'node:net';
import fc from 'fast-check';
import type { AuthMethod } from '../../packages/core/src/graph/resources/auth-method.ts';
import type { Role } from '../../packages/core/src/graph/resources/role.ts';
import type { Claims } from '../../packages/core/src/login/claims.ts';
import { LoginRefused } from '../../packages/core/src/login/login-refused.ts';
import type { LoginRole } from '../../packages/core/src/login/login-role.ts';
import { signInByClaims } from '../../packages/core/src/login/sign-in.ts';

/** A role with its method: what one sign-in is asked at. */
export interface SignInSetup {
  role: Role;
  method: AuthMethod;
}

const someOf = <Value>(given: fc.Arbitrary<Value>, freq = 2) => fc.option(given, { nil: undefined, freq });
const text = fc.constantFrom('x', 'y', 'xy');
const bound = fc.oneof(
  text,
  fc.constantFrom('x*', '*y', '*', '*x*', '7'),
  fc.constantFrom<unknown>(true, 7, 7.5),
  fc.uniqueArray(fc.constantFrom<unknown>('x', 'y', 'xy', 'x*', '*y*', 7, true), { maxLength: 3 }),
);
const place = fc.constantFrom('a', 'a', 'b', '/a', '/a/c', 'sub', '/sub', 'aud', 'groups');

const aRole = fc.record({
  roleType: fc.constantFrom('jwt' as const, 'jwt' as const, 'jwt' as const, 'oidc' as const),
  userClaim: fc.constantFrom('sub', 'sub', 'sub', 'a', '/a/c', 'aud'),
  userClaimJsonPointer: fc.boolean(),
  boundAudiences: someOf(fc.constantFrom(['x'], ['y'], ['x', 'y'], [])),
  boundSubject: someOf(fc.constantFrom('x', 'y', 'xy', ''), 1),
  boundClaims: someOf(fc.dictionary(place, bound, { minKeys: 1, maxKeys: 2 })),
  boundClaimsType: fc.constantFrom('string' as const, 'glob' as const),
  groupsClaim: someOf(fc.constantFrom('groups', '/groups', '/a/c', 'b', 'aud'), 1),
  claimMappings: someOf(
    fc.constantFrom({ a: 'm' }, { '/a/c': 'm' }, { b: 'm' }, { aud: 'm' }, { '/aud': 'm' }),
    1,
  ),
  policies: someOf(fc.constantFrom(['p'], ['p-{{.a}}'], ['{{.a.c}}', 'q'], ['root']), 1),
  tokenPoliciesTemplateClaims: fc.boolean(),
  tokenBoundCidrs: someOf(
    fc.constantFrom(['10.0.0.0/8'], ['10.0.0.0/9', '10.128.0.0/9'], ['10.1.0.0/16'], ['0.0.0.0/0'], []),
    1,
  ),
});
const fields = [
  'userClaim',
  'boundAudiences',
  'boundSubject',
  'boundClaims',
  'boundClaims',
  'boundClaims',
  'boundClaimsType',
  'groupsClaim',
  'claimMappings',
  'policies',
  'tokenBoundCidrs',
  'config',
  'all',
];
const aConfig = fc.record({
  boundIssuer: someOf(fc.constantFrom('x', 'y'), 1),
  oidcClientId: fc.constantFrom('x'),
});

/** Two doors, of which the second often differs from the first in a field or two only. */
const aPair = fc
  .tuple(
    aRole,
    aRole,
    aConfig,
    aConfig,
    fc.uniqueArray(fc.constantFrom(...fields), { minLength: 1, maxLength: 2 }),
  )
  .map(([one, other, config, otherConfig, changed]) => {
    const isApart = changed[0] === 'all';
    const changes = Object.fromEntries(changed.map((field) => [field, other[field as keyof typeof other]]));
    const second = isApart ? other : { ...one, ...changes };
    return [
      setup(one, config),
      setup(second, isApart || changed.includes('config') ? otherConfig : config),
    ] as const;
  });

function setup(role: object, config: object): SignInSetup {
  const clean = (given: object) =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {
    role: { method: 'm', name: 'r', ...clean(role) } as Role,
    method: { path: 'm', type: 'jwt', config: { oidcDiscoveryUrl: 'https://id.example', ...clean(config) } },
  };
}

/** Pairs of roles whose populations overlap in every way. The same for the same seed. */
export function setupPairs(seed: number, count: number): (readonly [SignInSetup, SignInSetup])[] {
  return fc
    .sample(aPair, { seed, numRuns: count * 3 })
    .filter(([one, other]) => JSON.stringify(one) !== JSON.stringify(other))
    .slice(0, count);
}

const now = 1_763_000_000;
const values = [
  'x',
  'y',
  'xy',
  'yx',
  7,
  true,
  [],
  ['x'],
  ['y', 7],
  ['x', 'y'],
  { c: 'x' },
  { c: 7 },
  { c: ['x'] },
];
const alphabet: Record<string, unknown[]> = {
  a: values,
  b: ['x', 'y', ['xy'], ['x', 'y'], 7, null],
  aud: ['x', ['y'], ['x', 'y'], []],
  sub: ['x', 'y', 'xy', '', null],
  iss: ['x', 'y'],
  groups: ['x', ['y', 'xy'], [], [7], true],
};
const addresses = ['10.0.0.1', '10.1.0.1', '10.200.0.1', '192.0.2.1'];

/** Every token over the claims that two doors look at. */
export function tokensFor(setups: readonly SignInSetup[]): Claims[] {
  const read = JSON.stringify(setups);
  const names = Object.keys(alphabet).filter(
    (name) =>
      name === 'sub' ||
      name === 'aud' ||
      new RegExp(`"/?${name}[/"]|\\{\\.${name}[.}]`).test(read) ||
      (name === 'iss' && read.includes('boundIssuer')),
  );
  let tokens: Claims[] = [{}];
  for (const name of names) {
    const values = alphabet[name] ?? [];
    tokens = tokens.flatMap((token) => [token, ...values.map((value) => ({ ...token, [name]: value }))]);
  }
  return tokens;
}

/** Addresses that make a difference to one of two doors. */
export function addressesFor(setups: readonly SignInSetup[]): string[] {
  return setups.some(({ role }) => role.tokenBoundCidrs?.length) ? addresses : addresses.slice(0, 1);
}

/** Whether packages/core/src/login lets a token in. */
export async function letsIn(
  { role, method }: SignInSetup,
  claims: Claims,
  address = '192.0.2.1',
): Promise<boolean> {
  const given = role.roleType === 'oidc' ? writtenByProvider(claims, role, method) : claims;
  const answer = await signInByClaims({
    config: method.config,
    roleName: role.name,
    role: () => role as LoginRole,
    addressAllowed: (cidrs) => cidrs.some((cidr) => rangeOf(cidr).check(address)),
    claims: { iat: now, exp: now + 600, ...given },
    now: BigInt(now) * 1_000_000_000n,
  });
  return !(answer instanceof LoginRefused);
}

/** What populations take for granted of an ID token: its issuer, its party, and a subject where nothing reads it. */
function writtenByProvider(claims: Claims, role: Role, { config }: SignInSetup['method']): Claims {
  const { oidcDiscoveryUrl: iss, oidcClientId: client = '' } = config;
  const isForClient = !!role.boundAudiences?.length || [claims['aud']].flat().includes(client);
  const azp = isForClient ? client : 'other';
  return { sub: 'x', ...claims, iss, azp };
}

function rangeOf(cidr: string): BlockList {
  const [address = '', length = '32'] = cidr.split('/');
  const range = new BlockList();
  range.addSubnet(address, Number(length));
  return range;
}
