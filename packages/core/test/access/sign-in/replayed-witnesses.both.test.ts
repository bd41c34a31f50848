import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CompactSign } from 'jose';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import type { OpenBao } from '../../../../../test/harness/openbao-server.ts';
import { type SignInSetup, setupPairs } from '../../../../../test/harness/sign-in-pairs.ts';
import { ServiceClient } from '../../../../service-client/src/service-client.ts';
import { inclusion, populationOf } from '../../../src/access/sign-in/population.ts';
import { wireNameIn } from '../../../src/graph/resources/field.ts';
import { type Role, roleFields } from '../../../src/graph/resources/role.ts';
import { GatehouseError } from '../../../src/graph/values/errors.ts';
import type { Claims } from '../../../src/login/claims.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;

interface Replayed {
  /** Witnesses that OpenBao was shown. */
  count: number;
  /** Those that the inner role refuses, or the outer takes. */
  wrong: string[];
}

/**
 * Asks OpenBao about the witnesses of pairs of roles of which one lets in more than the other: the one must let the
 * token in, and the other refuse it. Roles that OpenBao itself refuses are left out.
 */
async function replayWitnesses(server: OpenBao, seed: number, pairs: number): Promise<Replayed> {
  const client = new ServiceClient({ address: server.address, token: server.token });
  for (const issuer of ['none', 'x', 'y']) {
    await client.post(`sys/auth/jwt-${issuer}`, { type: 'jwt' });
    const bound = issuer === 'none' ? {} : { bound_issuer: issuer };
    await client.put(`auth/jwt-${issuer}/config`, { jwt_validation_pubkeys: [publicPem], ...bound });
  }
  const replayed: Replayed = { count: 0, wrong: [] };
  for (const pair of setupPairs(seed, pairs)) {
    // Every request comes from this machine, and no browser takes part.
    const [inner, outer] = pair.map(({ role: { tokenBoundCidrs: _, ...role }, method }) => ({
      role: { ...role, roleType: 'jwt' as const },
      method,
    })) as [SignInSetup, SignInSetup];
    const found = inclusion(populationOf(inner.role, inner.method), populationOf(outer.role, outer.method));
    if (found.answer !== 'no') continue;
    const answers = [
      await signsIn(client, inner, found.witness.claims),
      await signsIn(client, outer, found.witness.claims),
    ];
    if (answers.includes(undefined)) continue;
    replayed.count += 1;
    if (answers[0] !== true || answers[1] !== false)
      replayed.wrong.push(JSON.stringify({ inner, outer, found, answers }));
  }
  return replayed;
}

/** Undefined for a role that OpenBao does not take. */
async function signsIn(
  client: ServiceClient,
  { role, method }: SignInSetup,
  claims: Claims,
): Promise<boolean | undefined> {
  const mount = `auth/jwt-${method.config.boundIssuer ?? 'none'}`;
  // Another name each time: a write keeps what it leaves out.
  const name = `role-${Math.random().toString(36).slice(2)}`;
  const isWritten = await answers(client.put(`${mount}/role/${name}`, wireOf(role)));
  if (!isWritten) return undefined;
  const now = Math.floor(Date.now() / 1000);
  const payload = JSON.stringify({ iat: now, exp: now + 600, ...claims });
  const jwt = await new CompactSign(Buffer.from(payload))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(privateKey);
  return await answers(client.post(`${mount}/login`, { role: name, jwt }));
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

function wireOf(role: Role): Record<string, unknown> {
  const { method: _method, name: _name, ...fields } = role;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [wireNameIn(roleFields, name), value]),
  );
}

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_121);
// A fifth of the pairs has a witness that OpenBao can be shown.
const pairs = isIn('npm test') ? 60 : 5_000;
describeWithOpenBao(`witnesses of ${pairs} pairs of populations, seed ${seed}`, (server) => {
  test('are let in by the one, and refused by the other', async () => {
    const { count, wrong } = await replayWitnesses(server(), seed, pairs);
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(pairs / 10);
  }, 300_000);
});
