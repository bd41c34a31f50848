import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import type { OpenBao } from '../../../../test/harness/openbao-server.ts';
import {
  type LoggingOpenBao,
  numberHeader,
  RecordedLife,
  type SentRequest,
  startLoggingOpenBao,
} from '../../../../test/harness/recorded-traffic.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readLog } from '../../../cli/src/usage/read-log.ts';
import { readLiveGraph } from '../../../service-client/src/live-graph.ts';
import { type AuditEntry, readAuditLine } from '../../src/usage/audit-line.ts';
import type { FoldedLog } from '../../src/usage/folded-log.ts';
import { replay } from '../../src/usage/replay.ts';
import { RequestJudge } from '../../src/usage/request-judge.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_125);
const count = Number(process.env['GATEHOUSE_COUNT'] ?? 6_000);
const patienceMs = 900_000;
const noInput = Readable.from([]);
/** Each is of three writes. */
const otherKinds = ['text', 'role'] as const;
const now = () => BigInt(Date.now()) * 1_000_000n;

/** The entries of a part of the log by the number that was sent with their requests. */
async function numbered(file: string, start: number): Promise<Map<number, AuditEntry>> {
  const found = new Map<number, AuditEntry>();
  const text = (await readFile(file)).subarray(start).toString();
  for (const line of text.split('\n')) {
    const number = new RegExp(`"${numberHeader}":\\["(\\d+)"\\]`).exec(line)?.[1];
    const entry = number === undefined ? 'request' : readAuditLine(line);
    if (typeof entry !== 'string') found.set(Number(number), entry);
  }
  return found;
}

