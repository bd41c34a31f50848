import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { openBrowser } from '../src/open/login.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const url = new URL('https://id.example/auth?a=1&b=$(touch x);`touch y`\'"');

test.each([
  ['linux', 'xdg-open', []],
  ['freebsd', 'xdg-open', []],
  ['darwin', 'open', []],
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler']],
] as const)('on %s it is %s that opens a URL, and no shell sees it', async (platform, command, before) => {
  const received = join(folder, 'told');
  writeFileSync(
    join(folder, command),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${received}.new'\n/bin/mv '${received}.new' '${received}'\n`,
  );
  chmodSync(join(folder, command), 0o755);
  openBrowser(url, { PATH: folder }, platform);
  while (!existsSync(received)) await sleep(10);
  expect(readFileSync(received, 'utf8').trim().split('\n')).toEqual([...before, url.href]);
});

test('where nothing opens URLs, nothing happens', async () => {
  openBrowser(url, { PATH: folder }, 'linux');
  // The failure comes later, as an event that ends the process where nothing listens to it.
  await sleep(50);
});
