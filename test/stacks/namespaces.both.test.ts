import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import { fixDrift } from '../../packages/cli/src/drift/fix-drift.ts';
import { explain } from '../../packages/cli/src/explain/explain.ts';
import { reviewSettings } from '../../packages/cli/src/review/review-stack.ts';
import { verify } from '../../packages/cli/src/verify/verify.ts';
import { accessOf, whoCan } from '../../packages/cli/src/who-can/who-can.ts';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import { type DevConfig, environmentFor } from '../harness/environment-under-test.ts';
import { reviewStack } from '../harness/review-stack.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const issuer = 'https://ci.example.com';
const provider = (namespace: string | undefined) => ({
  ...(namespace && { namespace }),
  kind: 'jwt',
  name: 'ci',
  issuer,
  publicKeys: [publicKey.export({ type: 'spki', format: 'pem' }).toString()],
  roles: [
    { name: 'build', boundAudiences: 'secrets', boundSubject: 'build', userClaim: 'sub', policies: ['read'] },
  ],
});
const reading = (namespace: string | undefined, path = 'secret/*') => ({
  ...(namespace && { namespace }),
  name: 'read',
  policy: `path "${path}" {\n  capabilities = ["read"]\n}\n`,
});

describeOnBothServers('an environment with namespaces', (service) => {
  const environment = environmentFor(service);
  const declared = (config: DevConfig) => {
    for (const key of Object.keys(config)) if (key !== 'service') delete config[key];
    Object.assign(config, {
      namespaces: [{ path: 'shop' }, { path: 'shop/web' }, { path: 'bank', exists: true }],
      providers: [provider(undefined), provider('shop'), provider('shop/web'), provider('bank')],
      policies: [reading(undefined, 'shop/secret/*'), reading('shop'), reading('shop/web'), reading('bank')],
      groups: [],
    });
  };
  const stack = (change: (config: DevConfig) => void = () => {}) =>
    environment().stack((config) => {
      declared(config);
      change(config);
    });
  const up = async (of = stack(), verb: 'up' | 'destroy' = 'up') => {
    const { diagnostics, steps } = await environment().run(verb, of);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return steps.filter(({ op }) => op !== 'same');
  };
  const look = (of = stack(), unmanaged = false) => drift({ stack: of, env: environment().env, unmanaged });

  beforeAll(async () => {
    await environment().client.put('sys/namespaces/bank', {});
    await up();
  });

  const signIn = async (namespace: string) => {
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(issuer)
      .setSubject('build')
      .setAudience('secrets')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    const { auth } = await environment()
      .client.with({ namespace })
      .post('auth/ci/login', { role: 'build', jwt });
    return auth;
  };

  test('is applied to each of them', async () => {
    for (const namespace of ['', 'shop', 'shop/web', 'bank'])
      expect((await signIn(namespace))?.['policies']).toEqual(['default', 'read']);
    expect((await environment().client.read('sys/namespaces/shop'))?.data['path']).toBe('shop/');
  });

  test('is as declared afterwards, and a second up changes nothing', async () => {
    const report = await look(stack(), true);
    expect(report).toMatchObject({ differences: [], unmanaged: [], unverifiable: [], compared: 12 });
    expect(await up()).toEqual([]);
  });

  test('drifts by namespace, and is fixed there alone', async () => {
    const shop = environment().client.with({ namespace: 'shop' });
    await shop.put('sys/policies/acl/read', { policy: 'path "x" { capabilities = ["read"] }' });
    const report = await look();
    const found = report.differences.map(({ subject }) => subject);
    expect(found).toEqual([{ type: 'policy', name: 'read', namespace: 'shop' }]);
    const sink = { onEvent: () => {}, confirm: async () => true };
    const request = { stack: stack(), approval: 'given' } as const;
    const fixed = await fixDrift(report, request, new LocalEngine({ env: environment().env }), sink);
    expect(fixed.unknown).toEqual([]);
    const changed = fixed.result?.deployment.steps.filter(({ op }) => op === 'update').map(({ urn }) => urn);
    expect(changed).toEqual([expect.stringMatching(/Policy::shop\/read$/)]);
    expect((await look()).differences).toEqual([]);
  });

  test('is reviewed by namespace, with what each has on the service', async () => {
    const wider = stack((config) => {
      config['policies'][1] = reading('shop', 'secret/+/all/*');
    });
    const engine = new LocalEngine({ env: environment().env });
    const { options } = await reviewSettings(wider, environment().env, { budget: 1000 });
    const review = await reviewStack(wider, engine, options, environment().env);
    expect(review.access.map(({ namespace }) => namespace)).toEqual(review.access.map(() => 'shop'));
    expect(review.losses).toBe('some');
    expect(review.gains).toBe('none');
  });

  test('answers who can, in the namespace and from those above it', async () => {
    const ask = async (path: string) => {
      const source = { from: 'live', stack: stack(), env: environment().env } as const;
      const { abilities } = await whoCan(
        { capability: 'read', path },
        source,
        BigInt(Date.now()) * 1_000_000n,
      );
      return abilities.map(({ by, namespace = '', reaches = [] }) => [by.name, namespace, ...reaches]).sort();
    };
    const own = ['build', 'shop'];
    expect(await ask('shop/secret/db')).toEqual([['build', '', 'shop'], own]);
    expect(await ask('secret/db')).toEqual([
      ['build', '', 'shop'],
      ['build', 'bank'],
      own,
      ['build', 'shop/web'],
    ]);
  });

  test('has no one role of a name that several namespaces have, unless one of them is named', async () => {
    const now = BigInt(Date.now()) * 1_000_000n;
    const source = { from: 'declared', stack: stack(), env: environment().env } as const;
    await expect(accessOf({ role: 'build', now }, source)).rejects.toMatchObject({ code: 'role_ambiguous' });
    const inShop = { ...source, stack: { ...stack(), namespace: 'shop' } };
    const { rows } = await accessOf({ role: 'build', now }, inShop);
    expect(rows.map(({ pattern }) => pattern)).toContain('secret/*');
    const asked = { env: environment().env, role: 'build', presented: { claims: {} }, live: false, now };
    await expect(explain({ ...asked, stack: stack() })).rejects.toMatchObject({ code: 'role_ambiguous' });
    expect((await explain({ ...asked, stack: inShop.stack })).signsIn).toBe(false);
  });

  test('is verified in each namespace', async () => {
    const checks = await verify({ stack: stack(), env: environment().env, tokens: new Map() });
    const places = new Set(checks.map(({ subject }) => subject.namespace ?? ''));
    expect(places).toEqual(new Set(['', 'bank', 'shop', 'shop/web']));
  });

  test('knows that nothing is in a namespace that it will make', async () => {
    const widened = stack((config) => {
      config['namespaces'].push({ path: 'later' });
      config['providers'].push(provider('later'));
      config['policies'].push(reading('later'));
    });
    const engine = new LocalEngine({ env: environment().env });
    const { options } = await reviewSettings(widened, environment().env, { budget: 1000 });
    const { scope, access } = await reviewStack(widened, engine, options, environment().env);
    expect(scope).toMatchObject({ complete: true, missing: [] });
    expect(access).toMatchObject([{ kind: 'opened', gains: 'some', namespace: 'later' }]);
  });

  test('says that a namespace is gone, not that all in it was deleted', async () => {
    const widened = stack((config) => {
      config['namespaces'].push({ path: 'later' });
      config['policies'].push(reading('later'));
    });
    const report = await look(widened);
    expect(report.differences).toEqual([
      {
        kind: 'missing',
        note: 'with all that is declared for it',
        subject: {
          type: 'other',
          name: 'namespace "later"',
          apart: { kind: 'namespace', name: 'later' },
        },
      },
    ]);
    const elsewhere = stack((config) => {
      config['namespaces'].push({ path: 'later', exists: true });
    });
    await expect(look(elsewhere)).rejects.toMatchObject({ code: 'namespace_not_found' });
  });

  test('goes with its namespaces, and leaves those that others made', async () => {
    await up(stack(), 'destroy');
    const keys = (await environment().client.list('sys/namespaces'))?.data['keys'];
    expect(keys).toEqual(['bank/']);
  });
});
