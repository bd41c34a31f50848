import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isIn } from '../../../test/harness/long-run.ts';
import { NewRepository } from '../../../test/harness/new-repository.ts';
import { gitHub } from './hosts.ts';
import { inProcess } from './in-process.ts';
import { jobsAt, review } from './jobs.ts';

const repository = new NewRepository();
const jobs = jobsAt(isIn('test:long') ? gitHub : inProcess(gitHub), repository.folder);
const { run } = jobs;
const read = (name: string) => readFileSync(join(jobs.folder, name), 'utf8');

describe('a review at GitHub', () => {
  test('gives its code, and SARIF with paths from the root', async () => {
    repository.change('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
    await run(review);
    expect(read('output')).toMatch(/^code=2\nsarif=.*\.sarif\n$/);
    const sarif = JSON.parse(readFileSync(/sarif=(.*)/.exec(read('output'))?.[1] ?? '', 'utf8'));
    const [first] = sarif.runs[0].results;
    const { uri } = first.locations[0].physicalLocation.artifactLocation;
    expect(uri).toBe(join(repository.folder, 'Pulumi.dev.yaml'));
  });

  test('with the token of an app updates the comment of that app', async () => {
    jobs.host.accounts.set(gitHub.token, { id: 7, login: 'acme-reviews[bot]' });
    await run(review);
    expect((await run(review)).output).toBe('Comment at pull request 7: updated.');
    expect(jobs.host.comments.map(({ author }) => author.login)).toEqual(['acme-reviews[bot]']);
  });

  test('from a fork, whose token may not write, is in the summary and fails nothing', async () => {
    jobs.host.isReadOnly = true;
    const { code, output } = await run(review, { from: 'eve/sign-in' });
    expect(code).toBe(0);
    expect(output).toBe(
      '::notice::The pull request is from a fork, whose jobs may not comment. The report is in the summary.',
    );
    expect(read('summary')).toContain('## Sign-in review');
  });

  test('without the permission to comment names it', async () => {
    jobs.host.isReadOnly = true;
    const { code, output } = await run(review);
    expect(code).toBe(0);
    expect(output).toMatch(/^::warning::.*pull-requests: write/);
  });

  test('says in the comment why there is no review, and ends with 1', async () => {
    repository.change('kind: keycloak', 'kind: "nothing <b> @alice"');
    const { code } = await run(review);
    expect(code).toBe(1);
    expect(jobs.host.comments[0]?.body).toContain('## Sign-in review: it could not be made');
    expect(jobs.host.comments[0]?.body).not.toContain('<b>');
  });

  test('never tells the token', async () => {
    jobs.host.accounts.clear();
    const { output } = await run(review);
    expect(output).toContain('401 Bad credentials');
    expect([output, read('summary'), read('output')].join('\n')).not.toContain(gitHub.token);
  });

  test('without a pull request is in the summary alone', async () => {
    const { code, output } = await run(review, {
      env: { GITHUB_EVENT_PATH: join(jobs.folder, 'none.json') },
    });
    expect({ code, output }).toEqual({ code: 0, output: 'No pull request: the report is in the summary.' });
    expect(jobs.host.requests.filter((one) => !one.startsWith('GET '))).toEqual([]);
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

  test('opens one issue, and leaves it as it is the next time; a pull request is none', async () => {
    jobs.host.add(jobs.host.issues, gitHub.account, '<!-- gatehouse drift of dev, run 1.1 -->', {
      isPullRequest: true,
    });
    expect((await run(drift, { env: unreachable })).code).toBe(1);
    expect((await run(drift, { at: 101, env: unreachable })).output).toBe('Issue: left as it is.');
    expect(jobs.host.issues.filter(({ isPullRequest }) => !isPullRequest)).toMatchObject([
      {
        title: 'Sign-in drift: dev',
        isOpen: true,
        body: expect.stringContaining('it could not be looked for'),
      },
    ]);
  });

  test('that no one would hear of is an error', async () => {
    jobs.host.isReadOnly = true;
    await expect(run(drift, { env: unreachable })).rejects.toThrow(
      '403 Resource not accessible by integration',
    );
  });
});
