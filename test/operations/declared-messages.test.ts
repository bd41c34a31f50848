import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { developmentPassphrase } from '../../operations/dev/dev.ts';
import { declaredMessages } from '../../operations/dev/messages.ts';
import { root } from '../harness/environment-under-test.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const directory = temporaryFolder();
const stackFile = join(directory, 'Pulumi.dev.yaml');
for (const file of ['Pulumi.yaml', 'Pulumi.dev.yaml', 'policies']) {
  cpSync(join(root, file), join(directory, file), { recursive: true });
}

test('the titles that the dev stack declares follow its file, and stay while it is invalid', async () => {
  const declared = declaredMessages(
    { directory, name: 'dev' },
    { PULUMI_CONFIG_PASSPHRASE: developmentPassphrase },
  );
  const text = readFileSync(stackFile, 'utf8');
  expect(await declared('')).toContain('Migration');
  expect(await declared('team')).toEqual(new Set());
  writeFileSync(stackFile, text.replace('title: Migration', 'title: Move'));
  expect([...(await declared(''))]).toEqual(expect.arrayContaining(['Move']));
  writeFileSync(stackFile, `${text}\n: [`);
  expect([...(await declared(''))]).toEqual(expect.arrayContaining(['Move']));
});
