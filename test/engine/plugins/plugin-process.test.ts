// Follows pulumi/pulumi sdk/go/common/resource/plugin/plugin.go.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startPlugin } from '../../../engine/plugins/plugin-process.ts';

const engineAddress = '127.0.0.1:1';

describe('a program that says its port', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-plugins-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const start = (script: string) => {
    const binary = join(folder, 'plugin');
    writeFileSync(binary, `#!/bin/sh\n${script}\n`);
    chmodSync(binary, 0o755);
    return startPlugin(binary, { args: [engineAddress], env: { PATH: folder } });
  };
  /** It notes its argument and its pid. */
  const running = () =>
    `echo "$1 $$" > ${folder}/started; echo 4711; while :; do /bin/sleep 0.05 & wait; done`;
  const noted = () => readFileSync(join(folder, 'started'), 'utf8').trim().split(' ');
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test('gets the address of the engine and ends when closed', async () => {
    const { port, stop } = await start(running());
    const [address, pid] = noted();
    await stop();
    expect([port, address]).toEqual([4711, engineAddress]);
    expect(isAlive(Number(pid))).toBe(false);
  });

  test('is killed when it does not end by itself', async () => {
    const { stop } = await start(`trap '' TERM; ${running()}`);
    const [, pid] = noted();
    await stop();
    expect(isAlive(Number(pid))).toBe(false);
  });

  test.each([
    ['ends at once', 'echo it is broken >&2; exit 3', 'exit code 3'],
    ['prints something else than a port', 'echo hello', 'not a port'],
  ])('that %s is an error', async (_, script, message) => {
    await expect(start(script)).rejects.toMatchObject({
      code: 'plugin_start_failed',
      message: expect.stringContaining(message),
    });
  });

  test('that ends at once is quoted', async () => {
    await expect(start('echo it is broken >&2; exit 3')).rejects.toThrow('it is broken');
  });
});
