import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { SignJWT } from 'jose';
import { EnvironmentUnderTest } from '../../../test/harness/environment-under-test.ts';
import { describeWithOpenBao } from '../../../test/harness/openbao.ts';
import { whoCan } from '../src/who-can/who-can.ts';

const namespaces = ['', 'a', 'a/b'];
const patterns = [
  'kv/x',
  'kv/*',
  'kv/+',
  'k*',
  '*',
  '+/kv/x',
  '+/kv/*',
  '+/+/kv/x',
  '+/*',
  'a/kv/x',
  'a/kv/*',
  'a/*',
  'a/+/kv/x',
  'a/b/kv/x',
  'a/b/*',
  'b/kv/x',
  'b/kv/+',
  'b*',
];
const rolesEach = 10;
const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20261126);

describeWithOpenBao('access across namespaces', (openbao) => {
  test(`is decided as OpenBao decides it, for random policies (seed ${seed})`, async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const issuer = 'https://ci.example.com';
    const names = Array.from({ length: rolesEach }, (_, index) => `r${index}`);
    const rule = fc
      .tuple(fc.constantFrom(...patterns), fc.constantFrom('"read"', '"read", "list"', '"list"', '"deny"'))
      .map(([pattern, capabilities]) => `path "${pattern}" { capabilities = [${capabilities}] }`);
    const policy = fc.uniqueArray(rule, { minLength: 2, maxLength: 4 }).map((rules) => rules.join('\n'));
    const texts = fc.sample(policy, { seed, numRuns: namespaces.length * rolesEach });
    const within = (namespace: string) => (namespace === '' ? {} : { namespace });
    const environment = await EnvironmentUnderTest.start({ ...openbao(), kind: 'openbao' });
    try {
      const stack = environment.stack((config) => {
        for (const key of Object.keys(config)) if (key !== 'service') delete config[key];
        config['namespaces'] = [{ path: 'a' }, { path: 'a/b' }];
        config['providers'] = namespaces.map((namespace) => ({
          kind: 'jwt',
          name: 'ci',
          issuer,
          ...within(namespace),
          publicKeys: [publicKey.export({ type: 'spki', format: 'pem' }).toString()],
          roles: names.map((name) => ({
            name,
            userClaim: 'sub',
            boundAudiences: 'secrets',
            boundSubject: name,
            policies: [name],
          })),
        }));
        config['policies'] = namespaces.flatMap((namespace) =>
          names.map((name) => ({ name, ...within(namespace), policy: texts.pop() })),
        );
      });
      const { diagnostics } = await environment.run('up', stack);
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      const tokens = new Map<string, string>();
      for (const namespace of namespaces) {
        const there = environment.client.with(within(namespace));
        await there.post('sys/mounts/kv', { type: 'kv' });
        for (const name of names) {
          const jwt = await new SignJWT({})
            .setProtectedHeader({ alg: 'ES256' })
            .setIssuer(issuer)
            .setSubject(name)
            .setAudience('secrets')
            .setIssuedAt()
            .setExpirationTime('5m')
            .sign(privateKey);
          const { auth } = await there.post('auth/ci/login', { role: name, jwt });
          tokens.set(`${namespace}:${name}`, String(auth?.['client_token']));
        }
      }
      const allowed = async (token: string, namespace: string, path: string) => {
        const headers = { 'X-Vault-Token': token, ...(namespace && { 'X-Vault-Namespace': namespace }) };
        const { status } = await fetch(`${openbao().address}/v1/${path}`, { headers });
        return status !== 403;
      };
      const found: string[] = [];
      const wrong: string[] = [];
      for (const namespace of namespaces) {
        for (const path of ['kv/x', 'kv/y']) {
          const source = { from: 'declared', stack, env: environment.env } as const;
          const question = { capability: 'read', path: [namespace, path].filter(Boolean).join('/') };
          const { abilities } = await whoCan(question, source, BigInt(Date.now()) * 1_000_000n);
          const can = new Set(
            abilities.flatMap(({ by, namespace: own = '', reaches }) =>
              // What is asked for in a namespace below is another question.
              (reaches?.[0] ?? own) === namespace ? `${own}:${by.name}` : [],
            ),
          );
          for (const [who, token] of tokens) {
            const is = await allowed(token, namespace, path);
            if (is) found.push(who);
            if (is !== can.has(who))
              wrong.push(`${who} ${is ? 'can' : 'cannot'} read ${path} in "${namespace}"`);
          }
        }
      }
      expect(wrong).toEqual([]);
      expect(new Set(found.map((who) => who.split(':')[0]))).toEqual(new Set(namespaces));
    } finally {
      await environment.close();
    }
  });
});
