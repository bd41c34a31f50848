import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { NewRepository } from '../../../../test/harness/new-repository.ts';
import { failed, runCommand } from '../running-command.ts';

const env = { PATH: process.env['PATH'] };
const repository = new NewRepository();
const { folder } = repository;

/** Without a token, and without the passphrase. */
async function review(...options: string[]) {
  const { code, out, err } = await runCommand(['review', '-s', 'dev', '--json', ...options], env, folder);
  return { code, err, report: out === '' ? undefined : JSON.parse(out) };
}

describe('gatehouse review --since', () => {
  longTest('finds nothing where nothing changed', async () => {
    const { code, report } = await review('--since', 'HEAD');
    expect(code).toBe(0);
    expect(report).toMatchObject({ gains: 'none', losses: 'none', findings: [], resources: { changed: 0 } });
  });

  longTest('says what it is compared with where something changed', async () => {
    const notesOf = async () =>
      (await runCommand(['review', '-s', 'dev', '--since', 'HEAD'], env, folder)).out;
    expect(await notesOf()).not.toContain('Compared with');
    repository.change('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
    expect(await notesOf()).toContain('Compared with what the stack declared at HEAD');
    repository.change('reader, policies: [secrets-admin]', 'reader, policies: [secrets-read]');
  });

  test('judges what a change of the stack file gives, and ends with 2 for an error', async () => {
    repository.change('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
    const { code, report } = await review('--since', 'HEAD');
    expect(code).toBe(2);
    expect(report).toMatchObject({ gains: 'some', losses: 'none', resources: { changed: 1 } });
    expect(report.findings.map(({ rule }: { rule: string }) => rule)).toContain('everyone-gains');
  });

  longTest('judges a change of a policy in its file', async () => {
    repository.change('["read"]', '["read", "delete"]', 'policies/secrets-read.hcl');
    const { report } = await review('--since', 'HEAD');
    expect(report.access[0].paths[0]).toMatchObject({ path: 'secret/data/*', gained: ['delete'] });
  });

  longTest('tells a client secret that is another one by its ciphertext', async () => {
    repository.change('v1:EUXRozKQBETy3pbM:', 'v1:AAAAozKQBETy3pbM:');
    const { report } = await review('--since', 'HEAD');
    expect(report.findings).toMatchObject([{ rule: 'secret-rotated', subject: { name: 'staff' } }]);
  });

  longTest('says until when a role lasts, and that a last day goes', async () => {
    repository.change('name: reader,', 'name: reader, until: 2999-12-31,');
    const { report } = await review('--since', 'HEAD');
    expect(report.findings).toMatchObject([
      { rule: 'until-set', severity: 'info', subject: { name: 'reader' } },
    ]);
    repository.git('commit', '--quiet', '--all', '--message', 'until');
    expect((await review('--since', 'HEAD')).report.findings).toEqual([]);
    repository.change(', until: 2999-12-31', '');
    const later = await review('--since', 'HEAD');
    expect(later.report).toMatchObject({ resources: { changed: 0 }, gains: 'none' });
    expect(later.report.findings).toMatchObject([
      { rule: 'until-later', message: 'It no longer ends on 2999-12-31.' },
    ]);
    repository.change('name: reader,', 'name: reader, until: 2001-12-31,');
    const { code, report: over } = await review('--since', 'HEAD');
    expect({ code, rules: over.findings.map(({ rule }: { rule: string }) => rule) }).toEqual({
      code: 2,
      rules: ['ended'],
    });
    repository.git('commit', '--quiet', '--all', '--message', 'over');
    expect((await review('--since', 'HEAD')).report.findings).toMatchObject([{ rule: 'ended' }]);
    repository.git('reset', '--quiet', '--hard', 'HEAD^^');
  });

  test('takes a stack that was not there for all new', async () => {
    writeFileSync(join(folder, 'Pulumi.other.yaml'), repository.read('Pulumi.dev.yaml'));
    const { report } = await review('-s', 'other', '--since', 'HEAD');
    expect(report.access.map(({ kind }: { kind: string }) => kind)).toEqual(['opened', 'opened', 'opened']);
    expect(report.notes.join('\n')).toContain('There was no such stack at HEAD');
    rmSync(join(folder, 'Pulumi.other.yaml'));
  });

  longTest('takes a stack for another service for all new', async () => {
    repository.change('address: http://127.0.0.1:8200', 'address: http://127.0.0.1:8201');
    const { report } = await review('--since', 'HEAD');
    expect(report.access.length).toBeGreaterThan(1);
    expect(report.notes.join('\n')).toContain('It is for another service than before');
  });

  longTest('leaves no work tree behind', async () => {
    await review('--since', 'HEAD');
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  longTest('writes the same review as other reports to files', async () => {
    repository.change('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
    const files = ['--report', 'sarif=review.sarif', '--report', 'markdown=review.md'];
    await review('--since', 'HEAD', ...files);
    expect(JSON.parse(repository.read('review.sarif')).runs[0].results).toContainEqual(
      expect.objectContaining({ ruleId: 'everyone-gains' }),
    );
    expect(repository.read('review.md')).toContain('1 role gains access');
    for (const file of ['review.sarif', 'review.md']) rmSync(join(folder, file));
  });

  longTest.each(['nowhere', '--upload-pack=x'])(
    'refuses a revision that git does not know: %s',
    async (one) => {
      expect(await review(`--since=${one}`)).toMatchObject(failed('revision_unreadable'));
    },
  );

  longTest('says at which revision a stack file is not valid', async () => {
    repository.change('kind: keycloak', 'kind: nothing');
    repository.git('commit', '--quiet', '--all', '--message', 'broken');
    repository.git('checkout', '--quiet', 'HEAD^', '--', '.');
    const { code, err } = await review('--since', 'HEAD');
    repository.git('reset', '--quiet', '--hard', 'HEAD^');
    expect(code).toBe(1);
    expect(err).toContain('HEAD: ');
    expect(err).toContain('(environment_invalid)');
  });

  test.each(['dev', 'de*'])('reads the service of %s with --live', async (stack) => {
    repository.change('address: http://127.0.0.1:8200', 'address: http://127.0.0.1:9');
    const line = ['review', '-s', stack, '--since', 'HEAD', '--live', '--json'];
    const { code, out } = await runCommand(line, { ...env, VAULT_TOKEN: 'x' }, folder);
    repository.change('address: http://127.0.0.1:9', 'address: http://127.0.0.1:8200');
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('9 cannot be reached') });
  });

  test('is not for a plan', async () => {
    expect(await review('plan.json', '--since', 'HEAD')).toMatchObject(failed('option_conflict'));
  });
});
