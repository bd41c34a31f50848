import { readFile, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { beforeAll, expect, test } from '@jest/globals';
import { asked, texts } from '../../../../test/harness/audit-kinds.ts';
import { AuditTraffic, type TrafficRequest } from '../../../../test/harness/audit-traffic.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import type { OpenBao } from '../../../../test/harness/openbao-server.ts';
import { numberHeader } from '../../../../test/harness/recorded-traffic.ts';
import { startTrafficOpenBao, type TrafficOpenBao } from '../../../../test/harness/traffic-openbao.ts';
import { readLog } from '../../../cli/src/usage/read-log.ts';
import { readLiveGraph } from '../../../service-client/src/live-graph.ts';
import { ServiceClient } from '../../../service-client/src/service-client.ts';
import { sudoPathsIn } from '../../src/graph/policies/sudo-paths.ts';
import { isSame } from '../../src/graph/resources/field.ts';
import { type AuditEntry, readAuditLine } from '../../src/usage/audit-line.ts';
import { LoggedPrincipals } from '../../src/usage/logged-principals.ts';
import { refinePolicies } from '../../src/usage/refine-policies.ts';
import { replay } from '../../src/usage/replay.ts';
import { RequestJudge } from '../../src/usage/request-judge.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { replayCauseWords } from '../../src/words/request-words.ts';
import { usageReasonWords } from '../../src/words/usage-reason-words.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_127);
const count = Number(process.env['GATEHOUSE_COUNT'] ?? 700);
const changes = Number(process.env['GATEHOUSE_CHANGES'] ?? 12);
/** Policies that are refined and applied, at least: as many at once as this traffic has. */
const refined = Number(process.env['GATEHOUSE_REFINED'] ?? 8);
const patienceMs = Math.max(600_000, refined * 15_000);
const now = () => BigInt(Date.now()) * 1_000_000n;
const noInput = Readable.from([]);
const sentWith = new RegExp(`"${numberHeader}":\\["(\\d+)"\\]`);

type RefinedCount = 'refined' | 'smaller' | 'asked' | 'lost' | 'gained';

describeWithOpenBao(
  `traffic of all kinds, seed ${seed}`,
  (running: () => OpenBao) => {
    const server = () => running() as TrafficOpenBao;
    let traffic: AuditTraffic;
    let requests: TrafficRequest[];

    const known = async () => {
      const client = new ServiceClient({ address: server().address, token: server().token });
      const { graph, ids, unreadable } = await readLiveGraph(client, { whole: true });
      const sudo = sudoPathsIn((await client.read('sys/internal/specs/openapi'))?.data);
      client.close();
      expect(unreadable).toEqual([]);
      return { graph, ids, sudo };
    };
    const entriesFrom = async (start: number): Promise<Map<number, AuditEntry>> => {
      const found = new Map<number, AuditEntry>();
      for (const line of (await readFile(server().log)).subarray(start).toString().split('\n')) {
        const number = sentWith.exec(line)?.[1];
        const entry = number === undefined ? 'request' : readAuditLine(line);
        if (typeof entry !== 'string') found.set(Number(number), entry);
      }
      return found;
    };
    const read = (watched: ReadonlySet<string>) =>
      readLog({ files: [server().log, server().otherLog], stdin: noInput, watched });

    beforeAll(async () => {
      traffic = await AuditTraffic.begin(server(), seed);
      requests = traffic.requests(count);
      await traffic.sendAll(requests);
    }, patienceMs);

    test('each kind of request meets each kind of token in the log', () => {
      const kindOf = (source: number) => traffic.sources[source]?.kind ?? '';
      const met = new Set(requests.map(({ kind, source }) => `${kind} by ${kindOf(source)}`));
      const sources = new Set(traffic.sources.map(({ kind }) => kind));
      const kinds = new Set(asked.map(([kind]) => kind));
      const pairs = [...kinds].flatMap((kind) => [...sources].map((source) => `${kind} by ${source}`));
      console.log(`${pairs.length} pairs of ${kinds.size} kinds of requests and ${sources.size} of tokens`);
      expect(pairs.filter((pair) => !met.has(pair))).toEqual([]);
    });

    test(
      'a recorded answer is what the server says when the request is sent again',
      async () => {
        const service = await known();
        const judge = new RequestJudge(service, now());
        const { size } = await stat(server().log);
        const again = await traffic.sendAll(requests);
        const answers = await entriesFrom(size);
        const log = await read(judge.watched());
        const tally = { same: 0, unknown: 0, skipped: 0 };
        const reasons: Record<string, number> = {};
        const wrong: string[] = [];
        const numberOf = new Map([...(await entriesFrom(0))].map(([number, { id }]) => [id, number]));
        const truth = new Map(
          again.flatMap((number) => (number === undefined ? [] : [[number, answers.get(number)] as const])),
        );
        for (const request of log.requests) {
          const entry = truth.get(numberOf.get(request.id) ?? -1);
          if (entry === undefined || entry.outcome === 'unchecked') {
            tally.skipped += 1;
            continue;
          }
          const { by } = request;
          const judged = judge.judge(by.policies, by.entity, request);
          const missing =
            by.unknown ??
            (judged.because?.kind === 'unknown' ? usageReasonWords(judged.because.missing) : undefined);
          if (missing !== undefined) {
            tally.unknown += 1;
            reasons[missing] = (reasons[missing] ?? 0) + 1;
          } else if (judged.answer === entry.outcome) tally.same += 1;
          else wrong.push(JSON.stringify({ truth: entry.outcome, judged, request }));
        }
        const used = usageOf(log, service, now());
        console.log(
          JSON.stringify({
            tally,
            reasons,
            wrong: wrong.length,
            answers: used.answers,
            origins: used.origins,
            untold: used.untold,
          }),
        );
        expect(wrong.slice(0, 5)).toEqual([]);
        expect(used.answers.other).toBe(0);
        expect(tally.unknown).toBeLessThanOrEqual((tally.same + tally.unknown) / 50);
        expect(tally.same).toBeGreaterThan(count / 10);
      },
      patienceMs,
    );

    test('a request that two devices have counts once, with the same origin as in one of them', async () => {
      const of = async (...files: string[]) => {
        const { requests, signIns, repeated } = await readLog({ files, stdin: noInput });
        // Each device has its own times, and the service's own requests have no id.
        const texts = requests.flatMap(({ by: { lineage, ...by }, last: _, ...request }) =>
          request.id === ''
            ? []
            : JSON.stringify({ ...request, by, origin: [lineage?.method, lineage?.role] }),
        );
        return { texts: new Set(texts), signIns: signIns.map(({ count }) => count), repeated };
      };
      const [one, both] = [await of(server().log), await of(server().otherLog, server().log)];
      expect([...one.texts].filter((text) => !both.texts.has(text)).slice(0, 3)).toEqual([]);
      expect([both.texts.size, both.signIns]).toEqual([one.texts.size, one.signIns]);
      expect(both.repeated).toBeGreaterThan(count);
    });

    test(
      'a token is of the sign-in that began it',
      async () => {
        const service = await known();
        const log = await read(new Set());
        const principals = new LoggedPrincipals(service, service.graph, log);
        const numberOf = new Map([...(await entriesFrom(0))].map(([number, { id }]) => [id, number]));
        const wrong: string[] = [];
        let checked = 0;
        for (const { by, id } of log.requests) {
          const source = traffic.sources[traffic.sent.get(numberOf.get(id) ?? -1)?.source ?? -1];
          if (source === undefined || source.namespace !== undefined) continue;
          const at = principals.signedInAt(by);
          const found = at === undefined ? undefined : `${at.method}/${at.role}`;
          checked += 1;
          if (found !== source.origin) wrong.push(`${source.kind}: ${found} is ${source.origin}`);
        }
        console.log(`${checked} origins checked`);
        expect([...new Set(wrong)]).toEqual([]);
      },
      patienceMs,
    );

    test(
      `${changes} changes: what is predicted, and what is answered once all tokens are made anew`,
      async () => {
        const before = await known();
        const judge = new RequestJudge(before, now());
        const log = await read(judge.watched());
        const numberOf = new Map([...(await entriesFrom(0))].map(([number, { id }]) => [id, number]));
        const allowed = log.requests.flatMap((logged) => {
          const request = traffic.sent.get(numberOf.get(logged.id) ?? -1);
          const isPlain =
            request !== undefined &&
            logged.outcome === 'allowed' &&
            request.path !== 'identity/entity/name/made';
          return isPlain && traffic.sources[request.source]?.namespace === undefined
            ? [{ logged, request }]
            : [];
        });
        const sample = allowed.filter((_, at) => at % Math.ceil(allowed.length / 150) === 0);
        const tally = { asked: 0, refused: 0, unknown: 0, skipped: 0 };
        const reasons: Record<string, number> = {};
        const wrong: string[] = [];
        for (let at = 0; at < changes; at += 1) {
          const change = traffic.change();
          await traffic.root('POST', change.path, change.body);
          const after = await known();
          const predicted = replay(
            log,
            { before: before.graph, after: after.graph },
            { ...before, now: now() },
          );
          const tokens = await traffic.makeAll();
          const { size } = await stat(server().log);
          const sent = await traffic.sendAll(
            sample.map(({ request }) => request),
            tokens,
          );
          const answers = await entriesFrom(size);
          const refused = new Set(predicted.refused.map(({ request }) => request));
          const unknown = new Map(predicted.unknown.map((one) => [one.request, one]));
          for (const [index, { logged, request }] of sample.entries()) {
            const number = sent[index];
            const answer = number === undefined ? undefined : answers.get(number);
            tally.asked += 1;
            const isRefused = number === undefined || answer?.outcome === 'refused';
            const isOther =
              number !== undefined &&
              (answer === undefined ||
                answer.operation !== logged.operation ||
                answer.outcome === 'unchecked');
            const left = unknown.get(logged);
            if (isOther) tally.skipped += 1;
            else if (left !== undefined) {
              tally.unknown += 1;
              const words = replayCauseWords(left.because);
              reasons[words] = (reasons[words] ?? 0) + 1;
            } else {
              if (isRefused) tally.refused += 1;
              if (isRefused !== refused.has(logged))
                wrong.push(
                  JSON.stringify({
                    isRefused,
                    change,
                    source: traffic.sources[request.source],
                    request,
                    by: logged.by,
                    now: answer?.by,
                  }),
                );
            }
          }
          await traffic.root('POST', change.path, change.was);
        }
        console.log(JSON.stringify({ tally, reasons, wrong: wrong.length }));
        expect(wrong.slice(0, 3)).toEqual([]);
        expect(tally.refused).toBeGreaterThan(0);
        // A renewal took people out of their group, which the next sign-in brings again.
        expect(tally.unknown).toBeLessThanOrEqual(tally.asked / 50);
      },
      patienceMs,
    );

    /** Refines all policies that have a text of this traffic, applies them at once, sends requests again, and puts them back. */
    const refineAll = async (tally: Record<RefinedCount, number>, wrong: string[]): Promise<void> => {
      const sent = requests.filter(({ path }) => !path.startsWith('identity'));
      const answersNow = async () => {
        const { size } = await stat(server().log);
        const numbers = await traffic.sendAll(sent);
        const answers = await entriesFrom(size);
        return numbers.map((number) => answers.get(number ?? -1));
      };
      const was = await answersNow();
      const service = await known();
      const log = await read(new RequestJudge(service, now()).watched());
      const found = refinePolicies(log, service, texts, new Map(), { now: now() });
      const smaller = found.filter(({ before, after }) => before !== after);
      tally.refined += found.length;
      tally.smaller += smaller.length;
      for (const { name, after } of smaller)
        await traffic.root('POST', `sys/policies/acl/${name}`, { policy: after });
      const is = await answersNow();
      for (const { name, before } of smaller)
        await traffic.root('POST', `sys/policies/acl/${name}`, { policy: before });
      for (const [at, before] of was.entries()) {
        const after = is[at];
        // A renewal among the requests may take a token out of its group, or the request may do another thing by now.
        if (before?.operation !== after?.operation || !isSame(before?.by, after?.by)) continue;
        if (before === undefined || after === undefined) continue;
        tally.asked += 1;
        const key = `${before.outcome} ${after.outcome}`;
        if (key === 'allowed refused') tally.lost += 1;
        if (key === 'refused allowed') tally.gained += 1;
        if (key !== 'allowed refused' && key !== 'refused allowed') continue;
        const taken = smaller.filter(({ name }) => after.by?.policies.includes(name));
        wrong.push(JSON.stringify({ key, request: sent[at], by: after.by, taken }));
      }
    };

    test(
      'policies that are refined and applied: no request is lost, and no one gains',
      async () => {
        const tally = { refined: 0, smaller: 0, asked: 0, lost: 0, gained: 0 };
        const wrong: string[] = [];
        for (let round = 0; tally.refined < refined; round += 1) {
          // Other texts, and the same traffic by them.
          for (const name of round === 0 ? [] : texts)
            await traffic.write(`sys/policies/acl/${name}`, { policy: traffic.text() });
          await refineAll(tally, wrong);
        }
        console.log(JSON.stringify(tally));
        expect(wrong.slice(0, 3)).toEqual([]);
        expect(tally.smaller).toBeGreaterThan(0);
      },
      patienceMs,
    );
  },
  startTrafficOpenBao,
);
