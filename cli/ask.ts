import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Terminal } from './terminal.ts';

/** Asks on stderr, so that stdout stays what was asked for. The end of input is an empty answer. */
export function ask(terminal: Terminal, question: string): Promise<string> {
  return readLine(terminal, terminal.stderr, question);
}

/** Asks for what must not be seen: what is typed is not shown. */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  terminal.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await readLine(terminal, nowhere, '');
  terminal.stderr.write('\n');
  return answer;
}

/** Only an explicit yes is one. */
export async function askYesOrNo(terminal: Terminal, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(terminal, `${question} (yes/no) `));
}

async function readLine(terminal: Terminal, output: Writable, question: string): Promise<string> {
  const lines = createInterface({ input: terminal.stdin, output, terminal: terminal.stdin.isTTY === true });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return (await Promise.race([lines.question(question), ended])).trim();
  } finally {
    lines.close();
  }
}
