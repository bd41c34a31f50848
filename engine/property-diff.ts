import { isDeepStrictEqual } from 'node:util';
import { isPropertyMap, type PropertyMap, type PropertyValue } from './property-value.ts';

/** In the order of the enum in provider.proto. */
export const diffKinds = [
  'add',
  'add-replace',
  'delete',
  'delete-replace',
  'update',
  'update-replace',
] as const;
export type DiffKind = (typeof diffKinds)[number];
export interface PropertyDiff {
  kind: DiffKind;
  /** True if it compares new inputs with old inputs rather than with the old state. */
  inputDiff: boolean;
}

function definedKeys(map: PropertyMap): string[] {
  return Object.keys(map).filter((key) => map[key] !== undefined);
}

/**
 * Compares inputs (pulumi/pulumi `sdk/go/common/resource/plugin/provider.go`, `NewDetailedDiffFromObjectDiff`).
 *
 * @returns `keys`: the top-level properties that differ
 */
export function diffInputs(
  olds: PropertyMap,
  news: PropertyMap,
): { keys: string[]; detailed: Record<string, PropertyDiff> } {
  const detailed: Record<string, PropertyDiff> = {};
  diffMaps(olds, news, '', detailed);
  const keys = [...new Set([...definedKeys(olds), ...definedKeys(news)])];
  return { keys: keys.filter((key) => !isDeepStrictEqual(olds[key], news[key])), detailed };
}

function diffMaps(
  olds: PropertyMap,
  news: PropertyMap,
  path: string,
  into: Record<string, PropertyDiff>,
): void {
  for (const key of new Set([...definedKeys(olds), ...definedKeys(news)])) {
    diffValues(olds[key], news[key], path + segment(key, path === ''), into);
  }
}

function diffValues(
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
  path: string,
  into: Record<string, PropertyDiff>,
): void {
  if (isDeepStrictEqual(before, after)) return;
  if (before === undefined || after === undefined) {
    into[path] = { kind: before === undefined ? 'add' : 'delete', inputDiff: true };
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      diffValues(before[index], after[index], `${path}[${index}]`, into);
    }
  } else if (isPropertyMap(before) && isPropertyMap(after)) {
    diffMaps(before, after, path, into);
  } else {
    into[path] = { kind: 'update', inputDiff: true };
  }
}

function segment(key: string, first: boolean): string {
  if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) return first ? key : `.${key}`;
  return `[${JSON.stringify(key)}]`;
}

/** The same difference when it requires a replacement. */
export function replacing(kind: DiffKind): DiffKind {
  return kind.endsWith('-replace') ? kind : (`${kind}-replace` as DiffKind);
}

const inverted: Record<DiffKind, DiffKind> = {
  add: 'delete',
  'add-replace': 'delete-replace',
  delete: 'add',
  'delete-replace': 'add-replace',
  update: 'update',
  'update-replace': 'update-replace',
};

/** The diff of a refresh: the inverse of what the next `up` would do (same file, `DiffResult.Invert`). */
export function invertDetailedDiff(
  detailed: Record<string, PropertyDiff> | undefined,
): Record<string, PropertyDiff> | undefined {
  if (detailed === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(detailed).map(([path, diff]) => [path, { ...diff, kind: inverted[diff.kind] }]),
  );
}
