import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { runCommand } from '../../cli/running-command.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { type Account, HostDouble } from './host-double.ts';

/** A repository that `gatehouse new` wrote, with one commit, and changes that are not committed. */
export class ReviewedRepository {
  readonly folder = temporaryFolder();

  async make(): Promise<void> {
    const path = { PATH: process.env['PATH'] };
    const { code, err } = await runCommand(['new', 'sign-in', '--no-install'], path, this.folder);
    if (code !== 0) throw new Error(err);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'first');
  }

  git(...args: string[]): void {
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    const at = { cwd: join(this.folder, 'sign-in'), encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync('git', [...author, ...args], at);
    if (status !== 0) throw new Error(stderr);
  }

  /** Puts other text in the place of what the dev stack has, which is as committed otherwise. */
  declare(from: string, to: string): void {
    this.git('checkout', '--quiet', '--', '.');
    const path = join(this.folder, 'sign-in', 'Pulumi.dev.yaml');
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`no ${from} in the dev stack`);
    writeFileSync(path, text.replace(from, to));
  }

  remove(): void {}
}

/** Jobs on one repository: each test has a host without comments, a folder of its own, and the files as committed. */
export function jobsOf(accounts: Record<string, Account>) {
  const repository = new ReviewedRepository();
  const jobs = { repository, host: new HostDouble(), folder: '' };
  beforeAll(() => repository.make());
  afterAll(() => repository.remove());
  beforeEach(async () => {
    jobs.host = new HostDouble();
    await jobs.host.start();
    for (const [token, account] of Object.entries(accounts)) jobs.host.accounts.set(token, account);
    jobs.folder = temporaryFolder();
    repository.git('checkout', '--quiet', '--', '.');
  });
  afterEach(async () => {
    await jobs.host.close();
  });
  return jobs;
}
