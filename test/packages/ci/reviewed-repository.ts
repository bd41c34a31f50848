import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import { runCommand } from '../../cli/running-command.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { HostDouble } from './host-double.ts';
import type { hosts } from './hosts.ts';

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
}

/** Jobs on one repository: each test has a host without comments, a folder of its own, and the files as committed. */
export function jobsAt({ main, token, account, variables }: (typeof hosts)[number]) {
  const repository = new ReviewedRepository();
  const jobs = { repository, host: new HostDouble(), folder: '', run };
  beforeAll(() => repository.make());
  beforeEach(async () => {
    jobs.host = new HostDouble();
    await jobs.host.start();
    jobs.host.accounts.set(token, account);
    jobs.folder = temporaryFolder({ summary: '', output: '' });
    repository.git('checkout', '--quiet', '--', '.');
  });
  afterEach(() => jobs.host.close());

  /** Runs a job: run 100, unless said otherwise, of a pull request from this repository. */
  async function run(argv: string[], { at = 100, from = 'acme/sign-in', env = {} }: JobOptions = {}) {
    const event = { pull_request: { number: 7, head: { repo: { full_name: from } } } };
    writeFileSync(join(jobs.folder, 'event.json'), JSON.stringify(event));
    const said: string[] = [];
    const whole = { PATH: process.env['PATH'], ...variables(jobs.host, jobs.folder, at), ...env };
    const place = ['--folder', join(repository.folder, 'sign-in')];
    const code = await main([...argv, ...place], whole, (line) => said.push(line));
    return { code, said: said.join('\n') };
  }
  return jobs;
}

interface JobOptions {
  at?: number;
  from?: string;
  env?: NodeJS.ProcessEnv;
}

export const review = ['review', '--stack', 'dev', '--since', 'HEAD'];
/** Someone else at the host. */
export const eve = { id: 9, login: 'eve' };
