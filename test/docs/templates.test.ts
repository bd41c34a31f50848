import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { passphrase, root } from '../harness/environment-under-test.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { blocksOf } from './markdown.ts';

const folder = temporaryFolder();
const blocks = blocksOf('docs/templates.md');
const example = join(root, 'examples/teams/Pulumi.teams.yaml');
const asked = ['who-can', 'update', 'secret/data/shop/*', '-s', 'teams'];

/** What the page asks of its example, whose text may be changed. */
function ask(change: (text: string) => string = (text) => text) {
  copyFileSync(join(root, 'Pulumi.yaml'), join(folder, 'Pulumi.yaml'));
  writeFileSync(join(folder, 'Pulumi.teams.yaml'), change(readFileSync(example, 'utf8')));
  const env = { PATH: process.env['PATH'], PULUMI_CONFIG_PASSPHRASE: passphrase };
  const command = [join(root, 'packages/cli/gatehouse.mjs'), ...asked];
  return spawnSync(process.execPath, command, { cwd: folder, env, encoding: 'utf8' });
}

test('docs/templates.md shows its example as it is', () => {
  const shown = parse(blocks.find(({ info }) => info === 'yaml environment')?.text ?? '').config;
  const { config } = parse(readFileSync(example, 'utf8'));
  expect({ ...shown, 'gatehouse:clientSecrets': {} }).toEqual({ ...config, 'gatehouse:clientSecrets': {} });
});

test('docs/templates.md has the answer that its command gives', () => {
  expect(blocks.find(({ info }) => info === 'sh')?.text).toContain(
    "npx gatehouse who-can update 'secret/data/shop/*' -s teams",
  );
  const { stdout, status } = ask();
  expect({ stdout: stdout.trim(), status }).toEqual({
    stdout: blocks.find(({ info }) => info === 'text')?.text.trim(),
    status: 0,
  });
});

test('docs/templates.md has the problem of two uses with one name', () => {
  const { stderr, status } = ask((text) => text.replace('name: pay,', 'name: shop,'));
  expect(status).toBe(1);
  expect(stderr).toContain(blocks.filter(({ info }) => info === 'text')[1]?.text.trim());
});
