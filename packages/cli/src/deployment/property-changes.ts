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
    const wanted = newState.inputs[name];
    const source = sameValue(oldState.inputs[name], wanted) ? oldState.outputs : oldState.inputs;
    const changes = changesBetween(source, newState.inputs, replacing, [name]);
    if (changes.length > 0) return changes;
    const change = isConcealed(wanted)
      ? { kind: 'changed' as const, old: hidden, new: hidden }
      : { kind: 'differs' as const };
    return [{ path: name, replaces: replacing.has(name), ...change }];
  });
}

/** The Pulumi CLI tells of a secret only that it is one: another value in the stack looks the same. */
function isConcealed(value: PropertyValue | undefined): boolean {
  return containsSecret(value) && JSON.stringify(unmarked(value ?? null)).includes(JSON.stringify(hidden));
}

/** `tune` of `tune.ttl`, `a` of `a[0]`, `a.b` of `["a.b"].c`. */
function topLevelName(path: string): string {
  const [whole, quoted] = /^(?:\["((?:[^"\\]|\\.)*)"\]|[^.[]+)/.exec(path) ?? [path];
  return quoted ?? whole;
}

function namesIn(one: PropertyMap, other: PropertyMap): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => !name.startsWith('__'))
    .sort();
}

function changesBetween(
  old: PropertyMap,
  wanted: PropertyMap,
  replacing: Set<string>,
  names = namesIn(old, wanted),
): PropertyChange[] {
  return names.flatMap((name) => {
    const found: Difference[] = [];
    compare(name, old[name], wanted[name], found);
    return found.map((difference) => ({ ...difference, replaces: replacing.has(name) }));
  });
}

/** `Omit` that keeps the members of a union apart. */
type WithoutReplaces<Change> = Change extends unknown ? Omit<Change, 'replaces'> : never;
type Difference = WithoutReplaces<PropertyChange>;

function compare(
  path: string,
  old: PropertyValue | undefined,
  wanted: PropertyValue | undefined,
  found: Difference[],
): void {
  if (sameValue(old, wanted)) return;
  // If only one side is marked as secret, the other may hold the very same value.
  const isSecret = old instanceof Secret || wanted instanceof Secret;
  const shown = (value: PropertyValue) => (isSecret ? hidden : shownValue(value));
  if (old === undefined || old === null) {
    found.push({ path, kind: 'added', new: shown(wanted ?? null) });
  } else if (wanted === undefined || wanted === null) {
    found.push({ path, kind: 'removed', old: shown(old) });
  } else if (isMap(old) && isMap(wanted)) {
    for (const name of namesIn(old, wanted)) compare(`${path}${step(name)}`, old[name], wanted[name], found);
  } else if (Array.isArray(old) && Array.isArray(wanted)) {
    compareLists(path, old, wanted, found);
  } else {
    found.push({ path, kind: 'changed', old: shown(old), new: shown(wanted) });
  }
}

function compareLists(
  path: string,
  old: PropertyValue[],
  wanted: PropertyValue[],
  found: Difference[],
): void {
  if (containsSecret(old) || containsSecret(wanted)) {
    found.push({ path, kind: 'changed', old: hidden, new: hidden });
    return;
  }
  if ([...old, ...wanted].some((entry) => typeof entry === 'object' && entry !== null)) {
    for (let index = 0; index < Math.max(old.length, wanted.length); index++) {
      compare(`${path}[${index}]`, old[index], wanted[index], found);
    }
    return;
  }
  const added = wanted.filter((entry) => !old.includes(entry));
  const removed = old.filter((entry) => !wanted.includes(entry));
  if (added.length + removed.length > 0) {
    found.push({ path, kind: 'entries', added: added.map(shownValue), removed: removed.map(shownValue) });
  } else {
    found.push({ path, kind: 'changed', old: old.map(shownValue), new: wanted.map(shownValue) });
  }
}

function step(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
