import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { started } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { openTestPlatform, sendTask } from '../../../../test/harness/test-platform.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { verificationToken } from '../../../core/src/run-task/payload.ts';
import { samplePayload } from '../../../core/test/run-task/sample-payload.ts';
import { listen } from '../../../host/src/listen.ts';
import { HttpBrowser } from '../../../secrets-service/test/ui/http-browser.ts';
import { runCommand, startCommand } from '../running-command.ts';

const key = 'the key of the test';
const folder = temporaryFolder();

/** The request by which a platform tries an endpoint out: signed, and no work. */
async function tryOut(url: string, signedWith = key): Promise<number> {
  return (await sendTask(url, samplePayload({ access_token: verificationToken }), { key: signedWith }))
    .status;
}

describeOnBothDatabases('gatehouse serve', (databases) => {
  let env: NodeJS.ProcessEnv;
  let serving: Awaited<ReturnType<typeof startCommand>> | undefined;
  const service = started(startEmbeddedService);
  beforeAll(async () => {
    const { url, home } = await databases.place();
    env = { GATEHOUSE_HOME: home, GATEHOUSE_RUN_TASK_KEY: key, ...(url && { DATABASE_URL: url }) };
  });
  afterEach(async () => {
    await serving?.stop();
    serving = undefined;
  });
  const serve = async (argv: string[] = [], variables: NodeJS.ProcessEnv = {}) => {
    serving = await startCommand(['serve', '--port', '0', ...argv], { ...env, ...variables }, folder);
    return serving;
  };

  /** A platform, too: where its pages are, and the service that knows the callers. */
  const servePlatform = async (argv: string[] = [], variables: NodeJS.ProcessEnv = {}) => {
    const { terminal, stop } = await serve(argv, { VAULT_ADDR: service().address, ...variables });
    const [, address = ''] = /Deployments\n {2}(http:\S+)\/ui\/\n$/.exec(terminal.stdout.text) ?? [];
    return { address, stop };
  };

  test('is an integrator: says where, takes what is signed, and ends with 0 when it is stopped', async () => {
    const { terminal, stop } = await serve();
    const [, url = ''] =
      /^Run tasks\n {2}(http:\/\/127\.0\.0\.1:\d+\/integrator\/review)\n/.exec(terminal.stdout.text) ?? [];
    expect(terminal.stdout.text).toContain('Deployments  none: VAULT_ADDR is not set');
    expect([await tryOut(url), await tryOut(url, 'another key')]).toEqual([200, 401]);
    expect((await fetch(new URL('/ready', url))).status).toBe(200);
    expect((await fetch(new URL('/ui/', url))).status).toBe(404);
    expect((await stop()).code).toBe(0);
    await expect(fetch(new URL('/health', url))).rejects.toThrow();
  });

  test('takes the address that a trusted proxy forwards', async () => {
    const proxies = ['--trusted-proxy', '127.0.0.1', '--trusted-proxy', '10.0.0.0/8'];
    const { address } = await servePlatform(proxies);
    const browser = new HttpBrowser(address);
    const form_token = await browser.formToken();
    const guess = async (token: string, from: string) => {
      const headers = { 'x-forwarded-for': `1.2.3.4, ${from}` };
      const body = new URLSearchParams({ form_token, token });
      return (await browser.send('/ui/sign-in', { method: 'POST', headers, body })).status;
    };
    for (let count = 0; count < 100; count += 1) await guess(`token-${count}`, '203.0.113.9');
    expect(await guess('token', '203.0.113.9')).toBe(429);
    expect(await guess('token', '203.0.113.10')).toBe(403);
  });

  test('offers the issuer of --sign-in', async () => {
    const file = join(folder, 'sign-in.yaml');
    const client = { clientId: 'gatehouse', clientSecret: 'SECRET' };
    const groups = { admins: ['gatehouse-deploy'] };
    writeFileSync(file, JSON.stringify({ issuer: 'https://id.example.com', ...client, groups }));
    const { address } = await servePlatform(['--sign-in', file], { SECRET: 'a secret' });
    const page = await (await fetch(`${address}/ui/sign-in`)).text();
    expect(page).toContain('<span class="method-name">id.example.com</span>');
  });

  test('is a platform with pages, too, where VAULT_ADDR names who knows the callers', async () => {
    const { address, stop } = await servePlatform();
    const runs = (token: string) =>
      fetch(`${address}/runs`, { headers: { authorization: `Bearer ${token}` } });
    expect([(await runs(service().token)).status, (await runs('nobody')).status]).toEqual([200, 401]);
    expect(await (await fetch(`${address}/ui/`)).text()).toContain('<html');
    expect((await stop()).code).toBe(0);
  });

  test('prints the same as JSON with --json', async () => {
    const { terminal } = await serve(['--json'], { VAULT_ADDR: 'http://127.0.0.1:1' });
    const { address, ...rest } = JSON.parse(terminal.stdout.text);
    expect(rest).toEqual({ endpoints: [`${address}/integrator/review`], isPlatform: true });
  });

  test('logs to standard error, a JSON object a line, with no key and no token', async () => {
    const { terminal } = await serve(['--json']);
    await tryOut(JSON.parse(terminal.stdout.text).endpoints[0]);
    const { err } = (await serving?.stop()) ?? { err: '' };
    const lines = err.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(
      expect.arrayContaining(['serving', 'answered']),
    );
    expect(err).not.toContain(key);
    expect(err).not.toContain(verificationToken);
  });

  test('serves the endpoints of a file, each with its own keys', async () => {
    const file = join(folder, 'endpoints.yaml');
    writeFileSync(file, 'endpoints: [{ name: a, keys: [OLD, NEW] }, { name: b, keys: [] }]');
    const { terminal } = await serve(['--json', '--endpoints', 'endpoints.yaml'], { OLD: 'old', NEW: 'new' });
    const [a, b] = JSON.parse(terminal.stdout.text).endpoints;
    expect([await tryOut(a, 'old'), await tryOut(a, 'new'), await tryOut(a)]).toEqual([200, 200, 401]);
    expect(await tryOut(b, '')).toBe(200);
  });

  test('without pages, links its results to the address that others know', async () => {
    const platform = await openTestPlatform();
    const { terminal } = await serve([
      '--json',
      '--public-url',
      'https://gatehouse.example.com/',
      '--allow-origin',
      platform.address,
    ]);
    const { endpoints, address } = JSON.parse(terminal.stdout.text);
    const task = platform.newTask({ stage: 'pre_plan' });
    await sendTask(endpoints[0], task.payload, { key });
    await until(async () => task.finals.length > 0);
    await platform.close();
    expect(task.finals).toMatchObject([{ status: 'passed', url: 'https://gatehouse.example.com' }]);
    expect(await (await fetch(`${address}/`)).text()).toMatch(/^Gatehouse reviews run tasks here/);
  });

  test('says that a port is taken, and lets go of its store', async () => {
    const taken = createServer();
    const port = await listen(taken, 0);
    const { code, out, err } = await runCommand(['serve', '--port', `${port}`], env, folder);
    taken.close();
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`port ${port}`);
    expect(err).toMatch(/\(port_in_use\)\n$/);
    await serve();
  });

  test('says that VAULT_ADDR is no address, and lets go of its store', async () => {
    const wrong = { ...env, VAULT_ADDR: 'secrets.example.com' };
    const { code, err } = await runCommand(['serve', '--port', '0'], wrong, folder);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/\(address_invalid\)\n$/) });
    await serve();
  });

  if (databases.kind === 'pglite') {
    test('says that another process has its folder', async () => {
      await serve();
      const { code, err } = await runCommand(['serve', '--port', '0'], env, folder);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/\(database_locked\)\n$/) });
    });
  }
});
