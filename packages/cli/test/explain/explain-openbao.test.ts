import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { methodFromWire } from '../../../core/src/graph/resources/auth-method.ts';
import type { ByName } from '../../../core/src/graph/resources/field.ts';
import { roleFromWire } from '../../../core/src/graph/resources/role.ts';
import { graphOf } from '../../../core/test/review/graphs.ts';
import { listen } from '../../../host/src/listen.ts';
import { explainIn } from '../../src/explain/explain.ts';

interface Case {
  name: string;
  /** `xk` has configured keys, `xk1` a small one; `xj` the published ones, `xdb` those of an issuer, which it binds. */
  method: 'xk' | 'xk1' | 'xj' | 'xdb';
  role: ByName;
  header: { alg: string };
  signedBy: string;
  claims: Record<string, unknown>;
  /** The payload, where it is not these claims. */
  payloadText?: string;
  change?: 'rsasig' | 'pad' | 'blank';
  openbao: { signsIn: boolean; policies?: string[]; metadata?: Record<string, string>; error?: string };
}

/** Tokens and roles with what OpenBao 2.7.2 answered; `{"now+": s}` is a time, seconds from the sign-in. */
const cases = readFileSync(new URL('explain-openbao.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

/** The payload texts name times themselves; at this moment they are what they were. */
const now = 1_795_283_800;

const keys = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  rsa2: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  rsa1k: generateKeyPairSync('rsa', { modulusLength: 1024 }),
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ed: generateKeyPairSync('ed25519'),
};
const pem = (name: keyof typeof keys) =>
  keys[name].publicKey.export({ type: 'spki', format: 'pem' }) as string;
const jwk = (name: keyof typeof keys) => ({ ...keys[name].publicKey.export({ format: 'jwk' }), kid: 'dup' });

let issuer: Server;
let address: string;
beforeAll(async () => {
  issuer = createServer(({ url }, response) => {
    const discovery = { issuer: address, jwks_uri: `${address}/jwks` };
    const body = url === '/jwks' ? { keys: [jwk('rsa'), jwk('rsa2')] } : discovery;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  address = `http://127.0.0.1:${await listen(issuer, 0)}`;
});
afterAll(() => {
  issuer.close();
  issuer.closeAllConnections();
});

const base64url = (text: string) => Buffer.from(text).toString('base64url');

function signature(algorithm: string, input: string, key: KeyObject): string {
  const dsaEncoding = 'ieee-p1363' as const;
  const given = key.asymmetricKeyType === 'ec' ? { key, dsaEncoding } : { key };
  const pss = algorithm.startsWith('PS') ? { padding: 6, saltLength: -1 } : {};
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return sign(hash, Buffer.from(input), { ...given, ...pss }).toString('base64url');
}

function tokenOf({ header, signedBy, claims, payloadText, change }: Case): string {
  const times = Object.entries(claims).map(([name, value]) => {
    const later = (value as { 'now+'?: number } | null)?.['now+'];
    return [name, later === undefined ? value : now + later];
  });
  const payload = payloadText ?? JSON.stringify(Object.fromEntries(times));
  const input = `${base64url(JSON.stringify(header))}.${base64url(payload)}`;
  const key = keys[signedBy as keyof typeof keys].privateKey;
  const token = `${input}.${signature(header.alg, input, key)}`;
  if (change === 'blank') return ` ${token}`;
  return change === 'pad' ? `${token}==` : token;
}

const methods = () => {
  const method = (path: string, config: object) => methodFromWire(path, { type: 'jwt' }, config as ByName);
  return [
    method('xk', { jwt_validation_pubkeys: [pem('rsa'), pem('ec'), pem('ed')] }),
    method('xk1', { jwt_validation_pubkeys: [pem('rsa1k')] }),
    method('xj', { jwks_url: `${address}/jwks` }),
    method('xdb', { oidc_discovery_url: address, bound_issuer: 'https://i.example' }),
  ];
};

/** As they were on that server. */
const groups = {
  groups: [
    { name: 'admins', policies: ['of-admins'] },
    { name: 'ops', policies: ['of-ops'] },
    { name: 'ws', policies: ['of-ws'] },
  ],
  aliases: [
    { name: 'Admins', method: 'xk', group: 'admins' },
    { name: 'ops', method: 'xk', group: 'ops' },
    { name: ' ws ', method: 'xk', group: 'ws' },
  ],
  identities: [
    {
      kind: 'group' as const,
      name: 'parent',
      policies: ['of-parent'],
      members: [{ kind: 'group' as const, name: 'ops' }],
    },
  ],
};

/**
 * Where the embedded service refuses on purpose what OpenBao takes (docs/inside/embedded-service.md,
 * docs/inside/measured/weaknesses.md#json-web-tokens-rfc-8725).
 */
const stricter = ['RSA of 1024 bits', 'crit b64', 'padding =', 'blank before'];

test('there are 97 of them', () => {
  expect(cases).toHaveLength(97);
});

test.each(cases.map((one) => [one.name, one] as const))('%s: as OpenBao says', async (_, one) => {
  const name = one.openbao.metadata?.['role'] ?? 'r';
  const graph = graphOf({ methods: methods(), roles: [roleFromWire(one.method, name, one.role)], ...groups });
  const request = { role: name, presented: { token: tokenOf(one) }, live: true, from: '127.0.0.1' };
  // Who asked OpenBao had signed in before.
  const entityOf = async () => ({ id: 'known', name: 'known', policies: [], isDisabled: false });
  const explained = await explainIn(graph, { ...request, now: BigInt(now) * 1_000_000_000n }, { entityOf });
  const { signsIn, metadata, policies, refused } = explained;
  expect({
    signsIn,
    ...(signsIn
      ? { policies: policies?.map((policy) => policy.name), metadata }
      : { error: refused?.message }),
  }).toEqual(one.openbao);
  expect(explained.stricter !== undefined).toBe(stricter.includes(one.name));
});
