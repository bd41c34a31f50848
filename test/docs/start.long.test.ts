import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../harness/environment-under-test.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { blocksOf } from './markdown.ts';

const bin = join(root, 'packages/cli/gatehouse.mjs');
const folder = temporaryFolder();

describe('npm start -- --exit', () => {
  const plain = (text: string) => text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:…');

  test('prints what the README shows', () => {
    // A home of its own: a start that is running already must not be in the way, and this is the first one.
    const env = { ...process.env, GATEHOUSE_HOME: folder, NODE_OPTIONS: '' };
    const ports = ['--port', '0', '--identity-port', '0', '--run-task-port', '0'];
    const started = ['dev', '--exit', ...ports, '--cwd', root];
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...started], {
      env,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const shown = blocksOf('README.md').find(({ info }) => info === 'text dev');
    expect(plain(stdout)).toBe(plain(shown?.text ?? ''));
  });
});
