import { spawnSync } from 'node:child_process';

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
