import { expect } from '@jest/globals';
import { programEnv } from '../../../test/harness/program-env.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { main } from '../src/main.ts';
import type { OpenEngine } from '../src/open/engines.ts';
import { FakeTerminal } from './fake-terminal.ts';

/** How a command line ended. */
export interface EndedCommand {
  code: number;
  out: string;
  err: string;
}

/** How a command line ends with an error of this code. */
export function failed(reason: string, code = 1) {
  return { code, err: expect.stringContaining(`(${reason})`) };
}

interface RunOptions {
  /** Lines that a person types, who sits at the terminal. */
  typed?: string[];
  /** What comes in by a pipe. */
  piped?: string;
  /** Defaults to the real ones. */
  openEngine?: OpenEngine;
}

/** The words of a command line; what is in single quotes is one. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** A temporary folder with a project and these files in it. It goes with the run of the tests. */
export function projectFolder(files: Record<string, string> = {}): string {
  return temporaryFolder({ 'Pulumi.yaml': 'name: gatehouse\nruntime: nodejs\n', ...files });
}

/** Runs a command line in this process, in a folder, with these variables, and those of the tests' programs. */
export async function runCommand(
  argv: string[],
  env: NodeJS.ProcessEnv = {},
  cwd = '.',
  options: RunOptions = {},
): Promise<EndedCommand> {
  return await begin(argv, env, cwd, options).ended;
}

/**
 * Starts a command that runs until it is stopped. Resolves with its first words on standard output; `stop` is what
 * Ctrl-C, or the machine, does to all such commands.
 */
export async function startCommand(argv: string[], env: NodeJS.ProcessEnv = {}, cwd = '.') {
  const { terminal, ended } = begin(argv, env, cwd);
  let end: EndedCommand | undefined;
  void ended.then((how) => {
    end = how;
  });
  while (end === undefined && !terminal.stdout.text.includes('\n')) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  if (end !== undefined) throw new Error(`it ended before it began: ${end.err}`);
  return {
    terminal,
    async stop(): Promise<EndedCommand> {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.emit(signal, signal);
      return await ended;
    },
  };
}

const realEngine: OpenEngine = async (...request) =>
  await (await import('../src/open/engines.ts')).openEngine(...request);

/** Begins a command line; `terminal` has what it said so far. */
export function begin(
  argv: string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  { typed, piped, openEngine = realEngine }: RunOptions = {},
) {
  const terminal = new FakeTerminal(cwd, typed);
  if (piped !== undefined) terminal.pipe(piped);
  terminal.env = { NO_COLOR: '1', ...programEnv, ...env };
  const ended = main(argv, { terminal, openEngine }).then((code) => ({
    code: Number(code),
    out: terminal.stdout.text,
    err: terminal.stderr.text,
  }));
  return { terminal, ended };
}
