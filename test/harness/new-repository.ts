import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach } from '@jest/globals';
import { stringify } from 'yaml';
import { runCommand } from '../../packages/cli/test/running-command.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A repository that `gatehouse new` wrote, with one commit: each test of the block has its files as committed. */
export class NewRepository {
  readonly folder = join(temporaryFolder(), 'sign-in');

  constructor() {
    beforeAll(async () => {
      const env = { PATH: process.env['PATH'] };
      const { code, err } = await runCommand(['new', this.folder, '--no-install'], env);
      if (code !== 0) throw new Error(err);
      this.git('add', '--all');
      this.git('commit', '--quiet', '--message', 'first');
    });
    beforeEach(() => void this.git('checkout', '--quiet', '--', '.'));
  }

  git(...args: string[]): string {
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    const at = { cwd: this.folder, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('git', [...author, ...args], at);
    if (status !== 0) throw new Error(stderr);
    return stdout;
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Puts other text in the place of what a file has, by default that of the dev stack. */
  change(from: string, to: string, path = 'Pulumi.dev.yaml'): void {
    const text = this.read(path);
    if (!text.includes(from)) throw new Error(`no ${from} in ${path}`);
    writeFileSync(join(this.folder, path), text.replace(from, to));
  }

  /** Puts settings into a stack file, by default that of the dev stack; rules in place of those of the template. */
  addSettings(settings: object, path = 'Pulumi.dev.yaml'): void {
    const [rules] = /^ {2}gatehouse:rules: .*\n/m.exec(this.read(path)) ?? [];
    if ('gatehouse:rules' in settings && rules !== undefined) this.change(rules, '', path);
    this.change('config:\n', `config:\n${stringify(settings).replace(/^(?=.)/gm, '  ')}`, path);
  }
}
