import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { drift } from '../../packages/cli/src/drift/drift.ts';
import { whoCan } from '../../packages/cli/src/who-can/who-can.ts';
import { environmentFor, root } from '../harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';

describeOnEmbeddedService('examples/namespaces', (service) => {
  const environment = environmentFor(service);
  let keys: Record<string, unknown>;
  beforeAll(async () => {
    const text = await readFile(join(root, 'examples/namespaces/Pulumi.namespaces.yaml'), 'utf8');
    keys = parse(text).config;
  });

  const stack = () =>
    environment().stack((config) => {
      for (const key of Object.keys(config)) delete config[key];
      for (const [key, value] of Object.entries(keys)) config[key.slice('gatehouse:'.length)] = value;
    });

  test('is applied to three namespaces, and is then as declared', async () => {
    await environment().up(stack());
    const created = (await environment().client.list('sys/namespaces'))?.data['keys'];
    expect(created).toEqual(['bank/', 'pay/', 'shop/']);
    const report = await drift({ stack: stack(), env: environment().env, unmanaged: true });
    expect(report).toMatchObject({ differences: [], unmanaged: [], unverifiable: [] });
  });

  test('lets auditors into one of them alone', async () => {
    const source = { from: 'live', stack: stack(), env: environment().env } as const;
    const question = { capability: 'list', path: 'secret/metadata/db' };
    const { abilities } = await whoCan(question, source, BigInt(Date.now()) * 1_000_000n);
    expect(abilities.map(({ by, namespace }) => [by.name, namespace])).toEqual([['auditor', 'bank']]);
  });
});
