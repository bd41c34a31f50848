import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { GatehouseError } from '@gatehouse/core/values';

/** The parts of `process` that commands use, or a test's replacement. */
export interface Terminal {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Exit code of the process. */
  exitCode: ExitCode;
}

export const ExitCode = {
  /** Yes, or done. */
  ok: 0,
  /** Something went wrong. */
  error: 1,
  /** The answer is no: declined, or a check failed. */
  no: 2,
  /** A person has to decide first. */
  waiting: 3,
  /** Ctrl-C, before anything was changed; also what a shell says of a command that Ctrl-C ended. */
  canceled: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The columns of a terminal, or of `COLUMNS`; undefined for a file or a pipe, whose lines stay as they are. */
export function widthOf(
  { isTTY, columns }: { isTTY?: boolean; columns?: number },
  env: NodeJS.ProcessEnv,
): number | undefined {
  return isTTY === true ? Number(env['COLUMNS']) || columns || 80 : undefined;
}

/** Whether there is a person to ask. */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks on stderr, so that stdout has only the result. The end of input is an empty answer.
 *
 * @throws GatehouseError `canceled` after Ctrl-C
 */
export function ask(terminal: Terminal, question: string): Promise<string> {
  return readLine(terminal, terminal.stderr, question);
}

/** Asks without showing what is typed. @throws GatehouseError `canceled` after Ctrl-C */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  terminal.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await readLine(terminal, nowhere, '');
  } finally {
    terminal.stderr.write('\n');
  }
}

/** Like `askYesOrNo`, with a third answer, after which it asks again. */
export async function askWithDetails(
  terminal: Terminal,
  question: string,
  showDetails: () => void | Promise<void>,
): Promise<boolean> {
  for (;;) {
    const answer = await ask(terminal, `${question} (yes/no/details) `);
    if (!/^d(etails)?$/i.test(answer)) return /^y(es)?$/i.test(answer);
    await showDetails();
  }
}

/** Anything but an explicit yes is a no. */
export async function askYesOrNo(terminal: Terminal, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(terminal, `${question} (yes/no) `));
}

async function readLine(terminal: Terminal, output: Writable, question: string): Promise<string> {
  // Nothing would say that it has ended a second time.
  if (terminal.stdin.readableEnded) return '';
  const lines = createInterface({ input: terminal.stdin, output, terminal: terminal.stdin.isTTY === true });
  const ended = new Promise<string>((resolve, reject) => {
    lines.once('close', () => resolve(''));
    lines.once('SIGINT', () => {
      output.write('\n');
      reject(new GatehouseError('canceled'));
    });
  });
  try {
    return (await Promise.race([lines.question(question), ended])).trim();
  } finally {
    lines.close();
  }
}

/**
 * Asks twice for a secret, without showing it.
 *
 * @throws GatehouseError `secret_differs`
 */
export async function askSecretTwice(terminal: Terminal, what: string): Promise<string> {
  const first = await askSecret(terminal, `${what} (not shown): `);
  if (first === '' || first === (await askSecret(terminal, 'The same again: '))) return first;
  throw new GatehouseError('secret_differs');
}

/**
 * The text of a file that an option names, relative to the current folder; `-` is standard input.
 *
 * @throws GatehouseError `file_unreadable`
 */
export async function readInput(file: string, { stdin, cwd }: Terminal): Promise<string> {
  if (file === '-') return text(stdin);
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new GatehouseError('file_unreadable.input', { given: file, cause });
  }
}
