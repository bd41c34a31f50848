import { spawn } from 'node:child_process';
import { visible } from '@gatehouse/core/values';
import { type Terminal, widthOf } from './terminal.ts';
import { wrapped } from './wrap.ts';

/** Stays on the screen, keeps colors, and ends by itself where all fits. */
const usual = 'less -FRX';

/** Variables that a pager has: no token and no secret is among them, nor what makes `less` start another program. */
const passed =
  /^(?:PATH|HOME|USER|SHELL|TERM|TERMINFO|COLORTERM|LANG|LANGUAGE|LC_[A-Z]+|LESS|LESSCHARSET|COLUMNS|LINES|TMPDIR|SystemRoot|ComSpec|PATHEXT)$/;

/**
 * Writes a text for people, through a pager where it is longer than their screen: `PAGER`, else `less -FRX`. The text is written
 * as it is for a file, a pipe or CI, where `PAGER` is empty or `cat`, and where the pager cannot be started.
 */
export async function writePaged(terminal: Terminal, text: string): Promise<void> {
  const { stdout, env } = terminal;
  const shown = wrapped(visible(text), widthOf(stdout, env));
  const pager = pagerFor(terminal, shown);
  if (pager !== undefined && (await isPaged(pager, shown, env))) return;
  stdout.write(shown);
}

/** The command line of the pager; undefined where none is wanted. */
function pagerFor({ stdout, env }: Terminal, text: string): string | undefined {
  const { isTTY, rows } = stdout;
  if (isTTY !== true || rows === undefined || text.split('\n').length <= rows) return undefined;
  if ((env['CI'] ?? 'false') !== 'false' || env['TERM'] === 'dumb') return undefined;
  const pager = (env['PAGER'] ?? usual).trim();
  return pager === '' || pager === 'cat' ? undefined : pager;
}

/** Whether the pager took the text. One that is quit early took it. */
function isPaged(pager: string, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    const variables = Object.entries(env).filter(([name]) => passed.test(name));
    const child = spawn(pager, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: Object.fromEntries(variables),
    });
    // Ctrl-C is for the pager; it would leave the terminal to it if this process ended.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    const end = (isTaken: boolean) => {
      process.off('SIGINT', ignore);
      resolve(isTaken);
    };
    child.once('error', () => end(false));
    // A shell says 126 or 127 of what it cannot start.
    child.once('close', (code) => end(code !== 126 && code !== 127));
    // It was quit before it read all.
    child.stdin.once('error', ignore);
    child.stdin.end(text);
  });
}
