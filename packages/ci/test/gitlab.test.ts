import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { NewRepository } from '../../../test/harness/new-repository.ts';
import { gitLab } from './hosts.ts';
import { jobsAt, review } from './jobs.ts';

const repository = new NewRepository();
const jobs = jobsAt(gitLab, repository.folder);
const { run } = jobs;

describe('a review at GitLab', () => {
  test('reports a finding at its line', async () => {
    repository.change('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
    await run(review);
    const quality = JSON.parse(readFileSync(join(jobs.folder, 'gl-code-quality-report.json'), 'utf8'));
    expect(quality).toContainEqual({
      description: expect.stringContaining('has no bounds: everyone with an account at'),
      check_name: 'everyone-gains',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      severity: 'critical',
      location: {
        path: join(repository.folder, 'Pulumi.dev.yaml'),
        lines: { begin: expect.any(Number) },
      },
    });
  });

  test('without a token, as from a fork, is an artifact and fails nothing', async () => {
    const { code, output } = await run(review, { env: { GITLAB_TOKEN: '' } });
    expect(code).toBe(0);
    expect(output).toContain('nothing is written');
    expect(readFileSync(join(jobs.folder, 'gatehouse-report.md'), 'utf8')).toContain('## Sign-in review');
    expect(jobs.host.requests).toEqual([]);
  });

  test('with a token that may not write says so, and never tells the token', async () => {
    jobs.host.isReadOnly = true;
    const { code, output } = await run(review);
    expect(code).toBe(0);
    expect(output).toContain('The note could not be written (POST /projects/5/merge_requests/7/notes: 403');
    expect(output).not.toContain(gitLab.token);
  });
});
