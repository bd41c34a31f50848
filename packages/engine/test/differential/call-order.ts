import type { Call, JsonObject } from './calls.ts';

/** Resource → all that it needs: its parent, its provider, what its inputs are taken from, and what those need. */
export function relations(resources: JsonObject[]): Map<string, Set<string>> {
  const needs = new Map<string, Set<string>>();
  for (const { urn, parent, provider, dependencies, delete: isLeft } of resources) {
    if (isLeft) continue;
    const direct = [
      ...(typeof parent === 'string' ? [parent] : []),
      ...(typeof provider === 'string' ? [provider.slice(0, provider.lastIndexOf('::'))] : []),
      ...(Array.isArray(dependencies) ? dependencies.map(String) : []),
    ];
    // In a state, what is needed comes first.
    needs.set(String(urn), new Set(direct.flatMap((each) => [each, ...(needs.get(each) ?? [])])));
  }
  return needs;
}

/** Reads of a refresh, and the comparison with what they found, are in no order but each resource's own. */
function isFree(call: Call, started: boolean): boolean {
  return !started && ['read', 'diff'].includes(call.method);
}

/** Pairs of calls of which the second began after the first had ended, on one resource or one that needs the other. */
export function orderedPairs(calls: Call[], needs: Map<string, Set<string>>): Set<string> {
  const pairs = new Set<string>();
  const ended: { name: string; urn: string; free: boolean }[] = [];
  const seen = new Map<string, number>();
  const named = new Map<number, { name: string; urn: string; free: boolean }>();
  // The program runs once something is checked, the rest is deleted without it.
  let started = false;
  for (const call of calls) {
    if (call.ends) {
      const done = named.get(call.call);
      if (done !== undefined) ended.push(done);
      continue;
    }
    const urn = String(call.request['urn'] ?? '');
    started ||= call.method === 'checkConfig' || call.method === 'delete';
    const count = (seen.get(`${call.method} ${urn}`) ?? 0) + 1;
    seen.set(`${call.method} ${urn}`, count);
    const next = { name: `${call.method} ${count} ${urn}`, urn, free: isFree(call, started) };
    named.set(call.call, next);
    for (const before of ended) {
      const isRelated = needs.get(urn)?.has(before.urn) || needs.get(before.urn)?.has(urn);
      if (before.urn === urn || (isRelated && !next.free && !before.free)) {
        pairs.add(`${before.name} → ${next.name}`);
      }
    }
  }
  return pairs;
}
