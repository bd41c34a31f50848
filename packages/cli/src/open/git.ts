import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

interface GitAnswer {
  /** Undefined where there is no git on PATH, or it was killed. */
  status: number | undefined;
  stdout: string;
  stderr: string;
}

/** Runs git, which asks no one anything. Throws nothing. */
export function git(args: string[], cwd: string, env: NodeJS.ProcessEnv): GitAnswer {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd,
    env: { ...env, GIT_TERMINAL_PROMPT: '0' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status: status ?? undefined, stdout: stdout ?? '', stderr: stderr ?? '' };
}

const run = promisify(execFile);

/** Bytes of git's answer. */
const mostOutput = 64 * 1024 * 1024;

/**
 * What git prints about a folder, while other work goes on.
 *
 * @param env defaults to this process's
 * @throws Error with git's `stderr`
 */
export async function askGit(
  directory: string,
  args: string[],
  { timeoutMs, env }: { timeoutMs: number; env?: NodeJS.ProcessEnv },
): Promise<string> {
  const options = { maxBuffer: mostOutput, timeout: timeoutMs, env };
  return (await run('git', ['-C', directory, ...args], options)).stdout;
}
