import { isObject } from '../../../core/src/graph/values/json.ts';
import type { DeploymentResult, Step } from '../../src/engine.ts';
import { orderedPairs, relations } from './call-order.ts';
import type { Call, Json, JsonObject } from './calls.ts';
import type { Names } from './names.ts';

/** What an engine did. */
export interface Ran {
  result: DeploymentResult;
  calls: Call[];
  /** Of the state afterwards. */
  resources: JsonObject[];
}

/**
 * What differs between what the real engine and the local one did with the same program on the same state: steps with
 * their reasons, calls of the plugin, the order of related ones, and the state.
 *
 * @param before resources of the real state before
 * @param names of what services make up, as it is on the local side
 */
export function differences(real: Ran, local: Ran, before: JsonObject[], names?: Names): string[] {
  // In a preview, what is made has no id yet.
  for (const resource of real.resources) {
    const same = local.resources.find((other) => keyOf(other) === keyOf(resource));
    if (same !== undefined) names?.learn(resource, same);
  }
  const original = <T extends Json>(value: T): T => names?.original(value) ?? value;
  const states = local.resources.map((resource) => shortState(original(resource)));
  const calls = local.calls.map((call) => ({
    ...call,
    request: original(call.request),
    ...(call.answer && { answer: original(call.answer) }),
  }));
  const needs = relations(real.resources.length === 0 ? before : real.resources);
  const order = orderedPairs(local.calls, needs);
  const unordered = [...orderedPairs(real.calls, needs)].filter((pair) => !order.has(pair));
  return [
    ...apart('outcome', [outcomeOf(real)], [outcomeOf(local)]),
    ...apart('step', real.result.steps.map(shortStep), local.result.steps.map(shortStep)),
    ...apart('call', asked(real.calls), asked(calls)),
    ...apart('resource', real.resources.map(shortState), states),
    ...unordered.map((pair) => `order: only the real engine has ${pair}`),
  ];
}

function keyOf({ urn, delete: isLeft }: JsonObject): string {
  return `${urn} ${isLeft === true}`;
}

function outcomeOf({ result }: Ran): string {
  const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
  const counts = Object.entries(result.changes).filter(([, count]) => count > 0);
  return JSON.stringify([result.succeeded, errors.length > 0, counts.sort()]);
}

/** What is in one list more, or more often, than in the other. */
function apart(kind: string, real: string[], local: string[]): string[] {
  const unmatched = [...local];
  const less = real.filter((entry) => {
    const at = unmatched.indexOf(entry);
    if (at >= 0) unmatched.splice(at, 1);
    return at < 0;
  });
  return [
    ...less.map((entry) => `${kind}: only the real engine has ${entry}`),
    ...unmatched.map((entry) => `${kind}: only the local engine has ${entry}`),
  ];
}

function shortStep({
  op,
  urn,
  refreshed,
  oldState,
  newState,
  diffs,
  replaceKeys,
  detailedDiff,
}: Step): string {
  const isRead = refreshed || op === 'refresh';
  // The last event of a refresh by the CLI has what it found; here the states tell.
  const found = newState === undefined ? 'gone' : 'there';
  const states = [oldState, newState].map((state) => (state === undefined ? 'none' : 'some')).join(' → ');
  const why = JSON.stringify([
    diffs?.toSorted() ?? [],
    replaceKeys?.toSorted() ?? [],
    Object.entries(detailedDiff ?? {}).sort(),
  ]);
  return `${isRead ? `refresh: ${found}` : op} ${urn} ${states} ${why}`;
}

function shortState({
  created: _,
  modified: __,
  sourcePosition: ___,
  stackTrace: ____,
  ...resource
}: JsonObject): string {
  const { dependencies = [], propertyDependencies = {} } = resource;
  // Sets, which the real engine writes in any order.
  const ofProperties = Object.entries(propertyDependencies as Record<string, string[]>)
    // After a refresh, the real one writes no empty ones.
    .filter(([, urns]) => urns.length > 0)
    .map(([name, urns]) => [name, urns.toSorted()]);
  return JSON.stringify(
    sorted(
      withoutCiphertext({
        ...resource,
        dependencies: (dependencies as string[]).toSorted(),
        propertyDependencies: Object.fromEntries(ofProperties),
      }),
    ),
  );
}

function withoutCiphertext(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutCiphertext);
  if (!isObject(value)) return value;
  const entries = Object.entries(value as JsonObject).map(([name, inner]): [string, Json] => [
    name,
    name === 'ciphertext' ? '' : withoutCiphertext(inner),
  ]);
  return Object.fromEntries(entries);
}

function asked(calls: Call[]): string[] {
  return calls.filter(({ ends }) => ends).map(shortCall);
}

function shortCall({ method, request, answer = {} }: Call): string {
  const { urn, olds, news, oldInputs, properties, inputs, preview } = request;
  // Over gRPC, a plugin is not told the id of its own resource.
  const id = method === 'diffConfig' ? undefined : request['id'];
  const sent = { urn, id, olds, news, oldInputs, properties, inputs, preview };
  const given = Object.entries(sent).filter(
    ([, value]) => value !== undefined && value !== false && value !== '',
  );
  const { id: newId = '', inputs: kept = {}, properties: outputs = {} } = answer;
  return `${method} ${JSON.stringify([Object.fromEntries(given) as JsonObject, { newId, kept, outputs }].map(sorted))}`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
