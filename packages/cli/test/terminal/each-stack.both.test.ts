import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { startProxy } from '../../../../test/harness/proxy.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

type Service = Awaited<ReturnType<typeof startEmbeddedService>>;

const stackFile = (address: string, name = 'shop') => `config:
  gatehouse:service: { address: "${address}" }
  gatehouse:policies:
    - { name: ${name}, policy: 'path "secret/data/${name}/*" { capabilities = ["read"] }' }
`;

/** Reads and plans as a deployment does, and writes no policy. */
const readOnly = `path "auth/token/*" { capabilities = ["read", "update", "sudo"] }
path "sys/policies/*" { capabilities = ["read", "list"] }
path "+/*" { capabilities = ["read", "list"] }`;

/** Three services with a stack each; their tokens are in variables of their own, and `VAULT_TOKEN` is of none. */
describe('several stacks on embedded services', () => {
  let services: Service[];
  let env: NodeJS.ProcessEnv;
  const folder = projectFolder({
    'package.json': '{ "type": "module", "main": "main.mjs" }',
    'main.mjs': `export * from ${JSON.stringify(join(root, 'main.mjs'))};\n`,
  });
  copyFileSync(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
  const write = (stack: string, text: string) => writeFileSync(join(folder, `Pulumi.${stack}.yaml`), text);
  const gatehouse = (...argv: string[]) => runCommand(argv, env, folder);
  const stacksIn = (out: string): { stack: string; result?: string; problem?: { code: string } }[] =>
    JSON.parse(out).stacks;
  const policiesOf = async (service: Service | undefined) => {
    const client = new ServiceClient(service as Service);
    const listed = await client.list('sys/policies/acl').finally(() => client.close());
    return listed?.data['keys'];
  };

  beforeAll(async () => {
    services = await Promise.all([1, 2, 3].map(() => startEmbeddedService()));
    env = { PATH: process.env['PATH'], PULUMI_CONFIG_PASSPHRASE: 'x', VAULT_TOKEN: 'hvs.wrong' };
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      const { address, token } = services[at] as Service;
      write(name, stackFile(address));
      env[`VAULT_TOKEN_${name.toUpperCase()}`] = token;
    }
  });
  afterAll(() => Promise.all(services.map(({ close }) => close())));

  longTest('preview and up fold stacks that differ in their namespace alone', async () => {
    const { address = '', token = '' } = services[0] ?? {};
    const client = new ServiceClient({ address, token });
    for (const name of ['n-one', 'n-two']) {
      await client.post(`sys/namespaces/team-${name}`, {});
      const service = `gatehouse:service: { address: "${address}", namespace: team-${name} }`;
      write(name, stackFile(address).replace(/gatehouse:service:.*/, service));
      env[`VAULT_TOKEN_${name.toUpperCase().replace('-', '_')}`] = token;
    }
    try {
      for (const line of [['preview'], ['up', '--yes'], ['preview']]) {
        const { out, err } = await gatehouse(...line, '-s', 'n-*');
        expect({ out, err }).toEqual({
          out: expect.stringContaining('the same in 2 stacks (n-one, n-two)\n'),
          err: '',
        });
      }
    } finally {
      for (const name of ['n-one', 'n-two']) {
        await client.delete(`sys/namespaces/team-${name}`);
        rmSync(join(folder, `Pulumi.${name}.yaml`));
      }
      client.close();
    }
  });

  describe('one away, and one that refuses the token', () => {
    beforeAll(() => {
      write('away', stackFile('http://127.0.0.1:9'));
      write('refused', stackFile(services[0]?.address ?? ''));
    });
    afterAll(() => {
      for (const name of ['away', 'refused']) rmSync(join(folder, `Pulumi.${name}.yaml`));
    });
    const unread = [
      ['away', 'service_unreachable'],
      ['refused', 'token_refused'],
    ];

    longTest(
      'preview, review and drift judge the others, fold what is the same, and exit with 1',
      async () => {
        for (const command of ['preview', 'review', 'drift']) {
          const { code, out, err } = await gatehouse(command, '--all-stacks');
          expect({ command, code, err }).toEqual({ command, code: 1, err: '' });
          expect(out).toContain('the same in 3 stacks (a, b, c)');
          expect(out).toMatch(/^\? away: The secrets service at http:\/\/127\.0\.0\.1:9 cannot be reached/m);
          expect(out).toMatch(/^\? refused: The secrets service does not accept the token/m);
          expect(out).toMatch(/5 stacks; the same in 3; 2 not read\n$/);
        }
      },
    );

    longTest('--json lists each stack with its result or its problem', async () => {
      const { code, out } = await gatehouse('review', '-s', '*', '--json');
      expect(code).toBe(1);
      const stacks = stacksIn(out);
      expect(stacks.map(({ stack }) => stack)).toEqual(['a', 'away', 'b', 'c', 'refused']);
      expect(stacks.flatMap(({ stack, problem }) => (problem ? [[stack, problem.code]] : []))).toEqual(
        unread,
      );
    });

    test('up applies nothing', async () => {
      expect(await gatehouse('up', '--all-stacks', '--yes')).toMatchObject({
        code: 1,
        err: expect.stringContaining('nothing was changed'),
      });
      for (const service of services) expect(await policiesOf(service)).not.toContain('shop');
    });

    test('who-can --live answers for those that can be read, and does not know', async () => {
      const { code, out } = await gatehouse('who-can', 'read', 'secret/data/shop/x', '-s', '*', '--live');
      expect(code).toBe(1);
      expect(out).toContain('? not known: away: The secrets service');
      expect(out).toMatch(/\? not known: .*the token may not read them.*\(refused\)/);
    });
  });

  /** `up` of all stacks, with a token of this policy alone for the second. */
  const upLimited = async (policy: string) => {
    const client = new ServiceClient(services[1] as Service);
    await client.put('sys/policies/acl/read-only', { policy });
    const { auth } = await client.post('auth/token/create', { policies: ['read-only'] });
    client.close();
    const whole = env['VAULT_TOKEN_B'];
    env['VAULT_TOKEN_B'] = String(auth?.['client_token']);
    const ended = await gatehouse('up', '--all-stacks', '--yes');
    env['VAULT_TOKEN_B'] = whole;
    return ended;
  };

  longTest('up: none begins where the service would refuse a part of one', async () => {
    const { code, out } = await upLimited(readOnly);
    expect(code).toBe(1);
    expect(out).toContain('The token lacks update on sys/policies/acl/shop.');
    for (const service of services) expect(await policiesOf(service)).not.toContain('shop');
  });

  longTest('up: one that fails to apply stops the next, and the next up goes on from there', async () => {
    // It may not ask what it may do, either: what it lacks shows when it is applied.
    const unasked = 'path "sys/capabilities-self" { capabilities = ["deny"] }';
    const stopped = await upLimited(`${readOnly}\n${unasked}`);
    expect(stopped.code).toBe(1);
    expect(stopped.out).toMatch(/\n1 applied: a\n1 failed: b\n1 not started: c\n$/);
    expect(stopped.out).toContain('does not allow PUT sys/policies/acl/shop');
    const { code, out } = await gatehouse('up', '--all-stacks', '--yes', '--parallel', '2');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/\n2 applied: b, c\n1 unchanged: a\n$/),
    });
    for (const service of services) expect(await policiesOf(service)).toContain('shop');
    expect(await gatehouse('drift', '--all-stacks')).toMatchObject({ code: 0 });
  });

  longTest('up: what another stack of the service just made is not written over', async () => {
    const [first] = services as [Service];
    env['VAULT_TOKEN_ONE'] = env['VAULT_TOKEN_TWO'] = first.token;
    for (const name of ['one', 'two']) write(name, stackFile(first.address, 'both'));
    const { code, out } = await gatehouse('up', '-s', '*o*', '--yes', '--json');
    expect(code).toBe(1);
    expect(stacksIn(out).map(({ stack, result, problem }) => [stack, result ?? problem?.code])).toEqual([
      ['one', 'succeeded'],
      ['two', 'review_outdated'],
    ]);
    for (const name of ['one', 'two']) rmSync(join(folder, `Pulumi.${name}.yaml`));
  });
});

