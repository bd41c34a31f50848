import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { main } from '../../../packages/ci/gitlab.ts';
import { jobsOf } from './reviewed-repository.ts';

const token = 'glpat-only-for-tests';
const bot = { id: 41, login: 'project_5_bot' };
const eve = { id: 9, login: 'eve' };
const jobs = jobsOf({ [token]: bot });
const { repository } = jobs;

async function run(argv: string[], variables: NodeJS.ProcessEnv = {}) {
  const said: string[] = [];
  const env = {
    PATH: process.env['PATH'],
    CI_API_V4_URL: `${jobs.host.url}/api/v4`,
    CI_PROJECT_DIR: jobs.folder,
    CI_PROJECT_ID: '5',
    CI_MERGE_REQUEST_IID: '7',
    CI_PIPELINE_ID: '100',
    CI_JOB_ID: '1000',
    CI_JOB_URL: 'https://gitlab.example.com/acme/sign-in/-/jobs/1000',
    GITLAB_TOKEN: token,
    ...variables,
  };
  const argvWithFolder = [...argv, '--folder', join(repository.folder, 'sign-in')];
  const code = await main(argvWithFolder, env, (line) => said.push(line));
  return { code, said: said.join('\n') };
}

const review = ['review', '--stack', 'dev', '--since', 'HEAD'];

describe('a review at GitLab', () => {
  test('writes a note, fails for an error, and reports it beside the line', async () => {
    repository.declare('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
    expect(await run(review)).toEqual({ code: 2, said: 'Note at merge request 7: made.' });
    expect(jobs.host.comments[0]?.body).toContain('## Sign-in review: 1 group or role gains access');
    const quality = JSON.parse(readFileSync(join(jobs.folder, 'gl-code-quality-report.json'), 'utf8'));
    expect(quality).toContainEqual({
      description: expect.stringContaining('The role has no bounds'),
      check_name: 'everyone-gains',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      severity: 'critical',
      location: {
        path: join(repository.folder, 'sign-in', 'Pulumi.dev.yaml'),
        lines: { begin: expect.any(Number) },
      },
    });
  });

  test('updates its note, among more than a page of others and of the system', async () => {
    for (let at = 0; at < 120; at += 1) jobs.host.add(jobs.host.comments, eve, 'me too');
    jobs.host.add(jobs.host.comments, bot, '<!-- gatehouse review of dev, run 1.1 -->', { isSystem: true });
    await run(review);
    expect((await run(review, { CI_PIPELINE_ID: '101' })).said).toBe('Note at merge request 7: updated.');
    expect(jobs.host.comments.filter(({ author }) => author === bot)).toHaveLength(2);
  });

  test('leaves the note of somebody else who copied its first line', async () => {
    jobs.host.add(jobs.host.comments, eve, '<!-- gatehouse review of dev, run 1.1 -->\nhello');
    await run(review);
    expect(jobs.host.comments.map(({ author }) => author.login)).toEqual(['eve', bot.login]);
    expect(jobs.host.comments[0]?.body).toContain('hello');
  });

  test('of two jobs at once leaves one note, that of the later pipeline', async () => {
    jobs.host.barrier = { start: 'POST /api/v4/projects/5/merge_requests/7/notes', count: 2 };
    await Promise.all([run(review), run(review, { CI_PIPELINE_ID: '101', CI_JOB_ID: '1001' })]);
    expect(jobs.host.comments).toHaveLength(1);
    expect(jobs.host.comments[0]?.body).toContain('run 101.1001');
  });

  test('without a token, as from a fork, is an artifact and fails nothing', async () => {
    const { code, said } = await run(review, { GITLAB_TOKEN: '' });
    expect(code).toBe(0);
    expect(said).toContain('nothing is written');
    expect(readFileSync(join(jobs.folder, 'gatehouse-report.md'), 'utf8')).toContain('## Sign-in review');
    expect(jobs.host.requests).toEqual([]);
  });

  test('with a token that may not write says so, and never tells the token', async () => {
    jobs.host.isReadOnly = true;
    const { code, said } = await run(review);
    expect(code).toBe(0);
    expect(said).toContain('The note could not be written (POST /projects/5/merge_requests/7/notes: 403');
    expect(said).not.toContain(token);
  });
});
