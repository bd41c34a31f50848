import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { HostDouble } from './host-double.ts';
import type { hosts } from './hosts.ts';

/** Jobs on a project in a folder: each test has a host without comments, and a folder for what a job keeps. */
export function jobsAt({ main, token, account, variables }: (typeof hosts)[number], project: string) {
  const jobs = { host: new HostDouble(), folder: '', run };
  beforeEach(async () => {
    jobs.host = new HostDouble();
    await jobs.host.start();
    jobs.host.accounts.set(token, account);
    jobs.folder = temporaryFolder({ summary: '', output: '' });
  });
  afterEach(() => jobs.host.close());

  /** Runs a job: run 100, unless said otherwise, of a pull request from this repository. */
  async function run(
    argv: string[],
    { at = 100, from = 'acme/sign-in', env = {}, folder = project }: JobOptions = {},
  ) {
    const event = { pull_request: { number: 7, head: { repo: { full_name: from } } } };
    writeFileSync(join(jobs.folder, 'event.json'), JSON.stringify(event));
    const lines: string[] = [];
    const whole = { PATH: process.env['PATH'], ...variables(jobs.host, jobs.folder, at), ...env };
    const code = await main([...argv, '--folder', folder], whole, (line) => lines.push(line));
    return { code, output: lines.join('\n') };
  }
  return jobs;
}

interface JobOptions {
  at?: number;
  from?: string;
  env?: NodeJS.ProcessEnv;
  /** Defaults to the project. */
  folder?: string;
}

export const review = ['review', '--stack', 'dev', '--since', 'HEAD'];
/** Someone else at the host. */
export const eve = { id: 9, login: 'eve' };
