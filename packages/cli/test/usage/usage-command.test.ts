import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { auditLine, signInLine } from '../../../core/test/usage/log-lines.ts';
import { clusterStack } from '../cluster-stack.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const stack = clusterStack({
  roles: { web: 'shop', job: 'shop' },
  policy: '# What the shop needs.\npath "kv/shop/*" { capabilities = ["read", "delete"] }\n',
});
const web = { name: 'cluster-web', role: 'web', entity: 'e1', token: ['default', 'shop'] };
const ann = { name: 'people-ann', role: 'ann', entity: 'e2', token: ['default'] };
const lines = [
  signInLine('cluster', web),
  auditLine({ at: 60, by: web, path: 'kv/shop/a', mount: 'kv/' }),
  auditLine({ at: 120, by: web, path: 'kv/other/ann', mount: 'kv/', allowed: false }),
  signInLine('people', ann, { at: 130 }),
  auditLine({ at: 140, by: ann, path: 'kv/home/ann', mount: 'kv/', allowed: false }),
].join('\n');

describe('gatehouse usage', () => {
  const folder = projectFolder({
    'Pulumi.one.yaml': stack,
    'audit.log': `${lines}\n`,
    'clear.log': `${lines.replaceAll('hmac-sha256:of ', 'hvs.CAESII')}\n`,
    'other.log': '<json:object name="auth">\n',
  });
  const gatehouse = (...argv: string[]) => runCommand(['usage', ...argv, '-s', 'one'], {}, folder);

  test('says who signed in, what no one used, and what was refused', async () => {
    const { code, out } = await gatehouse('audit.log');
    expect(code).toBe(0);
    expect(out).toContain('2026-11-01 to 2026-11-01, 1 day: 3 requests, 2 sign-ins.');
    expect(out).toMatch(/role cluster\/web +1 sign-in +1 person or job +last 2026-11-01/);
    expect(out).toMatch(/older than 2026-11-01, or made after 2026-11-01 +role cluster\/job/);
    expect(out).toMatch(/role cluster\/web +read kv\/other\/ann +1 of 1 +request id-120/);
    expect(out).toContain('1 day of logs: too short to call a grant unused.');
  });

  test('names no one with --hash-people', async () => {
    for (const flags of [[], ['--json']]) {
      const { out } = await gatehouse('audit.log', '--hash-people', ...flags);
      expect(out).toContain('kv/other/person-');
      expect(out).not.toMatch(/\bann\b/);
    }
  });

  test('has what the log does not say as data and in words, as JSON', async () => {
    const by = { ...web, token: ['elsewhere'] };
    writeFileSync(join(folder, 'unknown.log'), `${lines}\n${auditLine({ at: 150, by })}\n`);
    const { out } = await gatehouse('unknown.log', '--json');
    const missing = { kind: 'policy-text', policy: 'elsewhere', words: 'what policy elsewhere allows' };
    expect(JSON.parse(out)).toMatchObject({
      answers: { unknown: [{ missing, count: 1 }] },
      untold: [{ kind: 'undeclared-roles', count: 1, words: expect.stringContaining('not declared here') }],
    });
  });

  test('reads what is packed, and counts only what is young enough', async () => {
    writeFileSync(
      join(folder, 'audit.log.1.gz'),
      gzipSync(`${lines.replaceAll('"id":"id-', '"id":"old-')}\n`),
    );
    const { out } = await gatehouse('audit.log.1.gz', 'audit.log', '--json');
    expect(JSON.parse(out)).toMatchObject({ lines: 10, signIns: 4 });
    const young = await gatehouse('audit.log', '--since', '1m');
    expect(young.out).toBe('No entries in 5 lines.\n');
  });

  test('makes a policy smaller with --refine', async () => {
    const { code, out } = await gatehouse('audit.log', '--refine', 'shop');
    expect(code).toBe(0);
    expect(out).toContain('-path "kv/shop/*" { capabilities = ["read", "delete"] }');
    expect(out).toContain('+path "kv/shop/*" { capabilities = ["read"] }');
    const kept = await gatehouse('audit.log', '--refine', 'shop', '--floor', 'delete', '--json');
    const why = [{ kind: 'floor', capability: 'delete', words: 'the floor has delete' }];
    expect(JSON.parse(kept.out).policies).toMatchObject([{ kept: [{ pattern: 'kv/shop/*', why }] }]);
  });

  test('takes --floor with --refine alone', async () => {
    expect(await gatehouse('audit.log', '--floor', 'sudo')).toMatchObject(failed('option_conflict'));
  });

  test('keeps nothing of a log with tokens in clear', async () => {
    const ended = await gatehouse('clear.log');
    expect(ended).toMatchObject(failed('log_in_clear'));
    expect(ended.err).not.toContain('hvs.');
  });

  test.each([
    ['missing.log', 'log_unreadable'],
    ['other.log', 'log_other_format'],
  ])('says of %s: %s', async (file, code) => {
    expect(await gatehouse(file)).toMatchObject(failed(code));
  });
});
