import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readEndpoints } from '../../src/serve/endpoints.ts';

const folder = temporaryFolder();
const file = (text: string) => {
  const path = join(folder, 'endpoints.yaml');
  writeFileSync(path, text);
  return path;
};
const env = { GATEHOUSE_RUN_TASK_KEY: 'a secret', OLD: 'an old secret' };

describe('the endpoints of gatehouse serve', () => {
  test('are one, review, without a file', async () => {
    expect(await readEndpoints(undefined, 'prod', env)).toEqual([
      { name: 'review', keys: ['a secret'], stack: 'prod' },
    ]);
  });

  test('have the keys of the variables that their file names', async () => {
    const path = file(
      'endpoints:\n  - { name: a, keys: [GATEHOUSE_RUN_TASK_KEY, OLD], failOn: warning }\n  - { name: b, keys: [], stack: dev }',
    );
    expect(await readEndpoints(path, undefined, env)).toEqual([
      { name: 'a', keys: ['a secret', 'an old secret'], failOn: 'warning' },
      { name: 'b', keys: [], stack: 'dev' },
    ]);
  });

  test('need their keys', async () => {
    await expect(readEndpoints(undefined, undefined, {})).rejects.toMatchObject({
      code: 'run_task_key_missing',
      parts: { given: 'GATEHOUSE_RUN_TASK_KEY' },
    });
  });

  test.each([
    ['no YAML', ': ['],
    ['two of one name', 'endpoints: [{ name: a, keys: [] }, { name: a, keys: [] }]'],
    ['a name that is no part of a path', 'endpoints: [{ name: a/b, keys: [] }]'],
    ['no keys', 'endpoints: [{ name: a }]'],
    ['none', 'endpoints: []'],
    ['another field', 'endpoints: [{ name: a, keys: [], url: x }]'],
  ])('refuse %s', async (_, text) => {
    await expect(readEndpoints(file(text), undefined, env)).rejects.toMatchObject({
      code: 'endpoints_invalid',
    });
  });

  test('refuse a file that is not there', async () => {
    await expect(readEndpoints(join(folder, 'none'), undefined, env)).rejects.toMatchObject({
      code: 'file_unreadable',
    });
  });
});
