import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { longTest } from '../../../test/harness/long-run.ts';
import { NewRepository } from '../../../test/harness/new-repository.ts';
import { ann, auditLine, signInLine } from '../../core/test/usage/log-lines.ts';
import { hosts } from './hosts.ts';
import { inProcess } from './in-process.ts';
import { eve, jobsAt, review } from './jobs.ts';

describe.each(hosts)('a review at $name', (at) => {
  const repository = new NewRepository();
  const jobs = jobsAt(inProcess(at), repository.folder);
  const ofOthers = '<!-- gatehouse review of dev, run 1.1 -->\nhello';

  test('is told in a comment, and fails for an error', async () => {
    repository.change('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
    expect(await jobs.run(review)).toEqual({ code: 2, output: `${at.posted}: made.` });
    expect(jobs.host.comments).toMatchObject([{ author: at.account }]);
    expect(jobs.host.comments[0]?.body).toMatch(
      /^<!-- gatehouse review of dev, run 100\.\d+ -->\n## Sign-in review of dev: (?:✗ 1 error|&#33;|✓)?.*1 (?:role|group) gains access/,
    );
  });

  test('updates its comment, among more than a page of others and of the host', async () => {
    for (let count = 0; count < 150; count += 1) jobs.host.add(jobs.host.comments, eve, 'me too');
    if (at.name === 'GitLab') jobs.host.add(jobs.host.comments, at.account, ofOthers, { isSystem: true });
    const before = jobs.host.comments.length;
    await jobs.run(review);
    expect((await jobs.run(review, { at: 101 })).output).toBe(`${at.posted}: updated.`);
    expect(jobs.host.comments).toHaveLength(before + 1);
  });

  test('says of a replayed log how many requests would be refused, and names no one', async () => {
    repository.change('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
    const log = join(jobs.folder, 'audit.log');
    writeFileSync(log, `${signInLine('staff', ann)}\n${auditLine({ at: 1 })}\n`);
    await jobs.run([...review, '--replay', log]);
    const body = jobs.host.comments[0]?.body;
    expect(body).toContain('Replay of 1 request');
    expect(body).not.toMatch(/\bann\b/);
  });

  longTest('leaves the comment of someone else who copied its first line', async () => {
    jobs.host.add(jobs.host.comments, eve, ofOthers);
    await jobs.run(review);
    expect(jobs.host.comments.map(({ author }) => author.login)).toEqual(['eve', at.account.login]);
    expect(jobs.host.comments[0]?.body).toContain('hello');
  });

  longTest('of two jobs at once leaves one comment, that of the later run', async () => {
    jobs.host.barrier = { start: at.comments, count: 2 };
    await Promise.all([jobs.run(review), jobs.run(review, { at: 101 })]);
    expect(jobs.host.comments).toHaveLength(1);
    expect(jobs.host.comments[0]?.body).toContain('run 101.');
  });
});
