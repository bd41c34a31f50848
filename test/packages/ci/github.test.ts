import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { main } from '../../../packages/ci/github.ts';
import { jobsOf } from './reviewed-repository.ts';

const token = 'ghs_only-for-tests';
const bot = { id: 41898282, login: 'github-actions[bot]' };
const eve = { id: 9, login: 'eve' };
const jobs = jobsOf({ [token]: bot });
const { repository } = jobs;

const folder = () => join(repository.folder, 'sign-in');
const read = (name: string) => readFileSync(join(jobs.folder, name), 'utf8');

async function run(argv: string[], variables: NodeJS.ProcessEnv = {}, from = 'acme/sign-in') {
  const event = { pull_request: { number: 7, head: { repo: { full_name: from } } } };
  writeFileSync(join(jobs.folder, 'event.json'), JSON.stringify(event));
  for (const name of ['summary', 'output']) writeFileSync(join(jobs.folder, name), '');
  const said: string[] = [];
  const env = {
    PATH: process.env['PATH'],
    GITHUB_API_URL: jobs.host.url,
    GITHUB_GRAPHQL_URL: `${jobs.host.url}/graphql`,
    GITHUB_SERVER_URL: 'https://github.example.com',
    GITHUB_REPOSITORY: 'acme/sign-in',
    GITHUB_RUN_ID: '100',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_EVENT_PATH: join(jobs.folder, 'event.json'),
    GITHUB_STEP_SUMMARY: join(jobs.folder, 'summary'),
    GITHUB_OUTPUT: join(jobs.folder, 'output'),
    GITHUB_TOKEN: token,
    RUNNER_TEMP: jobs.folder,
    ...variables,
  };
  const code = await main([...argv, '--folder', folder()], env, (line) => said.push(line));
  return { code, said: said.join('\n') };
}

const review = ['review', '--stack', 'dev', '--since', 'HEAD'];
const widen = () =>
  repository.declare('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');

describe('a review at GitHub', () => {
  test('comments, fails for an error, and gives SARIF with paths from the root', async () => {
    widen();
    expect(await run(review)).toEqual({ code: 2, said: 'Comment at pull request 7: made.' });
    expect(jobs.host.comments).toMatchObject([{ author: bot }]);
    expect(jobs.host.comments[0]?.body).toMatch(
      /^<!-- gatehouse review of dev, run 100\.1 -->\n## Sign-in review: 1 group or role gains access/,
    );
    expect(read('output')).toMatch(/^code=2\nsarif=.*\.sarif\n$/);
    const sarif = JSON.parse(readFileSync(/sarif=(.*)/.exec(read('output'))?.[1] ?? '', 'utf8'));
    const [first] = sarif.runs[0].results;
    expect(first.locations[0].physicalLocation.artifactLocation.uri).toBe(join(folder(), 'Pulumi.dev.yaml'));
  });

  test('updates its comment, among more than a page of others', async () => {
    for (let at = 0; at < 150; at += 1) jobs.host.add(jobs.host.comments, eve, 'me too');
    await run(review);
    const second = await run(review, { GITHUB_RUN_ID: '101' });
    expect(second.said).toBe('Comment at pull request 7: updated.');
    expect(jobs.host.comments.filter(({ author }) => author === bot)).toHaveLength(1);
  });

  test('with the token of an app updates the comment of that app', async () => {
    jobs.host.accounts.set(token, { id: 7, login: 'acme-reviews[bot]' });
    await run(review);
    expect((await run(review)).said).toBe('Comment at pull request 7: updated.');
    expect(jobs.host.comments.map(({ author }) => author.login)).toEqual(['acme-reviews[bot]']);
  });

  test('leaves the comment of somebody else who copied its first line', async () => {
    jobs.host.add(jobs.host.comments, eve, '<!-- gatehouse review of dev, run 1.1 -->\nhello');
    await run(review);
    expect(jobs.host.comments.map(({ author }) => author.login)).toEqual(['eve', bot.login]);
    expect(jobs.host.comments[0]?.body).toContain('hello');
  });

  test('of two jobs at once leaves one comment, that of the later run', async () => {
    jobs.host.barrier = { start: 'POST /repos/acme/sign-in/issues/7/comments', count: 2 };
    await Promise.all([run(review), run(review, { GITHUB_RUN_ID: '101' })]);
    expect(jobs.host.comments).toHaveLength(1);
    expect(jobs.host.comments[0]?.body).toContain('run 101.1');
  });

  test('from a fork, whose token may not write, is in the summary and fails nothing', async () => {
    jobs.host.isReadOnly = true;
    const { code, said } = await run(review, {}, 'eve/sign-in');
    expect(code).toBe(0);
    expect(said).toBe(
      '::notice::The pull request is from a fork, whose jobs may not comment. The report is in the summary.',
    );
    expect(read('summary')).toContain('## Sign-in review');
  });

  test('without the permission to comment names it', async () => {
    jobs.host.isReadOnly = true;
    const { code, said } = await run(review);
    expect(code).toBe(0);
    expect(said).toMatch(/^::warning::.*pull-requests: write/);
  });

  test('says in the comment why there is no review, and ends with 1', async () => {
    repository.declare('kind: keycloak', 'kind: "nothing <b> @alice"');
    const { code } = await run(review);
    expect(code).toBe(1);
    expect(jobs.host.comments[0]?.body).toContain('## Sign-in review: it could not be made');
    expect(jobs.host.comments[0]?.body).not.toContain('<b>');
  });

  test('never tells the token', async () => {
    jobs.host.accounts.clear();
    const { said } = await run(review);
    expect(said).toContain('401 Bad credentials');
    expect([said, read('summary'), read('output')].join('\n')).not.toContain(token);
  });

  test('without a pull request is in the summary alone', async () => {
    const { code, said } = await run(review, { GITHUB_EVENT_PATH: join(jobs.folder, 'none.json') });
    expect({ code, said }).toEqual({ code: 0, said: 'No pull request: the report is in the summary.' });
    expect(jobs.host.requests).toEqual([]);
  });
});

describe('a drift at GitHub', () => {
  // Nothing answers there, so drift cannot be looked for: bad news that opens an issue, too.
  const drift = ['drift', '--stack', 'dev'];
  const unreachable = {
    PULUMI_CONFIG_PASSPHRASE: 'gatehouse',
    VAULT_TOKEN: 'x',
    GATEHOUSE_SERVICE_ADDRESS: 'http://127.0.0.1:9',
  };

  test('opens one issue, and updates it the next time; a pull request is none', async () => {
    jobs.host.add(jobs.host.issues, bot, '<!-- gatehouse drift of dev, run 1.1 -->', { isPullRequest: true });
    expect((await run(drift, unreachable)).code).toBe(1);
    expect((await run(drift, { ...unreachable, GITHUB_RUN_ID: '101' })).said).toBe('Issue: updated.');
    expect(jobs.host.issues.filter(({ isPullRequest }) => !isPullRequest)).toMatchObject([
      {
        title: 'Sign-in drift: dev',
        isOpen: true,
        body: expect.stringContaining('it could not be looked for'),
      },
    ]);
  });

  test('that nobody would hear of is an error', async () => {
    jobs.host.isReadOnly = true;
    await expect(run(drift, unreachable)).rejects.toThrow('403 Resource not accessible by integration');
  });
});
