import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resourceToJson } from '../../engine/resource-state.ts';
import { MemoryStateStore } from '../engine/local/memory-state-store.ts';
import { type Call, orderedPairs, relations } from './call-order.ts';
import { type LocalRun, runLocally } from './local-run.ts';
import {
  callEvents,
  type Json,
  type JsonObject,
  type Recording,
  recordedRun,
  recordedState,
  recordings,
} from './recorded.ts';
import { startServiceOfThen } from './service-of-then.ts';

/** What no resource's step calls: the local engine has the plugin in its process. */
const greetings = ['Attach', 'Handshake', 'GetPluginInfo', 'Cancel'];

describe('the local engine does what a real one did on the same program and state', () => {
  let service: Awaited<ReturnType<typeof startServiceOfThen>>;
  const store = new MemoryStateStore();
  const runs = new Map<Recording, LocalRun>();
  /** Of the resources after `up-remount`. */
  let state: JsonObject[] = [];
  beforeAll(async () => {
    service = await startServiceOfThen();
    const { token, names } = service;
    const run = (recording: Recording, dryRun: boolean, said?: Recording) =>
      runLocally(recording, { store, token, names, dryRun, said });
    for (const recording of recordings) {
      // The program said nothing then that it did not say later.
      if (recording === 'preview-create') runs.set(recording, await run(recording, true, 'up-create'));
      // The first `up` is not recorded.
      if (recording === 'noop') await run('up-create', false);
      if (recording === 'preview-refresh-drift') await service.drift();
      if (recording !== 'preview-create')
        runs.set(recording, await run(recording, /^(preview|noop)/.test(recording)));
      if (recording === 'up-remount') {
        state = store.rows.map((row) =>
          names.original(resourceToJson(row, () => 'ciphertext') as JsonObject),
        );
      }
    }
  });
  afterAll(() => service.close());

  function local(recording: Recording): LocalRun {
    const run = runs.get(recording);
    if (run === undefined) throw new Error(`${recording} was not run`);
    return run;
  }

  describe.each(recordings)('%s', (recording) => {
    test('the same steps, for the same reasons', () => {
      const { result } = local(recording);
      expect(result.diagnostics).toEqual([]);
      const then = recordedRun(recording);
      expect(difference(result.steps.map(shortStep), then.steps.map(shortStep))).toEqual({
        more: [],
        less: [],
      });
      expect(result.changes).toEqual(then.changes);
    });
  });

  test('after up-remount, the same state', () => {
    const now = state.map(shortState).sort();
    expect(difference(now, recordedState().map(shortState))).toEqual({ more: [], less: [] });
  });

  const called = recordings.filter((recording) => recording !== 'preview-create');
  describe.each(called)('%s', (recording) => {
    test('the same calls of the plugin, with the same requests and answers', () => {
      const asked = (calls: Call[]) => calls.filter(({ ends }) => ends).map(shortCall);
      const now = local(recording).calls.map((call) => ({
        ...call,
        request: service.names.original(call.request),
        answer: call.answer && service.names.original(call.answer),
      }));
      expect(difference(asked(now), asked(recordedCalls(recording)))).toEqual({ more: [], less: [] });
    });

    test('each call after those that it came after then, because they are related', () => {
      const related = relations(callEvents(called[0] as Recording));
      const now = orderedPairs(local(recording).calls, related);
      const then = orderedPairs(recordedCalls(recording), related);
      expect(then.size).toBeGreaterThanOrEqual(30);
      expect([...then].filter((pair) => !now.has(pair))).toEqual([]);
    });
  });
});

function recordedCalls(recording: Recording): Call[] {
  return callEvents(recording)
    .filter(({ method }) => method.startsWith('ResourceProvider/'))
    .map(({ call, method, request, response, errors }) => ({
      call,
      method: method.split('/')[1] ?? '',
      request,
      answer: response,
      ends: response !== undefined || errors !== undefined,
    }))
    .filter(({ method }) => !greetings.includes(method));
}

/** What is in one list more, or more often, than in the other. */
function difference(now: string[], then: string[]): { more: string[]; less: string[] } {
  const more = [...now];
  const less = then.filter((entry) => {
    const at = more.indexOf(entry);
    if (at >= 0) more.splice(at, 1);
    return at < 0;
  });
  return { more, less };
}

type Steps = ReturnType<typeof recordedRun>['steps'];

function shortStep({
  op,
  urn,
  refreshed,
  oldState,
  newState,
  diffs,
  replaceKeys,
  detailedDiff,
}: Steps[number]): string {
  const isRead = refreshed || op === 'refresh';
  // The last event of a refresh by the CLI has what it found; here the states tell.
  const found = newState === undefined ? 'gone' : 'there';
  const states = [oldState, newState].map((state) => (state === undefined ? 'none' : 'some')).join(' → ');
  const why = JSON.stringify([diffs ?? [], replaceKeys ?? [], Object.entries(detailedDiff ?? {}).sort()]);
  return `${isRead ? `refresh: ${found}` : op} ${urn} ${states} ${why}`;
}

function shortState({ created: _, modified: __, sourcePosition: ___, ...resource }: JsonObject): string {
  return JSON.stringify(sorted(withoutCiphertext(resource)));
}

function withoutCiphertext(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutCiphertext);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => [
    name,
    name === 'ciphertext' ? '' : withoutCiphertext(inner),
  ]);
  return Object.fromEntries(entries);
}

function shortCall({ method, request, answer = {} }: Call): string {
  const { olds, news, oldInputs, properties, inputs, args, urn, preview } = request;
  // Of a provider's id, the plugin in the process is told otherwise than over gRPC.
  const id = method.includes('Config') ? undefined : request['id'];
  const sent = { urn, id, olds, news, oldInputs, properties, inputs, args, preview };
  const given = Object.entries(sent).filter(
    ([, value]) => value !== undefined && value !== false && value !== '',
  );
  // What is gone is answered without properties since, or the engine would take it for a resource.
  const isGone = method === 'Read' && !answer['id'];
  const told = [Object.fromEntries(given) as JsonObject, isGone ? {} : toldBy(answer)].map(sorted);
  return `${method} ${JSON.stringify(told)}`;
}

/** What the plugin says of a resource; what differs, the steps say. */
function toldBy({ id = '', inputs = {}, properties = {} }: JsonObject): JsonObject {
  return { id, inputs, properties };
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
