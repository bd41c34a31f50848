import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { clusterStack } from '../cluster-stack.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const stack = clusterStack({
  roles: { web: 'shop, elsewhere' },
  policy: 'path "kv/shop/*" { capabilities = ["read"] }',
});

describe('gatehouse report --access', () => {
  const folder = projectFolder({ 'Pulumi.one.yaml': stack, 'wrong.csv': 'a,b\r\n' });
  const report = (...args: string[]) => runCommand(['report', '-s', 'one', ...args], {}, folder);

  test('prints CSV, and how many rows there are beside it', async () => {
    const { code, out, err } = await report('--access');
    expect(code).toBe(0);
    expect(out).toMatch(/^status,kind,who,/);
    expect(out).toContain('new,role,role cluster/web');
    expect(out).toContain('not read,what policy elsewhere gives role cluster/web');
    expect(err).toMatch(
      /^\d+ rows: \d+ new, 0 changed, 0 same, 0 gone\.\n\d+ of them say what was not read\./,
    );
    expect(err).toContain('No logs were given');
  });

  test('keeps the decisions of an earlier report', async () => {
    const file = join(folder, 'first.csv');
    writeFileSync(
      file,
      (await report('--access')).out.replace(/(new,role,.*?)(,,)(,sha256:[0-9a-f]{16},)/, '$1,,keep$3'),
    );
    expect(readFileSync(file, 'utf8')).toContain('keep');
    const { rows } = JSON.parse((await report('--access', '--json', '--since-report', 'first.csv')).out);
    expect(rows.filter(({ decision }: { decision: string }) => decision === 'keep')).toMatchObject([
      { status: 'same', kind: 'role', pattern: 'kv/shop/*' },
    ]);
  });

  test('needs to know which report, and files that can be read', async () => {
    expect(await report()).toMatchObject(failed('option_missing'));
    expect(await report('--access', '--since-report', 'none')).toMatchObject(failed('file_unreadable'));
    expect(await report('--access', '--since-report', 'wrong.csv')).toMatchObject(
      failed('report_unreadable'),
    );
    expect(await report('--access', 'none.log')).toMatchObject(failed('log_unreadable'));
  });
});
