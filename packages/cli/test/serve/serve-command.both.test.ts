import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { someOf } from '../../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { runCommand, wordsOf } from '../running-command.ts';

const key = 'the key of the test';
const folder = temporaryFolder();

describe('gatehouse serve, as it should not be called', () => {
  const env = { GATEHOUSE_HOME: folder, GATEHOUSE_RUN_TASK_KEY: key };

  test.each([
    ['without a key', { GATEHOUSE_RUN_TASK_KEY: '' }, '', 'run_task_key_missing'],
    ['with endpoints that are none', {}, '--endpoints wrong.yaml', 'endpoints_invalid'],
    ['with endpoints that are not there', {}, '--endpoints no.yaml', 'file_unreadable'],
    [
      'without its database',
      { DATABASE_URL: 'postgres://me:pass-word@127.0.0.1:1/x' },
      '',
      'database_unreachable',
    ],
    ['with an address that is none', { GATEHOUSE_PLATFORM_ADDRESS: 'platform' }, '', 'address_invalid'],
  ])('%s: one clear error', async (_, variables, line, code) => {
    writeFileSync(join(folder, 'wrong.yaml'), 'endpoints: [{ name: a/b, keys: [] }]');
    const ended = await runCommand(wordsOf(`serve --port 0 ${line}`), { ...env, ...variables }, folder);
    expect(ended).toEqual({ code: 1, out: '', err: expect.stringMatching(new RegExp(`\\(${code}\\)\\n$`)) });
    expect(ended.err).not.toContain('pass-word');
  });

  const proxies = wordsOf('proxy 0.0.0.0/0 ::/0 10.0.0.0/33 10.0.0.0/7 10.0.0.0/ loopback fe80::1%eth0');
  test.each<string[]>([
    ['--allow-origin platform', 'must be http:// or https:// and a host'],
    ['--port x', 'must be a whole number from 0 to 65535'],
    ...proxies.map((proxy) => [`--trusted-proxy ${proxy}`, 'must be an IP address, or a range']),
  ])('with %s: says what one is', async (line, message) => {
    const { code, err } = await runCommand(wordsOf(`serve ${line}`), env, folder);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) });
  });
});

describe('gatehouse serve, in a process of its own', () => {
  test.each(someOf<NodeJS.Signals>(2, ['SIGINT', 'SIGTERM']))(
    'ends with 0 at %s, and writes nothing but its log',
    async (signal) => {
      const home = mkdtempSync(join(folder, 'home-'));
      const env = { GATEHOUSE_HOME: home, GATEHOUSE_RUN_TASK_KEY: key };
      const argv = [join(root, 'packages/cli/gatehouse.mjs'), 'serve', '--port', '0', '--json'];
      const child = spawn(process.execPath, argv, { env, cwd: folder });
      const [err, exit] = [text(child.stderr), once(child, 'exit')];
      const [first] = await once(child.stdout, 'data');
      expect(JSON.parse(String(first))).toMatchObject({ isPlatform: false });
      child.kill(signal);
      expect(await exit).toEqual([0, null]);
      // A warning of Node or of a library is no line of the log.
      for (const line of (await err).trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
    },
  );
});
