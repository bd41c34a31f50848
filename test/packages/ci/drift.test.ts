import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../harness/embedded-service.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { HostDouble } from './host-double.ts';
import { hosts } from './hosts.ts';

/** A stack that declares one policy, and its service. */
let service: Awaited<ReturnType<typeof startEmbeddedService>>;
const folder = temporaryFolder();
const declared = 'path "secret/data/*" { capabilities = ["read"] }';

beforeAll(async () => {
  service = await startEmbeddedService();
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: sign-in\nruntime: nodejs\n');
  writeFileSync(
    join(folder, 'Pulumi.live.yaml'),
    JSON.stringify({
      config: {
        'gatehouse:service': { address: service.address, features: { messages: false } },
        'gatehouse:providers': [],
        'gatehouse:policies': [{ name: 'reading', policy: declared }],
      },
    }),
  );
});
afterAll(async () => {
  await service.close();
});

async function live(policy: string): Promise<void> {
  const response = await fetch(`${service.address}/v1/sys/policies/acl/reading`, {
    method: 'PUT',
    headers: { 'x-vault-token': service.token, 'content-type': 'application/json' },
    body: JSON.stringify({ policy }),
  });
  expect(response.ok).toBe(true);
}

describe.each(hosts)('drift at $name', ({ main, token, account, variables }) => {
  test('opens one issue, which stays one, and is closed when it is over', async () => {
    const host = new HostDouble();
    await host.start();
    host.accounts.set(token, account);
    const drift = async (run: number) => {
      const said: string[] = [];
      const env = { PATH: process.env['PATH'], VAULT_TOKEN: service.token, ...variables(host, folder, run) };
      const argv = ['drift', '--stack', 'live', '--folder', folder];
      return { code: await main(argv, env, (line) => said.push(line)), said: said.join('\n') };
    };
    const seen = () => host.issues.map(({ title, isOpen }) => ({ title, isOpen }));

    await live('path "*" { capabilities = ["sudo"] }');
    expect(await drift(1)).toEqual({ code: 2, said: 'Issue: made.' });
    expect(await drift(2)).toEqual({ code: 2, said: 'Issue: updated.' });
    expect(seen()).toEqual([{ title: 'Sign-in drift: live', isOpen: true }]);
    expect(host.issues[0]?.body).toContain('policy reading  text: not as declared');
    expect(host.issues[0]?.body).toContain('+ path "*"');

    await live(declared);
    expect(await drift(3)).toEqual({ code: 0, said: 'No drift. Issues closed: 1.' });
    expect(await drift(4)).toEqual({ code: 0, said: 'No drift. Issues closed: 0.' });
    expect(seen()).toEqual([{ title: 'Sign-in drift: live', isOpen: false }]);

    await live('path "*" { capabilities = ["sudo"] }');
    expect((await drift(5)).said).toBe('Issue: made.');
    expect(seen()).toHaveLength(2);
    await host.close();
  });
});