test('a service that several stacks ask the same of is read once for each token', async () => {
  const service = await startEmbeddedService();
  let reads = 0;
  const proxy = await startProxy(service.address, ({ incoming, pass }) => {
    if (incoming.method === 'GET') reads += 1;
    pass();
  });
  const names = ['a', 'b', 'c'];
  const folder = projectFolder(
    Object.fromEntries(names.map((name) => [`Pulumi.${name}.yaml`, stackFile(proxy.address, name)])),
  );
  const readsOf = async (env: NodeJS.ProcessEnv, ...stacks: string[]) => {
    reads = 0;
    const { out } = await runCommand(['who-can', 'read', 'secret/x', '--live', ...stacks], env, folder);
    expect(out).toContain('No one can');
    return reads;
  };
  const env = { VAULT_TOKEN: service.token };
  const once = await readsOf(env, '-s', 'a');
  // What is declared may be read by its name as well.
  const all = await readsOf(env, '--all-stacks');
  expect(all).toBeGreaterThanOrEqual(once);
  expect(all).toBeLessThan(once + 2 * names.length);
  const client = new ServiceClient(service);
  const { auth } = await client.post('auth/token/create', { policies: ['root'] });
  const twice = await readsOf({ ...env, VAULT_TOKEN_B: String(auth?.['client_token']) }, '--all-stacks');
  expect(twice).toBeGreaterThanOrEqual(2 * once);
  client.close();
  await Promise.all([proxy.close(), service.close()]);
});

