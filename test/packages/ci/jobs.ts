import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { NewRepository } from '../../harness/new-repository.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { HostDouble } from './host-double.ts';
import type { hosts } from './hosts.ts';

/** Jobs on one repository: each test has a host without comments, a folder of its own, and the files as committed. */
export function jobsAt({ main, token, account, variables }: (typeof hosts)[number]) {
  const repository = new NewRepository();
  const jobs = { repository, host: new HostDouble(), folder: '', run };
  beforeEach(async () => {
    jobs.host = new HostDouble();
    await jobs.host.start();
    jobs.host.accounts.set(token, account);
    jobs.folder = temporaryFolder({ summary: '', output: '' });
  });
  afterEach(() => jobs.host.close());

  /** Runs a job: run 100, unless said otherwise, of a pull request from this repository. */
  async function run(argv: string[], { at = 100, from = 'acme/sign-in', env = {} }: JobOptions = {}) {
    const event = { pull_request: { number: 7, head: { repo: { full_name: from } } } };
    writeFileSync(join(jobs.folder, 'event.json'), JSON.stringify(event));
    const said: string[] = [];
    const whole = { PATH: process.env['PATH'], ...variables(jobs.host, jobs.folder, at), ...env };
    const place = ['--folder', repository.folder];
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
