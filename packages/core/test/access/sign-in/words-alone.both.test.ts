import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CompactSign } from 'jose';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { letsIn } from '../../../../../test/harness/sign-in-pairs.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { boundsOf, populationOf } from '../../../src/access/sign-in/population.ts';
import { providerKinds } from '../../../src/graph/kinds/kinds.ts';
import { wireNameIn } from '../../../src/graph/resources/field.ts';
import { roleFields } from '../../../src/graph/resources/role.ts';
import { GatehouseError } from '../../../src/graph/values/errors.ts';
import { matchesGlob } from '../../../src/login/bound-claims.ts';
import type { Claims } from '../../../src/login/claims.ts';
import { boundsWords, populationWords } from '../../../src/words/condition-words.ts';
import { type RandomRole, randomRoles } from './random-roles.ts';
import { type Asked, readWords } from './read-words.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_129);

/** A token, where it comes from, and whether words let it in. */
interface PredictedToken {
  claims: Claims;
  address: string;
  isLetIn: boolean;
  why: string;
}

/** What a provider writes into every token. An ID token is for the client, whatever else it is for. */
const ofEveryToken = ({ role, method }: RandomRole): Claims => ({
  iss: method.config.boundIssuer ?? method.config.oidcDiscoveryUrl,
  who: 'someone',
  sub: 'someone',
  ...(role.roleType === 'oidc' && { aud: ['client'] }),
});

/** Tokens that are built from words alone: one that has all that they ask for, and others that lack one of it. */
function tokensOf(one: RandomRole, words: string): PredictedToken[] {
  const asked = readWords(one.kind, words);
  const whole = tokenWith(one, asked);
  if (whole === undefined) return [];
  const address = addressOf(asked);
  const isPossible = asked.every(({ values }) => values === undefined || values.length > 0);
  const tokens: PredictedToken[] = [{ claims: whole, address, isLetIn: isPossible, why: 'all of it' }];
  for (const demand of asked) {
    const why = JSON.stringify(demand);
    if (demand.at[0] === 'source address') {
      tokens.push({ claims: whole, address: '198.51.100.1', isLetIn: false, why });
      continue;
    }
    const refused =
      demand.values === undefined ? ['x'] : [undefined, 'none of these', ...twins(demand.values)];
    for (const value of refused) {
      if (value !== undefined && meets(demand, demand.at[0] === 'aud' ? [value] : value)) continue;
      const claims = withValue(whole, demand.at, value);
      if (claims !== undefined) tokens.push({ claims, address, isLetIn: false, why: `${why} ${value}` });
    }
  }
  return tokens;
}

/** Values that look the same and are of another type. */
function twins(values: readonly unknown[]): unknown[] {
  return values.flatMap<unknown>((value) =>
    typeof value === 'string' ? (/^\d+$/.test(value) ? [Number(value)] : []) : [String(value)],
  );
}

/** undefined where two demands leave nothing in common, or one is on what another is in. */
function tokenWith(one: RandomRole, asked: readonly Asked[]): Claims | undefined {
  let claims: Claims = ofEveryToken(one);
  // Whatever words do not ask about may be anything.
  for (const name of one.names) claims = withValue(claims, placeOf(name), `any ${name}`) ?? claims;
  claims = { ...claims, aud: ofEveryToken(one)['aud'] };
  const places = Map.groupBy(asked, ({ at }) => JSON.stringify(at));
  for (const demands of places.values()) {
    const [{ at }] = demands as [Asked];
    if (at[0] === 'source address') continue;
    const candidates = demands.flatMap(({ values = [], isPattern }) =>
      values.map((value) => (isPattern ? String(value).replaceAll('*', 'q') : value)),
    );
    const value =
      at[0] !== 'aud'
        ? candidates.find((candidate) => demands.every((demand) => meets(demand, candidate)))
        : demands.some(({ values }) => values === undefined)
          ? undefined
          : [...candidates, ...[ofEveryToken(one)['aud'] ?? []].flat()];
    if (value === undefined && !demands.every(({ values }) => values === undefined || values.length === 0))
      return undefined;
    const next = withValue(claims, at, value);
    if (next === undefined) return undefined;
    claims = next;
  }
  return claims;
}

