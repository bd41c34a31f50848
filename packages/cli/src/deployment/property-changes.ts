import { type PropertyMap, type PropertyValue, Secret, type Step } from '@gatehouse/engine';
import {
  containsSecret,
  hidden,
  isMap,
  type ShownValue,
  sameValue,
  shownValue,
  unmarked,
} from './shown-value.ts';

/** One property that changes, by its path (`tune.defaultLeaseTtl`, `claims[0].name`). */
export type PropertyChange = { path: string; replaces: boolean } & (
  | { kind: 'added'; new: ShownValue }
  | { kind: 'removed'; old: ShownValue }
  | { kind: 'changed'; old: ShownValue; new: ShownValue }
  /** A list of plain values, read as a set. */
  | { kind: 'entries'; added: ShownValue[]; removed: ShownValue[] }
  /** The plugin reports a difference, but the values known here are the same. */
  | { kind: 'differs' }
);

/**
 * What a step changes in its resource, sorted by path. A refresh compares the recorded outputs with those read; any other
 * step compares inputs, and if those are the same, the recorded outputs with the new inputs.
 */
export function propertyChanges(step: Step): PropertyChange[] {
  const { oldState, newState } = step;
  if (oldState === undefined || newState === undefined) return [];
  if (step.op === 'refresh') return changesBetween(oldState.outputs, newState.outputs, new Set());
  const replacing = new Set((step.replaceKeys ?? []).map(topLevelName));
  for (const [path, { kind }] of Object.entries(step.detailedDiff ?? {})) {
    if (kind.endsWith('-replace')) replacing.add(topLevelName(path));
  }
  const reported = [
    ...(step.diffs ?? []),
    ...Object.keys(step.detailedDiff ?? {}),
    ...(step.replaceKeys ?? []),
  ];
  const names = new Set(reported.map(topLevelName));
  if (names.size === 0) return changesBetween(oldState.inputs, newState.inputs, replacing);
  return [...names].sort().flatMap((name) => {
    const after = newState.inputs[name];
    const source = sameValue(oldState.inputs[name], after) ? oldState.outputs : oldState.inputs;
    const changes = changesBetween(source, newState.inputs, replacing, [name]);
    if (changes.length > 0) return changes;
    const change = isConcealed(after)
      ? { kind: 'changed' as const, old: hidden, new: hidden }
      : { kind: 'differs' as const };
    return [{ path: name, replaces: replacing.has(name), ...change }];
  });
}

/** Whether the Pulumi CLI has masked a value: a changed secret then looks the same as before. */
function isConcealed(value: PropertyValue | undefined): boolean {
  return containsSecret(value) && JSON.stringify(unmarked(value ?? null)).includes(JSON.stringify(hidden));
}

/** `tune` of `tune.ttl`, `a` of `a[0]`, `a.b` of `["a.b"].c`. */
function topLevelName(path: string): string {
  const [whole, quoted] = /^(?:\["((?:[^"\\]|\\.)*)"\]|[^.[]+)/.exec(path) ?? [path];
  return quoted ?? whole;
}

function propertyNames(before: PropertyMap, after: PropertyMap): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !name.startsWith('__'))
    .sort();
}

function changesBetween(
  before: PropertyMap,
  after: PropertyMap,
  replacing: Set<string>,
  names = propertyNames(before, after),
): PropertyChange[] {
  return names.flatMap((name) => {
    const differences: ValueDifference[] = [];
    compareValues(name, before[name], after[name], differences);
    return differences.map((difference) => ({ ...difference, replaces: replacing.has(name) }));
  });
}

/** `Omit` that keeps the members of a union apart. */
type WithoutReplaces<Change> = Change extends unknown ? Omit<Change, 'replaces'> : never;
type ValueDifference = WithoutReplaces<PropertyChange>;

function compareValues(
  path: string,
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
  differences: ValueDifference[],
): void {
  if (sameValue(before, after)) return;
  // If only one side is marked as secret, the other may hold the very same value.
  const isSecret = before instanceof Secret || after instanceof Secret;
  const shown = (value: PropertyValue) => (isSecret ? hidden : shownValue(value));
  if (before === undefined || before === null) {
    differences.push({ path, kind: 'added', new: shown(after ?? null) });
  } else if (after === undefined || after === null) {
    differences.push({ path, kind: 'removed', old: shown(before) });
  } else if (isMap(before) && isMap(after)) {
    for (const name of propertyNames(before, after))
      compareValues(`${path}${pathStep(name)}`, before[name], after[name], differences);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(path, before, after, differences);
  } else {
    differences.push({ path, kind: 'changed', old: shown(before), new: shown(after) });
  }
}

function compareLists(
  path: string,
  before: PropertyValue[],
  after: PropertyValue[],
  differences: ValueDifference[],
): void {
  if (containsSecret(before) || containsSecret(after)) {
    differences.push({ path, kind: 'changed', old: hidden, new: hidden });
    return;
  }
  if ([...before, ...after].some((entry) => typeof entry === 'object' && entry !== null)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      compareValues(`${path}[${index}]`, before[index], after[index], differences);
    }
    return;
  }
  const added = after.filter((entry) => !before.includes(entry));
  const removed = before.filter((entry) => !after.includes(entry));
  if (added.length + removed.length > 0) {
    differences.push({
      path,
      kind: 'entries',
      added: added.map(shownValue),
      removed: removed.map(shownValue),
    });
  } else {
    differences.push({ path, kind: 'changed', old: before.map(shownValue), new: after.map(shownValue) });
  }
}

function pathStep(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
