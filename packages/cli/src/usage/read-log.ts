import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type FoldedLog, LogFold } from '@gatehouse/core/usage';
import { GatehouseError } from '@gatehouse/core/values';

/** Where logs are, and how they are read. */
export interface LogSource extends NonNullable<ConstructorParameters<typeof LogFold>[0]> {
  /** Paths of files; `.gz` files are unpacked, and `-` is standard input. */
  files: readonly string[];
  stdin: Readable;
  /** Only the last bytes of each file that is not packed. Defaults to all of it. */
  last?: number | undefined;
}

/** A line may be long, as a field may; longer ones are cut, and said to be. */
const longest = 4 << 20;
const chunkSize = 1 << 18;

/**
 * Reads audit logs and folds them to what differs. Files of a rotated set are read oldest first, whatever their order.
 *
 * @throws GatehouseError `log_unreadable`, `log_in_clear`, `log_other_format`
 */
export async function readLog({ files, stdin, last, ...options }: LogSource): Promise<FoldedLog> {
  const fold = new LogFold(options);
  for (const file of await oldestFirst(files)) {
    try {
      const start = last === undefined || !isPlain(file) ? 0 : Math.max(0, (await stat(file)).size - last);
      let isInLine = start > 0;
      await eachLine(isPlain(file) ? chunksOf(file, start) : unpacked(file, stdin), (line, size) => {
        // The end of a line that began before this part.
        if (isInLine) {
          isInLine = false;
          return;
        }
        if (line === undefined) fold.addTooLong(size);
        else if (line.length <= 2 && line.trim() === '') fold.pass(size);
        else fold.add(line, size);
        if (fold.isInClear) throw inClear(file);
      });
    } catch (error) {
      throw unreadable(file, error);
    }
    fold.endFile();
    refuse(file, fold.counts);
  }
  const log = fold.result();
  // A request without a response is read at the end.
  if (fold.isInClear) throw inClear(files.join(', '));
  return log;
}

const isPlain = (file: string) => file !== '-' && !file.endsWith('.gz');

/** One buffer for all chunks: buffers that wait for the garbage collector take 100 MB. */
async function* chunksOf(file: string, start: number): AsyncGenerator<Buffer> {
  await using handle = await open(file);
  const buffer = Buffer.allocUnsafeSlow(chunkSize);
  // A pipe has no position.
  let position = start > 0 ? start : null;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, { position });
    if (bytesRead === 0) return;
    if (position !== null) position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function unpacked(file: string, stdin: Readable): Readable {
  if (file === '-') return stdin;
  const raw = createReadStream(file, { highWaterMark: chunkSize });
  const plain = createGunzip({ chunkSize });
  raw.on('error', (error: Error) => plain.destroy(error));
  plain.on('close', () => raw.destroy());
  return raw.pipe(plain);
}

/** @param take given each line with its bytes, its end among them; undefined for one that is too long to be read */
async function eachLine(
  source: AsyncIterable<Buffer | string>,
  take: (line: string | undefined, size: number) => void,
): Promise<void> {
  let rest: Buffer = none;
  /** Bytes of a line that is too long, so far; 0 for any other. */
  let tooLong = 0;
  for await (const chunk of source) {
    const data = toBuffer(chunk);
    let start = 0;
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      const size = end + 1 - start;
      if (tooLong > 0) take(undefined, tooLong + size);
      else if (rest.length > 0) {
        const line = Buffer.concat([rest, data.subarray(start, end)]).toString('utf8');
        take(line, rest.length + size);
      } else take(data.toString('utf8', start, end), size);
      rest = none;
      tooLong = 0;
      start = end + 1;
    }
    if (tooLong > 0) {
      tooLong += data.length - start;
      continue;
    }
    // A copy, or all of the chunk would stay.
    rest = Buffer.concat([rest, data.subarray(start)]);
    if (rest.length > longest) {
      tooLong = rest.length;
      rest = none;
    }
  }
  if (tooLong > 0) take(undefined, tooLong);
  else if (rest.length > 0) take(rest.toString('utf8'), rest.length);
}

const none = Buffer.alloc(0);

const toBuffer = (chunk: Buffer | string): Buffer => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk);

/** Files by the time they were last written: `audit.log.2`, `audit.log.1`, `audit.log`. */
async function oldestFirst(files: readonly string[]): Promise<string[]> {
  const dated = await Promise.all(
    files.map(async (file) => {
      if (file === '-') return { file, at: Number.POSITIVE_INFINITY };
      try {
        return { file, at: (await stat(file)).mtimeMs };
      } catch (error) {
        throw unreadable(file, error);
      }
    }),
  );
  return dated.sort((a, b) => a.at - b.at).map(({ file }) => file);
}

function inClear(file: string): GatehouseError {
  return new GatehouseError('log_in_clear', { given: file });
}

function refuse(file: string, { unread, otherLines, entries }: LogFold['counts']): void {
  const foreign = unread['other-format'] + unread['not-json'] + otherLines;
  if (entries > 0 || unread.request > 0 || foreign === 0) return;
  throw new GatehouseError('log_other_format', {
    given: file,
    allowed:
      'JSON Lines of a file, syslog or socket device, as they are or as a collector passes them on; not jsonx',
  });
}

function unreadable(file: string, error: unknown): Error {
  if (error instanceof GatehouseError || !(error instanceof Error)) return error as Error;
  return new GatehouseError('log_unreadable', {
    given: file,
    cause: error,
    values: { reason: error.message },
  });
}
