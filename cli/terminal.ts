import type { Readable, Writable } from 'node:stream';

/** What a command has of the world around it: `process`, or a stand-in for it. */
export interface Terminal {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** What the process will end with: see `ExitCode`. */
  exitCode: ExitCode;
}

/** The same for every command. */
export const ExitCode = {
  /** Yes, or done. */
  ok: 0,
  /** Something went wrong. */
  error: 1,
  /** The answer is no: declined, or not as it should be. */
  no: 2,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Whether a person is there to be asked. */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