describe('several stacks without a service', () => {
  const role = (policy: string, issuer = 'https://c.example') => `config:
  gatehouse:service: { address: http://127.0.0.1:9 }
  gatehouse:providers:
    - kind: container_orchestrator
      name: cluster
      issuer: ${issuer}
      roles: [{ name: web, namespace: shop, serviceAccount: web, policies: [${policy}] }]
  gatehouse:policies:
    - { name: ${policy}, policy: 'path "secret/data/${policy}" { capabilities = ["read"] }' }
`;
  const folder = projectFolder({
    'Pulumi.eu.yaml': role('shop'),
    'Pulumi.us.yaml': role('shop'),
    'Pulumi.zz.yaml': role('other'),
  });
  const gatehouse = (...argv: string[]) => runCommand(argv, {}, folder);

  test('who-can is one answer, whose rows name their stacks', async () => {
    const { code, out } = await gatehouse('who-can', 'read', 'secret/data/shop', '--all-stacks');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^1 principal can read secret\/data\/shop \(declared\)\n\+ role cluster\/web \(eu, us\)\n/,
    );
  });

  test('who-can of all stacks exits with 2 where no one can in any, and with 1 where one cannot be read', async () => {
    const ask = () => gatehouse('who-can', 'delete', 'secret/data/shop', '--all-stacks');
    expect(await ask()).toMatchObject({ code: 2 });
    writeFileSync(join(folder, 'Pulumi.broken.yaml'), 'config: [\n');
    const asked = await ask();
    expect(asked).toMatchObject({ code: 1, out: expect.stringContaining('? not known: broken: ') });
    const { out } = await gatehouse('who-can', 'read', 'secret/data/shop', '--all-stacks', '--json');
    expect(JSON.parse(out).stacks).toMatchObject([
      { stack: 'broken', problem: {} },
      { stack: 'eu', answer: 'yes' },
      { stack: 'us', answer: 'yes' },
      { stack: 'zz', answer: 'no' },
    ]);
    rmSync(join(folder, 'Pulumi.broken.yaml'));
  });

  test('verify folds the same checks, and exits with 2 where one fails', async () => {
    const { code, out } = await gatehouse('verify', '--all-stacks');
    expect(code).toBe(2);
    expect(out).toContain('the same in 3 stacks (eu, us, zz)\n');
  });

  test.each([
    ['verify', '--token', 'web=Pulumi.yaml'],
    ['review', '--between', 'a', 'b'],
    ['review', '--report', 'json=x'],
    ['review', 'plan.json'],
    ['review', '--format', 'sarif'],
    ['who-can', 'read', 'a', '--plan', '-'],
    ['drift', '--fix'],
  ])('%s %s is for one stack', async (...argv) => {
    expect(await gatehouse(...argv, '--all-stacks')).toMatchObject(failed('option_conflict'));
  });

  test('one variable for two stacks is refused', async () => {
    for (const name of ['x-y', 'x.y']) writeFileSync(join(folder, `Pulumi.${name}.yaml`), role('shop'));
    const ended = await runCommand(['drift', '-s', 'x*'], { VAULT_TOKEN_X_Y: 'hvs.x' }, folder);
    expect(ended).toMatchObject(failed('token_ambiguous'));
    for (const name of ['x-y', 'x.y']) rmSync(join(folder, `Pulumi.${name}.yaml`));
  });
});
