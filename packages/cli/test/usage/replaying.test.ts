import { describe, expect, test } from '@jest/globals';
import { NewRepository } from '../../../../test/harness/new-repository.ts';
import { entry, terraform } from '../../../core/test/review/plan/terraform.ts';
import { auditLine, job } from '../../../core/test/usage/log-lines.ts';
import { FakeEngine, policyType, result, update } from '../fake-engine.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const text = (capability: string) => `path "secret/data/*" { capabilities = ["${capability}"] }`;
const plan = terraform([
  entry('vault_policy.shop', {
    before: { name: 'shop', policy: text('read') },
    after: { name: 'shop', policy: text('list') },
  }),
]);
const log = `${auditLine({ path: 'secret/data/a', by: job })}\n`;
const folder = projectFolder({
  'Pulumi.dev.yaml': 'config: {}\n',
  'plan.json': plan,
  'audit.log': log,
  'clear.log': `${log.replace('hmac-sha256:of ', 's.abc')}`,
});
const repository = new NewRepository();
const refused = 'Replay of 1 request in 1 hour: 1 request of 1 person or job would be refused';

describe('gatehouse review --replay', () => {
  const review = (...argv: string[]) => runCommand(['review', 'plan.json', ...argv], {}, folder);

  test('says what would be refused, and fails no more than without', async () => {
    const { code, out } = await review('--replay', 'audit.log', '--fail-on', 'info');
    const without = await review('--fail-on', 'info');
    expect(out).toContain(refused);
    expect(code).toBe(without.code);
  });

  test('has nothing of people and paths in any report', async () => {
    for (const format of ['terminal', 'markdown', 'json', 'sarif']) {
      const { out } = await review('--replay', 'audit.log', '--format', format);
      expect(out).not.toMatch(/alice|secret\/data\/a/);
    }
  });

  test('names people and paths where that is asked for', async () => {
    const { out } = await review('--replay', 'audit.log', '--show-people', '--json');
    expect(JSON.parse(out).replay.groups).toMatchObject([
      { rule: 'secret/data/*', example: { who: 'ci-alice', path: 'secret/data/a' } },
    ]);
  });

  test('may be given before the plan, and again: what is there twice counts once', async () => {
    const argv = ['review', '--replay', 'audit.log', '--replay', 'audit.log', 'plan.json', '--json'];
    const { out } = await runCommand(argv, {}, folder);
    expect(JSON.parse(out).replay).toMatchObject({ requests: 1, refused: { requests: 1, principals: 1 } });
  });

  test.each([
    ['a log with tokens in clear', ['--replay', 'clear.log'], 'log_in_clear'],
    ['a log that is not there', ['--replay', 'nowhere.log'], 'log_unreadable'],
    ['what is no log', ['--replay', 'Pulumi.yaml'], 'log_other_format'],
    ['--show-people without a log', ['--show-people'], 'option_conflict'],
    ['--hash-with without a stack', ['--replay', 'audit.log', '--hash-with', 'file'], 'option_conflict'],
    ['two snapshots', ['--replay', 'audit.log', '--between', 'a', 'b'], 'option_conflict'],
  ])('%s is refused', async (_, argv, reason) => {
    expect(await review(...argv)).toMatchObject(failed(reason));
  });

  test('reads a log from standard input', async () => {
    const { out } = await runCommand(['review', 'plan.json', '--replay', '-'], {}, folder, { piped: log });
    expect(out).toContain(refused);
  });

  test('is refused a standard input that is the plan', async () => {
    const ended = await runCommand(['review', '-', '--replay', '-'], {}, folder, { piped: plan });
    expect(ended).toMatchObject(failed('option_conflict'));
  });

  test('sends requests to what the files of a stack declare', async () => {
    repository.change('["read"]', '["list"]', 'policies/secrets-read.hcl');
    const by = { ...job, name: 'staff-alice', role: 'reader', token: ['default', 'secrets-read'] };
    const piped = `${auditLine({ path: 'secret/data/a', by })}\n`;
    const argv = ['review', '-s', 'dev', '--since', 'HEAD', '--replay', '-', '--json'];
    const { out } = await runCommand(argv, { PATH: process.env['PATH'] }, repository.folder, { piped });
    expect(JSON.parse(out).replay).toMatchObject({ refused: { requests: 1 }, onService: false });
  });
});

describe('gatehouse preview --replay', () => {
  const policy = (capability: string) => ({ name: 'shop', policy: text(capability) });
  const engine = new FakeEngine(result([update(policyType, 'shop', policy('read'), policy('list'))]));
  const preview = (...argv: string[]) =>
    runCommand(['preview', '-s', 'dev', ...argv], {}, folder, { openEngine: async () => ({ engine }) });

  test('says it of the plan', async () => {
    expect((await preview('--replay', 'audit.log')).out).toContain(refused);
  });

  test('has it in the review that it prints as JSON', async () => {
    const { out } = await preview('--replay', 'audit.log', '--json');
    expect(JSON.parse(out).review.replay).toMatchObject({ refused: { requests: 1, principals: 1 } });
  });
});
