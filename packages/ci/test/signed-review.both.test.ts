import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { root } from '../../../test/harness/environment-under-test.ts';
import { longTest } from '../../../test/harness/long-run.ts';
import { NewRepository } from '../../../test/harness/new-repository.ts';
import { standIn } from '../../../test/harness/stand-in.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { keys } from '../../core/test/statement/reviewed.ts';
import { hosts } from './hosts.ts';
import { inProcess } from './in-process.ts';
import { jobsAt } from './jobs.ts';

const shown = JSON.stringify(
  JSON.parse(
    readFileSync(join(root, 'packages/core/test/review/cases/opentofu/01-role-one-more-policy.json'), 'utf8'),
  ),
);
const tofu = standIn('tofu', `cat '${join(temporaryFolder({ 'plan.json': shown }), 'plan.json')}'`);
const PATH = [tofu, process.env['PATH']].join(delimiter);
const statement = 'review.sigstore.json';

describe.each(hosts)('a signed review at $name', (at) => {
  const repository = new NewRepository();
  const { folder } = repository;
  const jobs = jobsAt(inProcess(at), folder);
  const sign = (env: NodeJS.ProcessEnv = { SIGN_KEY: keys.alice.pem }, args: string[] = []) =>
    jobs.run(['review', '--stack', 'dev', '--plan', 'tf plan', '--base', 'HEAD', ...args], {
      env: { PATH, ...env },
    });
  const verify = (args: string[] = []) =>
    jobs.run(['verify-review', '--stack', 'dev', '--plan', 'tf plan', '--base', 'HEAD', ...args], {
      env: { PATH },
    });
  /** What stays of the job: its summary at GitHub, a file at GitLab. */
  const kept = () =>
    readFileSync(join(jobs.folder, at.name === 'GitHub' ? 'summary' : 'gatehouse-report.md'), 'utf8');

  beforeAll(() => {
    const signers = JSON.stringify([{ name: 'alice', key: keys.alice.publicPem, until: '2999-12-31' }]);
    repository.change('config:\n', `config:\n  gatehouse:reviews: { signers: ${signers} }\n`);
    repository.git('commit', '--all', '--quiet', '--message', 'reviews');
  });
  beforeEach(() => {
    rmSync(join(folder, statement), { force: true });
    writeFileSync(join(folder, 'tf plan'), 'PK\x03\x04 a plan');
  });

  longTest('lets the plan through, and says who signed', async () => {
    expect((await sign()).code).toBe(0);
    const { code, output } = await verify();
    expect([code, output]).toEqual([0, expect.stringContaining('Reviewed and signed by alice, 20')]);
    expect(kept()).toContain('## Signed review: this plan was reviewed');
    expect(
      jobs.host.requests.filter((one) => one.startsWith('POST') && one !== 'POST /graphql'),
    ).toHaveLength(1);
  });

  test('stops another plan, with the problem in the log and what stays', async () => {
    await sign();
    writeFileSync(join(folder, 'tf plan'), 'PK\x03\x04 another plan');
    const { code, output } = await verify();
    expect([code, output]).toEqual([2, expect.stringContaining('it is about another plan')]);
    expect(kept()).toMatch(/## Signed review: none counts for this plan\n[\s\S]*it is about another plan/);
  });

  test('stops a plan with the statement of a key that the base revision does not name', async () => {
    await sign({ SIGN_KEY: keys.mallory.pem });
    repository.change(JSON.stringify(keys.alice.publicPem), JSON.stringify(keys.mallory.publicPem));
    const { code, output } = await verify();
    expect([code, output]).toEqual([2, expect.stringContaining('its key is not of one of the signers')]);
  });

  longTest('is none in a job without the key, as of a fork: then nothing lets the plan through', async () => {
    expect((await sign({ SIGN_KEY: '' })).code).toBe(0);
    expect(existsSync(join(folder, statement))).toBe(false);
    const { code, output } = await verify();
    expect([code, output]).toEqual([1, expect.stringContaining('file_unreadable')]);
  });

  longTest('counts among several files, one a line, whatever their names have', async () => {
    await sign();
    const odd = 'a $(touch pwned) "b".json';
    writeFileSync(join(folder, odd), readFileSync(join(folder, statement)));
    writeFileSync(join(folder, 'other.json'), '{}');
    const { code } = await verify(['--statements', `\n  other.json\r\n${odd}\n`]);
    expect([code, existsSync(join(folder, 'pwned'))]).toEqual([0, false]);
  });

  longTest.each<[string, string[], number, string]>([
    ['a plan that is gone', ['--plan=gone'], 1, 'file_unreadable'],
    ['a statement that is a folder', ['--statements=folder'], 1, 'file_unreadable'],
    ['a statement of 40 MB', ['--statements=large'], 2, 'it is too large'],
    ['a statement that looks like an option', ['--statements=--key=alice.pub'], 1, 'file_unreadable'],
    ['a base revision that is none', ['--base=nowhere'], 1, 'revision_unreadable'],
    ['no statement', ['--statements= '], 1, 'statements'],
  ])('is not found right: %s', async (_name, args, expected, why) => {
    mkdirSync(join(folder, 'folder'), { recursive: true });
    writeFileSync(join(folder, 'large'), ' '.repeat(40 * 1024 * 1024));
    const { code, output } = await verify(args);
    expect([code, output]).toEqual([expected, expect.stringContaining(why)]);
    rmSync(join(folder, 'large'));
  });

  test('is of a plan: a job that names none fails', async () => {
    await expect(verify(['--plan='])).rejects.toThrow('verify-review needs a plan');
  });

  test('fails with words where the change is no plan, or the key is none', async () => {
    expect((await sign(undefined, ['--plan=', '--since=HEAD'])).code).toBe(1);
    expect(kept()).toContain('option_conflict');
    expect((await sign({ SIGN_KEY: 'no key' })).code).toBe(1);
    expect(kept()).toContain('signing_key_unusable');
    expect(existsSync(join(folder, statement))).toBe(false);
  });

  if (at.name === 'GitHub') {
    longTest('names its file to later steps, for one that was signed', async () => {
      await sign();
      const output = () => readFileSync(join(jobs.folder, 'output'), 'utf8');
      const [, file = ''] = /^statement=(.*)$/m.exec(output()) ?? [];
      expect(statSync(file).size).toBeGreaterThan(0);
      writeFileSync(join(jobs.folder, 'output'), '');
      await sign({ SIGN_KEY: '' });
      expect(output()).not.toContain('statement=');
    });

    test('is told to the log on one line: a name that would be a command of the runner is none', async () => {
      const { output } = await verify(['--statements', 'gone%0A::set-output name=x::y']);
      expect(output).toMatch(/^::error::[^\n]*gone%250A::set-output[^\n]*$/);
    });
  }
});
