import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { longTest } from '../../../../test/harness/long-run.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { HttpBrowser, textIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { projectFolder, runCommand, startCommand } from '../running-command.ts';

describeOnBothDatabases('gatehouse serve --watch', (databases) => {
  const closes: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close();
  });

  test('shows drift on a page, and that it is gone, without a key of run tasks', async () => {
    const service = await startEmbeddedService();
    closes.push(() => service.close());
    const client = new ServiceClient(service);
    closes.push(() => client.close());
    const rules = 'path "secret/shop" { capabilities = ["read"] }';
    const folder = projectFolder();
    for (const stack of ['prod', 'stage']) {
      writeFileSync(
        join(folder, `Pulumi.${stack}.yaml`),
        `config:\n  gatehouse:service: { address: '${service.address}' }\n  gatehouse:policies: [{ name: ${stack}, policy: '${rules}' }]\n`,
      );
    }
    await client.put('sys/policies/acl/stage', { policy: rules });
    const { url, home } = await databases.place();
    const env = {
      GATEHOUSE_HOME: home,
      VAULT_ADDR: service.address,
      VAULT_TOKEN: service.token,
      PATH: process.env['PATH'],
      ...(url && { DATABASE_URL: url }),
    };
    const { terminal, stop } = await startCommand(
      ['serve', '--port', '0', '--watch', '--every', '10s'],
      env,
      folder,
    );
    closes.push(stop);
    const [, address = ''] =
      /Watch\n {2}2 stacks {2}(http:\S+)\/ui\/watch\n/.exec(terminal.stdout.text) ?? [];
    const browser = new HttpBrowser(address);
    await browser.submit('/ui/sign-in', { token: service.token });
    const shown = async (path: string) => textIn((await browser.visit(path)).text);
    // Each stack is read on its own: the pages may show one before the other.
    await until(async () => /no drift/.test(await shown('/ui/watch')));
    await until(async () => /- policy prod is missing/.test(await shown('/ui/watch/gatehouse%2Fprod')));
    const page = await shown('/ui/watch/gatehouse%2Fprod');
    expect(page).toContain('1 of 1 differ');
    expect(page).toContain('not a git checkout');
    await client.put('sys/policies/acl/prod', { policy: rules });
    await until(async () =>
      /gone[\s\S]*policy prod is missing/.test(await shown('/ui/watch/gatehouse%2Fprod')),
    );
    expect(await shown('/ui/watch/gatehouse%2Fprod')).toContain('The service holds what the stack declares.');
    expect((await stop()).code).toBe(0);
    expect(terminal.stderr.text).not.toContain(service.token);
  });

  longTest.each<[string, string[], string]>([
    ['a pattern that matches nothing', ['--watch', 'prod-*'], 'stack_unknown'],
    ['a checkout that is no project', ['--watch', '--checkout', '/'], 'project_missing'],
    ['a time that is none', ['--watch', '--every', 'often'], 'argument_invalid'],
    ['a time that is too short', ['--watch', '--every', '1s'], 'argument_invalid'],
    ['an address that is none', ['--watch', '--notify', 'nowhere'], 'address_refused'],
    ['an address with a password', ['--watch', '--notify', 'https://a:b@example.com'], 'address_refused'],
    ['--notify alone', ['--notify', 'https://example.com'], 'option_conflict'],
  ])('with %s: one clear error', async (_, argv, code) => {
    const folder = projectFolder({ 'Pulumi.dev.yaml': 'config: {}\n' });
    const { url, home } = await databases.place();
    const env = { GATEHOUSE_HOME: home, ...(url && { DATABASE_URL: url }) };
    const ended = await runCommand(['serve', '--port', '0', ...argv], env, folder);
    expect(ended).toEqual({ code: 1, out: '', err: expect.stringMatching(new RegExp(`\\(${code}\\)\\n$`)) });
  });
});
