import { GatehouseError } from '../../core/model/values/errors.ts';
import type { DiffResponse } from '../plugins/plugin.ts';
import type { PropertyDiff } from '../property-diff.ts';
import { diffInputs } from '../property-diff.ts';
import type { PropertyMap } from '../property-value.ts';
import type { ResourceOperations } from './plugin-session.ts';
import { parsePropertyPath, pathContains, resetPath } from './property-path.ts';

export const noDiff: DiffResponse = {
  changes: 'none',
  replaces: [],
  stables: [],
  diffs: [],
  deleteBeforeReplace: false,
};

/** What differs, by the plugin; by the inputs alone when the plugin cannot tell (`step_generator.go`, `diffResource`). */
export async function diffResource(
  operations: ResourceOperations,
  request: {
    urn: string;
    id: string;
    olds: PropertyMap;
    oldInputs: PropertyMap;
    news: PropertyMap;
    ignoreChanges: string[];
  },
): Promise<DiffResponse> {
  const diff = await operations.diff(request);
  if (diff.changes !== 'unknown') return diff;
  const { keys, detailed } = diffInputs(
    request.oldInputs,
    withIgnoredChanges(request.news, request.oldInputs, request.ignoreChanges),
  );
  if (keys.length === 0) return { ...diff, changes: 'none' };
  return { ...diff, changes: 'some', diffs: keys, detailedDiff: detailed };
}

/**
 * Sets inputs whose changes are to be ignored back to what they were (`step_generator.go`, `processIgnoreChanges`).
 *
 * @throws GatehouseError `ignore_changes_path_missing`
 */
export function withIgnoredChanges(
  inputs: PropertyMap,
  oldInputs: PropertyMap,
  ignoreChanges: string[],
): PropertyMap {
  let result = inputs;
  const unknown: string[] = [];
  for (const text of ignoreChanges) {
    const path = parsePropertyPath(text);
    if (path === undefined) continue;
    const reset = resetPath(oldInputs, result, path);
    if (reset === undefined) unknown.push(text);
    else result = reset;
  }
  if (unknown.length === 0) return result;
  throw new GatehouseError({
    code: 'ignore_changes_path_missing',
    what: 'changes to some properties cannot be ignored, because a part of their path is missing',
    given: unknown.join(', '),
    fix: 'Correct the paths in `ignoreChanges`.',
  });
}

/** Stands for "it exists but is not right yet" in `replaceOnChanges`. */
const initErrorKey = '#initerror';

/** Turns changes into replacements where the program asks for it (`step_generator.go`, `applyReplaceOnChanges`). */
export function withReplaceOnChanges(
  diff: DiffResponse,
  replaceOnChanges: string[],
  hasInitErrors: boolean,
): DiffResponse {
  if (replaceOnChanges.length === 0 || (diff.changes !== 'some' && !hasInitErrors)) return diff;
  const wanted = replaceOnChanges.map(parsePropertyPath).filter((path) => path !== undefined);
  const isWanted = (text: string) => {
    const path = parsePropertyPath(text);
    return path !== undefined && wanted.some((outer) => pathContains(outer, path));
  };
  const replaces = new Set([...diff.replaces, ...diff.diffs.filter(isWanted)]);
  const detailedDiff: Record<string, PropertyDiff> = {};
  for (const [path, entry] of Object.entries(diff.detailedDiff ?? {})) {
    detailedDiff[path] = isWanted(path) ? { ...entry, kind: asReplacement(entry.kind) } : entry;
  }
  const broken = hasInitErrors && isWanted(initErrorKey);
  if (broken) {
    replaces.add(initErrorKey);
    detailedDiff[initErrorKey] = { kind: 'update-replace', inputDiff: false };
  }
  return {
    ...diff,
    changes: broken ? 'some' : diff.changes,
    replaces: [...replaces],
    ...(diff.detailedDiff === undefined ? {} : { detailedDiff }),
  };
}

function asReplacement(kind: PropertyDiff['kind']): PropertyDiff['kind'] {
  switch (kind) {
    case 'add':
      return 'add-replace';
    case 'delete':
      return 'delete-replace';
    case 'update':
      return 'update-replace';
    default:
      return kind;
  }
}
