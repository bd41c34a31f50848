import { GatehouseError } from '@gatehouse/core/values';
import { printable, styleFor } from './style.ts';
import type { Terminal } from './terminal.ts';
import { writeText } from './wrap.ts';

/** Prints why a command failed: message and code, with `verbose` a stack trace, and with `json` an object on stdout. */
export function reportError(
  thrown: unknown,
  terminal: Terminal,
  { json, verbose }: { json: boolean; verbose: boolean },
): void {
  const error = fileError(thrown) ?? thrown;
  const message = printable(error instanceof Error ? error.message : String(error));
  const code = error instanceof GatehouseError ? error.code : 'unexpected';
  if (json) {
    terminal.stdout.write(`${JSON.stringify({ result: 'failed', error: { code, message } }, null, 4)}\n`);
  }
  const style = styleFor(terminal.stderr, terminal.env);
  const text = `${style.removed('error:')} ${message}\n  ${style.faint(`(${code})`)}\n`;
  writeText(terminal.stderr, terminal.env, text);
  if (verbose) terminal.stderr.write(`${stackTraces(error)}\n`);
  else if (code === 'unexpected') terminal.stderr.write('  Run it with --verbose to see a stack trace.\n');
}

/** An error of the system about a file or folder, such as a missing folder or a full disk. */
function fileError(error: unknown): GatehouseError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { path, code, syscall, message } = error as NodeJS.ErrnoException;
  const isOfFile = code === 'ENOSPC' || (path !== undefined && !syscall?.startsWith('spawn'));
  if (!isOfFile || syscall === undefined) return undefined;
  const [reason = ''] = message.split(', ');
  return new GatehouseError('file_failed', {
    where: path,
    cause: error,
    values: { syscall, reason },
  });
}

function stackTraces(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by: ${stackTraces(error.cause)}`;
}
