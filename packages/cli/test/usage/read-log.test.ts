import { execFileSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { alice, requestLine, responseLine } from '../../../core/test/usage/audit-lines.ts';
import { readLog } from '../../src/usage/read-log.ts';

const noInput = Readable.from([]);

function file(content: string | Buffer, name = 'audit.log', at?: number): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  if (at !== undefined) utimesSync(path, at, at);
  return path;
}

const read = (...files: string[]) => readLog({ files, stdin: noInput });
const piped = (...chunks: (string | Buffer)[]) => readLog({ files: ['-'], stdin: Readable.from(chunks) });
const line = (path: string) => responseLine({ request: { path, id: `of ${path}` } });
const paths = ({ requests }: Awaited<ReturnType<typeof read>>) => requests.map(({ path }) => path);

describe('lines', () => {
  test('may end with CRLF, and blank ones do not count', async () => {
    const log = await read(file(`${line('kv/a')}\r\n\r\n\n${line('kv/b')}\r\n`));
    expect(log).toMatchObject({ lines: 2, entries: 2 });
  });

  test('of a pipe may be split anywhere, within a letter as well', async () => {
    const bytes = Buffer.from(`${line('kv/å')}\n${line('kv/日本')}\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
      bytes.subarray(at * 7, at * 7 + 7),
    );
    expect(paths(await piped(...chunks))).toEqual(['kv/å', 'kv/日本']);
  });

  test('may come as text', async () => {
    expect(paths(await piped(`${line('kv/a')}\n`, line('kv/b')))).toEqual(['kv/a', 'kv/b']);
  });

  test('are cut where a pipe ends', async () => {
    expect(await piped(`${line('kv/a')}\n${line('kv/b').slice(0, 300)}`)).toMatchObject({
      entries: 1,
      unread: { cut: 1 },
    });
  });

  test('of 16 KB, as containers cut them, are put together', async () => {
    const long = responseLine({ request: { id: 'long', data: { long: 'x'.repeat(30_000) } } });
    const log = await read(file(`${line('kv/a')}\n${long.slice(0, 16_384)}\n${long.slice(16_384)}\n`));
    expect(log).toMatchObject({ entries: 2, unread: { cut: 0, 'not-json': 0 } });
  });

  test('of 5 MB are counted, and the next one is read', async () => {
    const long = responseLine({ request: { data: { long: 'x'.repeat(5 << 20) } } });
    expect(await read(file(`${long}\n${line('kv/a')}\n${long}`))).toMatchObject({
      entries: 1,
      unread: { cut: 2 },
    });
  });
});

describe('files', () => {
  test('are read oldest first, packed or not', async () => {
    const old = file(gzipSync(`${line('kv/old')}\n`), 'audit.log.1.gz', 1_000);
    expect(paths(await read(file(line('kv/new'), 'audit.log', 2_000), old))).toEqual(['kv/old', 'kv/new']);
  });

  test('may be read by their last bytes alone, from the next line on', async () => {
    const all = ['kv/a', 'kv/b', 'kv/c'].map((path) => `${line(path)}\n`);
    const [one = ''] = all;
    const log = file(all.join(''));
    const of = async (last: number) => (await readLog({ files: [log], stdin: noInput, last })).entries;
    const bytes = one.length;
    expect([await of(2 * bytes + 5), await of(bytes + 5), await of(10 * bytes)]).toEqual([2, 1, 3]);
  });

  test('may be a named pipe', async () => {
    const pipe = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writing = writeFile(pipe, `${line('one')}\n${line('two')}\n`);
    expect(paths(await read(pipe))).toEqual(['kv/one', 'kv/two']);
    await writing;
  });

  test('may be empty', async () => {
    expect(await read(file(''))).toMatchObject({ lines: 0, entries: 0, requests: [] });
  });

  test('of a rotated set may have another service in between, which is counted', async () => {
    const log = await read(file(line('kv/a'), 'a', 1_000), file('{"level":"info"}\n', 'b', 2_000));
    expect(log).toMatchObject({ entries: 1, unread: { 'other-format': 1 } });
  });

  test.each([
    ['another service', '{"level":"info","msg":"up"}\n{"level":"info"}\n'],
    ['jsonx', '<json:object name="auth"><json:string name="type">response</json:string></json:object>\n'],
    ['text', 'Nov 25 10:00:00 host kernel: up\n'],
    ['binary', Buffer.from([0, 255, 10, 254, 0, 10])],
  ])('of %s are refused', async (_, content) => {
    await expect(read(file(content))).rejects.toMatchObject({ code: 'log_other_format' });
  });

  test('that are cut while packed are said', async () => {
    const packed = gzipSync(Array.from({ length: 500 }, (_, at) => line(`kv/${at}`)).join('\n'));
    const half = file(packed.subarray(0, packed.length / 2), 'audit.log.1.gz');
    await expect(read(half)).rejects.toMatchObject({ code: 'log_unreadable' });
  });

  test('that are not packed, but named so, are said', async () => {
    await expect(read(file(line('kv/a'), 'audit.log.gz'))).rejects.toMatchObject({ code: 'log_unreadable' });
  });

  test('that are folders, or not there, are said', async () => {
    const folder = join(temporaryFolder(), 'logs');
    mkdirSync(folder);
    await expect(read(folder)).rejects.toMatchObject({ code: 'log_unreadable' });
    await expect(read(join(folder, 'none'))).rejects.toMatchObject({ code: 'log_unreadable' });
  });
});

describe('a log in clear', () => {
  const token = 'hvs.CAESIJ-secret-token';
  const inClear = responseLine({ auth: alice({ client_token: token }), request: { client_token: token } });

  test('is refused at its first line, with why and without the token', async () => {
    const files = [file(`${requestLine()}\n${inClear}\n${line('kv/after')}\n`)];
    const error: Error = await readLog({ files, stdin: noInput }).then(
      () => new Error('it was read'),
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: 'log_in_clear' });
    expect(error.message).toContain('log_raw');
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${error.cause}`).not.toContain(token);
  });

  test('is refused among others', async () => {
    await expect(read(file(line('kv/a'), 'a', 1_000), file(inClear, 'b', 2_000))).rejects.toMatchObject({
      code: 'log_in_clear',
    });
  });
});
