import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { RecordedLife, startLoggingOpenBao } from '../../test/harness/recorded-traffic.ts';
import { readLog } from '../cli/src/usage/read-log.ts';
import { type Bench, figure, mustBe } from './frame.ts';
import { measureProcess, runsInTurn } from './processes.ts';
import { writeRepeated } from './repeated-log.ts';

const seed = Number(process.env['SEED'] ?? 20_261_125);
const reader = new URL('read-usage.mjs', import.meta.url).pathname;

/** Reads and folds a large audit log: a real one, repeated with other times and people. */
export const usage: Bench = async ({ n = 4_000_000, rounds = 1 }, atEnd) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-usage-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'large.log');
  const packed = `${log}.gz`;
  const recorded = await record(Math.min(2_000, n));
  atEnd(() => recorded.close());
  const { requests } = await readLog({ files: [recorded.log], stdin: process.stdin });
  // A log that is longer holds the same people for longer.
  const wanted = Math.min(Math.ceil(n / 16), 250_000);
  await writeRepeated(recorded.log, { lines: n, differ: requests.length, wanted }, createWriteStream(log));
  await pipeline(createReadStream(log), createGzip({ level: 1 }), createWriteStream(packed));

  const run = (how: string, path: string) => () => measureProcess([reader, how, path], {});
  let differ = 0;
  const differing = (fold: ReturnType<typeof run>) => async () => {
    const measured = await fold();
    if (differ > 0) mustBe('that differ, read again', Number(measured.stdout), differ);
    differ = Number(measured.stdout);
    return measured;
  };
  const counting = (count: ReturnType<typeof run>) => async () => {
    const measured = await count();
    mustBe('lines', Number(measured.stdout), n);
    return measured;
  };
  const of = await runsInTurn(rounds, {
    fold: differing(run('fold', log)),
    packed: differing(run('fold', packed)),
    parse: counting(run('parse', log)),
    count: counting(run('count', packed)),
  });
  return [
    figure('seed', seed),
    figure('lines', n),
    figure('size', statSync(log).size / 1e6, ' MB'),
    {
      ...figure('principals, operations and paths that differ', differ),
      aim: `at least ${wanted}`,
      isMet: differ >= wanted,
      isResult: true,
    },
    figure('read and folded', of('fold'), ' s', (60 * n) / 4_000_000),
    figure('… lines a second', n / of('fold')),
    figure('… CPU time', of('fold', 'cpuSeconds'), ' s'),
    figure('… lines a second of CPU time', n / of('fold', 'cpuSeconds')),
    figure('… peak memory', of('fold', 'peakBytes') / 1024 ** 2, ' MB', 250),
    figure('gzipped, against that', of('packed') / of('fold'), '', 1.1),
    figure('… CPU time', of('packed', 'cpuSeconds'), ' s'),
    figure(
      'CPU time against that of `JSON.parse` of each line',
      of('fold', 'cpuSeconds') / of('parse', 'cpuSeconds'),
      '',
      1.3,
    ),
    figure('… CPU time of that', of('parse', 'cpuSeconds'), ' s'),
    figure('gzipped, against `zcat | wc -l`', of('packed') / of('count')),
  ];
};

async function record(count: number): Promise<{ log: string; close(): Promise<void> }> {
  const server = await startLoggingOpenBao();
  const life = await RecordedLife.begin(server, seed);
  await life.sendAll(await life.signIn(), life.requests(count));
  return {
    log: server.log,
    close: async () => {
      await life.close();
      await server.close();
    },
  };
}
