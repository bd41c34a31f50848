import { isDeepStrictEqual } from 'node:util';
import { isPropertyMap, type PropertyMap, type PropertyValue } from './property-value.ts';

/** The kinds of a difference, in the order of the enum in provider.proto. */
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

function definedKeys(before: PropertyMap, after: PropertyMap): string[] {
  const defined = [before, after].flatMap((map) => Object.keys(map).filter((key) => map[key] !== undefined));
  return [...new Set(defined)];
}

/**
 * Compares inputs (pulumi/pulumi `sdk/go/common/resource/plugin/provider.go`, `NewDetailedDiffFromObjectDiff`).
 *
 * @returns `keys`: the top-level properties that differ
 */
export function diffInputs(
  before: PropertyMap,
  after: PropertyMap,
): { keys: string[]; detailed: Record<string, PropertyDiff> } {
  return {
    keys: definedKeys(before, after).filter((key) => !isDeepStrictEqual(before[key], after[key])),
    detailed: Object.fromEntries(
      diffMaps(before, after, '').map(([path, kind]) => [path, { kind, inputDiff: true }]),
    ),
  };
}

type ChangedPath = [path: string, kind: DiffKind];

function diffMaps(before: PropertyMap, after: PropertyMap, path: string): ChangedPath[] {
  return definedKeys(before, after).flatMap((key) =>
    diffValues(before[key], after[key], path + segment(key, path === '')),
  );
}

function diffValues(
  before: PropertyValue | undefined,
  after: PropertyValue | undefined,
  path: string,
): ChangedPath[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [[path, 'add']];
  if (after === undefined) return [[path, 'delete']];
  if (Array.isArray(before) && Array.isArray(after)) {
    const longer = before.length > after.length ? before : after;
    return longer.flatMap((_, index) => diffValues(before[index], after[index], `${path}[${index}]`));
  }
  if (isPropertyMap(before) && isPropertyMap(after)) return diffMaps(before, after, path);
  return [[path, 'update']];
}

function segment(key: string, first: boolean): string {
  if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) return first ? key : `.${key}`;
  return `[${JSON.stringify(key)}]`;
}

/** The kind of a difference that requires a replacement. */
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
