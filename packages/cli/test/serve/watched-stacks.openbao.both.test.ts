import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { until } from '../../../../test/harness/until.ts';
import { listen } from '../../../host/src/listen.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import type { DriftReport } from '../../src/drift/drift.ts';
import { watchedStacks } from '../../src/serve/watched-stacks.ts';
import { projectFolder } from '../running-command.ts';

const rules = 'path "secret/data/shop" {\n  capabilities = ["read"]\n}\n';

describeWithOpenBao('stacks that are watched', (server) => {
  let folder: string;
  let client: ServiceClient;
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
    }).trim();
  const commit = () => {
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
  };
  const declare = (stack: string, namespace: string, keys = '') =>
    writeFileSync(
      join(folder, `Pulumi.${stack}.yaml`),
      `config:
  gatehouse:service: { address: '${server().address}', namespace: ${namespace}, features: { messages: false } }
  gatehouse:policies: [{ name: shop, policy: ${JSON.stringify(rules)} }]
${keys}`,
    );
  beforeEach(async () => {
    folder = projectFolder();
    for (const stack of ['one', 'two', 'other']) declare(stack, stack);
    client = new ServiceClient({ address: server().address, token: server().token });
    for (const namespace of ['one', 'two']) {
      await client.put(`sys/namespaces/${namespace}`, {});
      await client.with({ namespace }).put('sys/policies/acl/shop', { policy: rules });
    }
  });
  afterEach(() => client.close());

  const describe = (report: DriftReport) => ({
    summary: `${report.differences.length} differ`,
    findings: [...report.differences, ...report.unverifiable].map(({ subject }) => subject.name),
    unread: report.unverifiable.map(({ subject }) => subject.name),
  });
  const stacks = (options: Partial<Parameters<typeof watchedStacks>[0]> = {}) =>
    watchedStacks({
      checkout: folder,
      patterns: ['one', 'two'],
      unmanaged: false,
      describe,
      env: { PATH: process.env['PATH'], GATEHOUSE_HOME: folder, VAULT_TOKEN: server().token },
      ...options,
    });
  const read = (stack: string, options?: Parameters<typeof stacks>[0]) =>
    stacks(options).read(`gatehouse/${stack}`, new AbortController().signal);

  test('are those that a pattern matches, with their project, once each', async () => {
    expect((await stacks({ patterns: ['o*', '*e', 'two'] }).list()).sort()).toEqual([
      'gatehouse/one',
      'gatehouse/other',
      'gatehouse/two',
    ]);
    await expect(stacks({ patterns: ['one', 'prod-*'] }).list()).rejects.toMatchObject({
      code: 'stack_unknown',
    });
  });

  test('have no drift, or the findings of it', async () => {
    const comparedWith = 'not a git checkout';
    expect(await read('one')).toEqual({
      outcome: 'ok',
      summary: '0 differ',
      findings: [],
      unread: [],
      comparedWith,
    });
    await client.with({ namespace: 'one' }).delete('sys/policies/acl/shop');
    expect(await read('one')).toEqual({
      outcome: 'drift',
      summary: '1 differ',
      findings: ['shop'],
      unread: [],
      comparedWith,
    });
  });

  test('are compared with a commit, and it is said if files are not committed', async () => {
    commit();
    const name = `commit ${git('rev-parse', 'HEAD').slice(0, 12)}`;
    expect((await read('one')).comparedWith).toBe(name);
    declare('two', 'elsewhere');
    expect((await read('one')).comparedWith).toBe(`${name}, with uncommitted changes`);
  });

  longTest('are read again where the checkout changes meanwhile', async () => {
    commit();
    let reports = 0;
    const changing = (times: number) => (report: DriftReport) => {
      reports += 1;
      if (reports <= times) git('commit', '-qm', 'another', '--allow-empty');
      return describe(report);
    };
    expect((await read('one', { describe: changing(1) })).comparedWith).toBe(
      `commit ${git('rev-parse', 'HEAD').slice(0, 12)}`,
    );
    expect(reports).toBe(2);
    await expect(read('one', { describe: changing(10) })).rejects.toMatchObject({
      code: 'checkout_changing',
    });
  });

  test('fail by name where their namespace has gone: nothing is said to be missing', async () => {
    await client.delete('sys/namespaces/two');
    await expect(read('two')).rejects.toMatchObject({
      code: 'namespace_not_found',
      message: expect.stringContaining('two'),
    });
  });

  test('fail where the token is refused, or may read nothing', async () => {
    const env = { PATH: process.env['PATH'], GATEHOUSE_HOME: folder };
    await expect(read('one', { env: { ...env, VAULT_TOKEN: 's.wrong' } })).rejects.toMatchObject({
      code: 'token_refused',
    });
    const { auth } = await client
      .with({ namespace: 'one' })
      .post('auth/token/create', { policies: ['default'] });
    const reading = await read('one', { env: { ...env, VAULT_TOKEN_ONE: String(auth?.['client_token']) } });
    expect(reading).toMatchObject({
      outcome: 'failed',
      unread: expect.arrayContaining(['shop']),
      findings: expect.arrayContaining(['shop']),
    });
  });

  test('fail where their file has gone', async () => {
    await expect(read('gone')).rejects.toMatchObject({ code: 'stack_unknown' });
  });

  longTest('leave nothing of what a service keeps to itself in the checkout', async () => {
    const known = "[{ kind: policy, name: default, because: it is the service's own }]";
    declare('one', 'one', `  gatehouse:known: ${known}\n`);
    commit();
    await read('one');
    expect(git('status', '--porcelain')).toBe('');
  });

  test('two that would take one token are refused', async () => {
    writeFileSync(join(folder, 'Pulumi.o-e.yaml'), 'config: {}\n');
    writeFileSync(join(folder, 'Pulumi.o_e.yaml'), 'config: {}\n');
    const check = stacks({ env: { VAULT_TOKEN_O_E: 'a-token' } }).checkTokens([
      'gatehouse/o-e',
      'gatehouse/o_e',
    ]);
    await expect(check).rejects.toMatchObject({ code: 'token_ambiguous' });
  });

  test('end their reading with its signal', async () => {
    const ending = new AbortController();
    const reading = stacks().read('gatehouse/one', ending.signal);
    ending.abort();
    await expect(reading).rejects.toThrow();
  });

  test('close the connections to a service that does not answer, once their time is over', async () => {
    const slow = createServer(() => {});
    const address = `http://127.0.0.1:${await listen(slow, 0)}`;
    const ending = new AbortController();
    const env = { GATEHOUSE_HOME: folder, VAULT_TOKEN: 'a-token', GATEHOUSE_SERVICE_ADDRESS: address };
    const reading = stacks({ env }).read('gatehouse/one', ending.signal);
    await once(slow, 'request');
    ending.abort();
    await expect(reading).rejects.toMatchObject({ code: 'service_unreachable' });
    const connections = () => new Promise((resolve) => slow.getConnections((_, count) => resolve(count)));
    await until(async () => (await connections()) === 0);
    slow.close();
  });
});
