import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** How a `gatehouse` command ended. */
export interface EndedCommand {
  /** The exit code; 1 if the command was killed. */
  code: number;
  stdout: string;
  stderr: string;
}

export type RunGatehouse = typeof runGatehouse;

/**
 * Runs the `gatehouse` of this package.
 *
 * @param folder of the project
 * @param env passed on without the code host's token and the keys: the reviewed program does not need them
 */
export async function runGatehouse(
  args: string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<EndedCommand> {
  const { GITHUB_TOKEN: _, GITLAB_TOKEN: __, SNAPSHOT_KEY: ___, SIGN_KEY: ____, ...rest } = env;
  const command = fileURLToPath(new URL('../cli/gatehouse.mjs', import.meta.url));
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    env: { ...rest, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code: code ?? 1, stdout, stderr };
}