describeWithOpenBao(
  `a recorded life, seed ${seed}`,
  (running: () => OpenBao) => {
    const server = () => running() as LoggingOpenBao;
    let life: RecordedLife;
    let requests: SentRequest[];
    let rotated: string;

    const known = async () => {
      const { graph, ids, unreadable } = await readLiveGraph(life.root, { whole: true });
      expect(unreadable).toEqual([]);
      return { graph, ids };
    };
    const hashesOf = async (...services: Awaited<ReturnType<typeof known>>[]) => {
      const texts = new Set(services.flatMap((one) => [...new RequestJudge(one, now()).literals()]));
      const hash = async (input: string) =>
        String((await life.root.post('sys/audit-hash/main', { input })).data['hash']);
      return new Map(
        await Promise.all(
          [...texts].map(async (text): Promise<[string, string]> => [text, await hash(text)]),
        ),
      );
    };

    beforeAll(async () => {
      life = await RecordedLife.begin(server(), seed);
      const tokens = await life.signIn();
      requests = life.requests(count);
      const half = Math.floor(count / 2);
      await life.sendAll(tokens, requests.slice(0, half));
      rotated = `${server().log}.1`;
      await life.rotate(rotated);
      await life.sendAll(
        tokens,
        requests.slice(half),
        Array.from(requests.slice(half), (_, at) => half + at),
      );
    }, patienceMs);
    afterAll(() => life.close());

    test(
      'every recorded answer is that of the judge',
      async () => {
        const service = await known();
        const hashes = await hashesOf(service);
        const judge = new RequestJudge({ ...service, hashes }, now());
        const tally = { same: 0, allowed: 0, unknown: 0 };
        const wrong: string[] = [];
        const files = [rotated, server().log];
        const log = await readLog({ files, stdin: noInput, watched: judge.watched(), hashes });
        for (const request of log.requests) {
          const { by, outcome, operation, path, fields, wrapping, count: times } = request;
          const judged = judge.judge(by.policies, by.entity, request);
          if (judged.answer === 'unknown') tally.unknown += times;
          else if (judged.answer !== outcome)
            wrong.push(
              JSON.stringify({ outcome, operation, path, fields, wrapping, policies: by.policies, judged }),
            );
          else tally.same += times;
          if (outcome === 'allowed') tally.allowed += times;
        }
        console.log(`seed ${seed}: ${JSON.stringify(tally)}, ${wrong.length} differ`);
        expect(wrong.slice(0, 5)).toEqual([]);
        expect(tally.same + tally.unknown).toBeGreaterThanOrEqual(count);
        expect(tally.unknown).toBeLessThanOrEqual(count / 200);
        expect(tally.allowed).toBeGreaterThan(count / 10);
      },
      patienceMs,
    );

    test(
      'gzipped parts in the wrong order are the same as the whole',
      async () => {
        const folder = temporaryFolder();
        const whole = join(folder, 'whole.log');
        await writeFile(whole, Buffer.concat([await readFile(rotated), await readFile(server().log)]));
        const zipped = join(folder, 'audit.log.1.gz');
        await pipeline(createReadStream(rotated), createGzip({ level: 1 }), createWriteStream(zipped));
        const { atime, mtime } = await stat(rotated);
        await utimes(zipped, atime, mtime);
        const read = (...files: string[]) => readLog({ files, stdin: noInput });
        const [one, parts] = [await read(whole), await read(server().log, zipped)];
        expect(parts.entries).toBeGreaterThanOrEqual(count);
        expect(JSON.stringify(parts)).toBe(JSON.stringify(one));
        expect([...parts.writes]).toEqual([...one.writes]);
      },
      patienceMs,
    );

    test(
      'ten changes: what is predicted, and what is answered once everyone has signed in anew',
      async () => {
        const before = await known();
        const judge = new RequestJudge(before, now());
        const files = [rotated, server().log];
        const log = await readLog({ files, stdin: noInput, watched: judge.watched() });
        const numbers = new Map<string, number>();
        for (const file of files)
          for (const [number, { id }] of await numbered(file, 0)) numbers.set(id, number);
        const allowed = log.requests.filter(({ outcome, id }) => outcome === 'allowed' && numbers.has(id));
        const tally = { asked: 0, refused: 0, unknown: 0, otherOperation: 0 };
        const wrong: string[] = [];
        for (const kind of [
          'text',
          'role',
          'group',
          'entity',
          'text',
          'role',
          'group',
          'text',
          'entity',
          'group',
        ] as const) {
          const changes = [kind, ...otherKinds].map((one) => life.change(one));
          for (const { path, body } of changes) await life.root.put(path, body);
          const after = await known();
          const hashes = await hashesOf(before, after);
          const predicted = replay(
            log,
            { before: before.graph, after: after.graph },
            { ids: before.ids, now: now(), hashes },
          );
          const { size } = await stat(server().log);
          await replayEach(allowed, numbers);
          const answers = await numbered(server().log, size);
          const [refused, unknown] = [predicted.refused, predicted.unknown].map(
            (list) => new Set(list.map(({ request }) => request)),
          );
          expect(predicted.already).toBe(0);
          for (const request of allowed) {
            const answer = answers.get(numbers.get(request.id) ?? -1);
            tally.asked += 1;
            if (answer?.operation !== request.operation || answer.by === undefined) tally.otherOperation += 1;
            else if (unknown?.has(request)) tally.unknown += 1;
            else {
              const isRefused = answer.outcome === 'refused';
              if (isRefused) tally.refused += 1;
              const { by, operation, path: asked, fields } = request;
              if (isRefused !== refused?.has(request))
                wrong.push(
                  JSON.stringify({ changes, isRefused, operation, asked, fields, by, now: answer.by }),
                );
            }
          }
          for (const { path, was } of changes) await life.root.put(path, was);
          expect((await known()).graph).toEqual(before.graph);
        }
        console.log(`seed ${seed}: ${JSON.stringify(tally)}, ${wrong.length} wrong`);
        expect(wrong.slice(0, 3)).toEqual([]);
        expect(tally.refused).toBeGreaterThan(0);
        expect(tally.otherOperation).toBeLessThanOrEqual(tally.asked / 100);
      },
      patienceMs,
    );

    /** Everyone signs in anew; a write finds what it found when it was recorded: something, or nothing. */
    async function replayEach(
      allowed: FoldedLog['requests'],
      numbers: ReadonlyMap<string, number>,
    ): Promise<void> {
      const tokens = await life.signIn();
      const again = allowed.flatMap(({ id, operation }) => {
        const number = numbers.get(id) ?? -1;
        const request = requests[number];
        return request === undefined ? [] : [{ number, request, operation }];
      });
      const byKey = Map.groupBy(again, ({ request }) =>
        request.path.replace(/^secret\/\w+\//, 'secret/').replace(/\?.*|\/$/g, ''),
      );
      const limit = pLimit(16);
      const sendGroup = async (group: typeof again) => {
        let exists: boolean | undefined;
        const order = ['update', 'create'];
        group.sort((one, other) => order.indexOf(one.operation) - order.indexOf(other.operation));
        for (const { number, request, operation } of group) {
          const isWrite = request.method === 'POST' && !request.path.startsWith('sys/');
          const wanted = operation === 'update';
          if (isWrite && exists !== wanted) await life.prepare(request.path, wanted);
          await life.send(tokens[request.who] ?? '', request, number);
          exists = isWrite && wanted ? true : undefined;
        }
      };
      await Promise.all([...byKey.values()].map((group) => limit(() => sendGroup(group))));
    }
  },
  startLoggingOpenBao,
);
