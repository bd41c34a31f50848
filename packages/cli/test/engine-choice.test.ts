import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { chooseEngine, isPulumiInstalled, openEngine } from '../src/open/engines.ts';
import { stackNamed } from './fake-engine.ts';

const at = (address: string) => stackNamed('dev', { 'gatehouse:service': JSON.stringify({ address }) });
const shared = at('https://secrets.example.com:8200');

describe('chooseEngine', () => {
  test.each([
    ['http://127.0.0.1:8200'],
    ['http://127.9.9.9'],
    ['https://localhost:8200'],
    ['http://vault.localhost'],
    ['http://[::1]:8200'],
  ])('takes the local engine for a service at %s', (address) => {
    expect(chooseEngine(undefined, at(address), {}, true)).toEqual({ kind: 'local' });
  });

  test.each([['https://secrets.example.com:8200'], ['http://10.0.0.1'], ['http://127.0.0.1.example.com']])(
    'takes the Pulumi CLI for a service at %s',
    (address) => {
      expect(chooseEngine(undefined, at(address), {}, true)).toEqual({ kind: 'pulumi' });
    },
  );

  test('says so plainly when a shared service gets the local engine', () => {
    const { kind, warning } = chooseEngine(undefined, shared, {}, false);
    expect(kind).toBe('local');
    expect(warning).toContain('https://secrets.example.com:8200');
  });

  test.each([
    [stackNamed('dev')],
    [stackNamed('dev', { 'gatehouse:service': '{"address":7}' })],
    [at('nonsense')],
  ])(
    'takes the local engine where the address is not to be had, and leaves the complaint to the program',
    (stack) => {
      expect(chooseEngine(undefined, stack, {}, true)).toEqual({ kind: 'local' });
    },
  );

  test('goes by the address that the environment variable gives', () => {
    const env = { GATEHOUSE_SERVICE_ADDRESS: 'http://127.0.0.1:18200' };
    expect(chooseEngine(undefined, shared, env, true)).toEqual({ kind: 'local' });
  });

  test('does as it is told', () => {
    expect(chooseEngine('local', shared, {}, true)).toEqual({ kind: 'local' });
  });

  test('refuses the Pulumi CLI where it is not', () => {
    expect(() => chooseEngine('pulumi', shared, {}, false)).toThrow(
      expect.objectContaining({ code: 'pulumi_not_found' }),
    );
  });
});

test('another plugin is for the Pulumi CLI alone', async () => {
  await expect(openEngine({ engine: 'local', plugin: 'embedded' }, shared, {})).rejects.toMatchObject({
    code: 'option_conflict',
  });
});

describe('isPulumiInstalled', () => {
  test('looks for an executable on PATH', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'pulumi');
    writeFileSync(file, '');
    const before = isPulumiInstalled({ PATH: folder });
    chmodSync(file, 0o755);
    const after = isPulumiInstalled({ PATH: `/nowhere:${folder}` });
    expect([before, after]).toEqual([false, true]);
  });
});
