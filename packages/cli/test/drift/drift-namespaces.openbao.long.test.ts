import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { startProxy } from '../../../../test/harness/proxy.ts';
import { makeNamespaces } from '../../../bench/many.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { type DriftReport, drift } from '../../src/drift/drift.ts';
import { ofEach } from '../../src/open/many-stacks.ts';
import { openStack } from '../../src/open/open-stack.ts';
import type { OfStack } from '../../src/open/stack-outcomes.ts';
import { stacksMatching } from '../../src/open/stack-reading.ts';

/** What is wrong with some of the namespaces. */
const [slow, dead, refused, vanishing] = ['team-002', 'team-007', 'team-011', 'team-013'] as const;

describeWithOpenBao('drift of twenty namespaces, four of them in trouble', (server) => {
  const closes: (() => unknown)[] = [];
  const ended: string[] = [];
  let found: OfStack<DriftReport>[];
  const of = (name: string) => {
    const one = found.find(({ stack }) => stack === name);
    if (one === undefined) throw new Error(`no answer for ${name}`);
    return one;
  };

  beforeAll(async () => {
    const { address, token } = server();
    const client = new ServiceClient({ address, token });
    closes.push(() => client.close());
    const { directory, namespaces } = await makeNamespaces(20, 10, server(), (close) =>
      closes.unshift(close),
    );
    const allowed = namespaces.filter((name) => name !== refused);
    const rules = allowed.map((name) => `path "${name}/*" { capabilities = ["read", "list", "sudo"] }`);
    await client.put('sys/policies/acl/most', { policy: rules.join('\n') });
    const { auth } = await client.post('auth/token/create', { policies: ['most'] });
    const repoint = (stack: string, to: string) => {
      const file = join(directory, `Pulumi.${stack}.yaml`);
      writeFileSync(file, readFileSync(file, 'utf8').replace(address, to));
    };
    let requests = 0;
    const proxy = await startProxy(address, async ({ incoming, pass }) => {
      const namespace = incoming.headers['x-vault-namespace'];
      if (namespace === slow) await sleep(1_500);
      else if (++requests === 12) await client.delete(`sys/namespaces/${vanishing}`);
      pass();
    });
    closes.unshift(() => proxy.close());
    for (const name of [slow, vanishing]) repoint(name, proxy.address);
    repoint(dead, 'http://127.0.0.1:1');
    const env = { ...process.env, VAULT_TOKEN: String(auth?.['client_token']) };
    found = await ofEach(await stacksMatching(directory, 'team-*'), 4, async (name) => {
      const stack = await openStack(directory, name, env);
      return await drift({ stack, env, unmanaged: false }).finally(() => ended.push(name));
    });
  }, 300_000);
  afterAll(async () => {
    for (const close of closes) await close();
  });

  test('every one is answered for, in order', () => {
    expect(found.map(({ stack }) => stack)).toEqual(
      Array.from({ length: 20 }, (_, at) => `team-${String(at + 1).padStart(3, '0')}`),
    );
  });

  test('those without trouble, and the slow one, have no drift', () => {
    const troubled: string[] = [dead, refused, vanishing];
    for (const one of found.filter(({ stack }) => !troubled.includes(stack)))
      expect(one).toMatchObject({ result: { differences: [], unverifiable: [], unmanaged: [] } });
  });

  test('the slow one holds up no other', () => {
    expect(ended.at(-1)).toBe(slow);
  });

  test('the dead one is said to be unreachable', () => {
    expect(of(dead)).toMatchObject({ problem: { code: 'service_unreachable' } });
  });

  test('the one that refuses is not known', () => {
    const one = of(refused);
    if ('problem' in one) expect(one.problem.code).toMatch(/^(token_refused|permission_denied)$/);
    else expect(one.result.unverifiable.length).toBeGreaterThan(0);
  });

  test('one that vanishes while it is read is never without drift', () => {
    const one = of(vanishing);
    if ('problem' in one) expect(one.problem.code).toMatch(/^(namespace_not_found|service_refused)$/);
    else expect(one.result.differences.length + one.result.unverifiable.length).toBeGreaterThan(0);
  });
});
