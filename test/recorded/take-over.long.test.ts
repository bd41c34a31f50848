import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LocalEngine } from '../../engine/local/local-engine.ts';
import { resourceFromJson } from '../../engine/resource-state.ts';
import { readStack } from '../../engine/stack-files/read-stack.ts';
import { MemoryStateStore } from '../engine/local/memory-state-store.ts';
import { changes, passphrase, root } from '../harness/environment-under-test.ts';
import { type JsonObject, recordedState } from './recorded.ts';
import { startServiceOfThen } from './service-of-then.ts';

let service: Awaited<ReturnType<typeof startServiceOfThen>>;
let home: string;
beforeAll(async () => {
  service = await startServiceOfThen();
  home = await mkdtemp(join(tmpdir(), 'gatehouse-take-over-'));
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await service.close();
});

test('today’s program takes over what a real engine left: nothing is made anew or replaced', async () => {
  const store = new MemoryStateStore();
  for (const resource of groupsBelowProviders(recordedState())) {
    // The secrets of the dev stack are all the same.
    const row = resourceFromJson(service.names.renewed(resource), () => '"gatehouse-development-only"');
    store.record({ put: [row] });
  }
  const { addresses, token } = service;
  const env = {
    ...process.env,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    VAULT_TOKEN: token,
    GATEHOUSE_SERVICE_ADDRESS: addresses.service,
    GATEHOUSE_IDENTITY_ADDRESS: addresses.identity,
  };
  const dev = await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: passphrase });
  const key = 'gatehouse:providers';
  const providers = JSON.parse(dev.config.get(key)?.value ?? '[]');
  // As it was after `up-remount`.
  providers.find(({ name }: { name: string }) => name === 'cluster').path = 'kubernetes';
  const config = new Map([...dev.config, [key, { value: JSON.stringify(providers), secret: false }]]);
  const result = await new LocalEngine({ env, openStore: () => store }).run({
    ...{ verb: 'preview', stack: { ...dev, home, config }, dryRun: true, refresh: false, targets: [] },
  });
  // Fields whose declaration has changed since are updated.
  expect([result.succeeded, changes(result).filter((change) => !change.startsWith('update '))]).toEqual([
    true,
    [],
  ]);
}, 60_000);

/** The program that was recorded had a component around each group. */
function groupsBelowProviders(resources: JsonObject[]): JsonObject[] {
  const isAround = ({ type }: JsonObject) => type === 'gatehouse:index:ExternalGroup';
  const inText = resources
    .filter(isAround)
    .reduce(
      (text, { urn, parent }) => text.replaceAll(JSON.stringify(urn), JSON.stringify(parent)),
      JSON.stringify(resources.filter((one) => !isAround(one))),
    );
  const names: Record<string, string> = {
    'community-maintainers-alias': 'community-admins-groupalias',
    'staff-staff-admins-alias': 'staff-00000000-0000-0000-c000-000000000046-groupalias',
  };
  return JSON.parse(
    Object.entries(names).reduce(
      (text, [then, now]) => text.replaceAll(`::${then}"`, `::${now}"`),
      inText.replaceAll('$gatehouse:index:ExternalGroup$', '$'),
    ),
  );
}