function meets({ values, isPattern }: Asked, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((element) => meets({ at: [], values, isPattern }, element));
  return (values ?? []).some((bound) =>
    isPattern ? typeof value === 'string' && matchesGlob(String(bound), value) : bound === value,
  );
}

function addressOf(asked: readonly Asked[]): string {
  const ranges = asked.find(({ at }) => at[0] === 'source address')?.values;
  return String(ranges?.[0] ?? '203.0.113.1').replace(/\/.*/, '');
}

/** undefined where something else is at a place on the way. */
function withValue(
  claims: Claims,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Claims | undefined {
  const inner = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (rest.length === 0) return { ...claims, [name]: value };
  if (inner !== undefined && typeof inner !== 'object') return undefined;
  const next = withValue((inner ?? {}) as Claims, rest, value);
  return next && { ...claims, [name]: next };
}

function placeOf(name: string): string[] {
  return name.startsWith('/')
    ? name.slice(1).replaceAll('/', '\u0000').replaceAll('~1', '/').split('\u0000')
    : [name];
}

interface Compared {
  letIn: number;
  refused: number;
  kinds: Set<string>;
  wrong: unknown[];
}

async function compare(
  roles: readonly RandomRole[],
  ask: (one: RandomRole, claims: Claims, address: string) => Promise<boolean | undefined>,
): Promise<Compared> {
  const compared: Compared = { letIn: 0, refused: 0, kinds: new Set(), wrong: [] };
  for (const one of roles) {
    const population = populationOf(one.role, one.method);
    for (const words of new Set([populationWords(population), boundsWords(boundsOf(population))])) {
      for (const { claims, address, isLetIn, why } of tokensOf(one, words)) {
        const answer = await ask(one, claims, address);
        if (answer === undefined) continue;
        compared[answer ? 'letIn' : 'refused'] += 1;
        if (answer) compared.kinds.add(one.kind);
        if (answer !== isLetIn) compared.wrong.push({ words, why, isLetIn, claims, role: one.role });
      }
    }
  }
  return compared;
}

const count = isIn('npm test') ? 600 : 2_000;
test(`who is let in is what words say, for ${count} roles (seed ${seed})`, async () => {
  const { letIn, refused, kinds, wrong } = await compare(randomRoles(seed, count), letsIn);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(Math.min(letIn, refused)).toBeGreaterThan(count / 4);
  expect(kinds.size).toBe(providerKinds.length);
}, 300_000);

if (!isIn('npm test')) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  describeWithOpenBao(`on OpenBao, for ${count} roles, seed ${seed}`, (server) => {
    test('who is let in is what words say', async () => {
      const client = new ServiceClient({ address: server().address, token: server().token });
      const roles = randomRoles(seed, count).filter(
        ({ role }) => role.roleType === 'jwt' && role.tokenBoundCidrs === undefined,
      );
      const mounts = new Set<string>();
      const { letIn, refused, wrong } = await compare(roles, async ({ kind, role, method }, claims) => {
        const mount = `auth/jwt-${kind}`;
        if (!mounts.has(mount)) {
          mounts.add(mount);
          await client.post(`sys/${mount}`, { type: 'jwt' });
          const bound = { bound_issuer: method.config.boundIssuer, jwt_validation_pubkeys: [publicPem] };
          await client.put(`${mount}/config`, bound);
        }
        const { method: _method, name: _name, ...fields } = role;
        const wire = Object.entries(fields).map(([field, value]) => [wireNameIn(roleFields, field), value]);
        const name = `role-${Math.random().toString(36).slice(2)}`;
        // Roles that OpenBao does not take are left out.
        if (!(await answers(client.put(`${mount}/role/${name}`, Object.fromEntries(wire))))) return undefined;
        const now = Math.floor(Date.now() / 1000);
        const payload = Buffer.from(JSON.stringify({ iat: now, exp: now + 600, ...claims }));
        const jwt = await new CompactSign(payload).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
        return await answers(client.post(`${mount}/login`, { role: name, jwt }));
      });
      expect(wrong.slice(0, 3)).toEqual([]);
      expect(Math.min(letIn, refused)).toBeGreaterThan(100);
    }, 600_000);
  });
}

async function answers(request: Promise<unknown>): Promise<boolean> {
  return await request.then(
    () => true,
    (error: unknown) => {
      if (error instanceof GatehouseError) return false;
      throw error;
    },
  );
}
