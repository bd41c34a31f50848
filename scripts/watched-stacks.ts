// Five watched stacks for a picture: one that cannot be read, two with drift, by one of which people gain, two without.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dev } from '../packages/cli/src/dev/dev.ts';
import { watchedDrift } from '../packages/cli/src/drift/drift-text.ts';
import { type Served, serve } from '../packages/cli/src/serve/serve.ts';
import { ServiceClient } from '../packages/service-client/src/service-client.ts';

/** Serves the pages of a watch over a clone, in which it commits the stacks. Resolves once each was read. */
export async function serveWatched(
  clone: string,
  home: string,
  { address, token, variables }: Pick<Dev, 'address' | 'token' | 'variables'>,
): Promise<Served> {
  const rules = 'path "secret/data/shop/*" { capabilities = ["read"] }';
  const stacks = { 'prod-eu': 'shop', 'prod-us': 'shop', stage: 'shop-stage', tools: 'shop' };
  for (const [stack, policy] of Object.entries(stacks)) {
    const service =
      stack === 'tools' ? `{ address: '${address}', namespace: tools }` : `{ address: '${address}' }`;
    writeFileSync(
      join(clone, `Pulumi.${stack}.yaml`),
      `config:\n  gatehouse:service: ${service}\n  gatehouse:policies: [{ name: ${policy}, policy: '${rules}' }]\n`,
    );
  }
  const git = (...args: string[]) => execFileSync('git', ['-C', clone, ...args]);
  git('add', '.');
  git('-c', 'user.name=Gatehouse', '-c', 'user.email=gatehouse@example.com', 'commit', '-qm', 'Stacks');
  const patterns = [...Object.keys(stacks), 'dev'];
  const client = new ServiceClient({ address, token });
  await client.put('sys/policies/acl/shop', { policy: rules });
  // Someone gives more by hand than the stack `dev` declares, which is applied.
  const declared = readFileSync(join(clone, 'policies/secrets-read.hcl'), 'utf8');
  await client.put('sys/policies/acl/secrets-read', {
    policy: declared.replace('["read"]', '["create", "read", "update"]'),
  });
  client.close();
  const served = await serve({
    directory: clone,
    home,
    endpoints: [],
    port: 0,
    host: '127.0.0.1',
    version: '0.1.0',
    env: { ...process.env, ...variables, VAULT_ADDR: address, GATEHOUSE_HOME: home },
    logTo: { write: () => {} },
    watch: {
      checkout: clone,
      patterns,
      everySeconds: 300,
      unmanaged: false,
      describe: watchedDrift,
    },
  });
  const isRead = async () => {
    const text = await (await fetch(`${served.address}/metrics`)).text();
    const counts = [...text.matchAll(/^gatehouse_watch_readings_total\{.*\} (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0) >= patterns.length;
  };
  while (!(await isRead())) await new Promise((resolve) => setTimeout(resolve, 200));
  return served;
}
