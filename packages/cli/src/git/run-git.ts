import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { GatehouseError } from '@gatehouse/core/values';

/** What git printed, and how it ended. */
export interface GitAnswer {
  /** -1 where a signal ended it. */
  status: number;
  stdout: Buffer;
  stderr: string;
}

export interface GitRun {
  args: readonly string[];
  /** Where it runs: paths among its arguments are from there. */
  cwd: string;
  /** Variables of the caller, of which git gets few. */
  env: NodeJS.ProcessEnv;
  /** More variables for git in this run. Defaults to none. */
  variables?: NodeJS.ProcessEnv;
  /** Standard input of git. Defaults to nothing. */
  input?: string;
}

/**
 * Variables of the caller that git gets: what finds programs and the ignored files of a person. A token, a passphrase or a key
 * is none of its business, and a `GIT_…` of the caller would name another repository, configuration or program.
 */
const passed = ['HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'SystemRoot', 'USERPROFILE'];

/**
 * Git runs nothing, fetches nothing, writes nothing that it was not asked for, and reads no configuration of a machine or a
 * person. An empty list of protocols is what older ones (before 2.44) heed where an object that is not there would be fetched.
 */
const quiet = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: '',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};

/**
 * Runs git: the only place that does (docs/adr/0031-git-reads-objects.md). What a repository's own configuration could have it
 * run is kept away by `Repository`, which shows it a folder of ours instead.
 *
 * @throws GatehouseError `git_missing`
 */
export async function runGit(run: GitRun): Promise<GitAnswer> {
  const child = startGit(run);
  const [stdout, stderr, status] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    exitStatusOf(child, run.cwd),
  ]);
  return { status, stdout, stderr };
}

/** Runs git, whose output is read as it comes. @returns its output, and how it ends */
export function streamGit(run: GitRun): { stdout: Readable; ended: Promise<Omit<GitAnswer, 'stdout'>> } {
  const child = startGit(run);
  const ended = Promise.all([text(child.stderr), exitStatusOf(child, run.cwd)]);
  // Nobody awaits this before the output is read; a failure until then must not be unhandled.
  ended.catch(() => {});
  return { stdout: child.stdout, ended: ended.then(([stderr, status]) => ({ stderr, status })) };
}

type Git = ChildProcessByStdio<Writable, Readable, Readable>;

function startGit({ args, cwd, env, variables, input = '' }: GitRun): Git {
  const own = Object.fromEntries(passed.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const child = spawn('git', ['--no-pager', ...args], {
    cwd,
    env: { ...own, PATH: absolute(env['PATH']), ...quiet, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Git may end before it has read its input. Its exit status says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return child;
}

/** A search path without its empty and relative entries, which would be folders of the repository. */
function absolute(path = ''): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}

function exitStatusOf(child: Git, folder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new GatehouseError('git_missing', { where: folder, cause })));
    child.once('close', (code) => resolve(code ?? -1));
  });
}
