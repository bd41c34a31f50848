import { main } from '../../cli/main.ts';
import { FakeTerminal } from './fake-terminal.ts';

/** How a command line ended. */
export interface EndedCommand {
  code: number;
  out: string;
  err: string;
}

/** Runs a command line in this process, in a folder, with these variables and no others. */
export async function runCommand(
  argv: string[],
  env: NodeJS.ProcessEnv = {},
  cwd = '.',
): Promise<EndedCommand> {
  return await begin(argv, env, cwd).ended;
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

function begin(argv: string[], env: NodeJS.ProcessEnv, cwd: string) {
  const terminal = new FakeTerminal(cwd);
  terminal.env = { NO_COLOR: '1', ...env };
  const openEngine = () => Promise.reject(new Error('no engine is needed'));
  const ended = main(argv, { terminal, openEngine }).then((code) => ({
    code: Number(code),
    out: terminal.stdout.text,
    err: terminal.stderr.text,
  }));
  return { terminal, ended };
}
