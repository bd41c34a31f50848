import { isDeepStrictEqual } from 'node:util';
import type { DiffResponse } from '../plugins/plugin.ts';
import { type PropertyDiff, replacing } from '../property-diff.ts';
import { parsePropertyPath, pathContains } from '../property-path.ts';
import { holdsUnknown, isPropertyMap, type PropertyValue, Secret } from '../property-value.ts';

/**
 * Whether a changed `replacementTrigger` replaces the resource (`step_generator.go`, `shouldTriggerReplace`): not if either
 * side has none. A value that a preview does not know counts as changed.
 */
export function triggersReplacement(
  triggerBefore: PropertyValue | undefined,
  triggerAfter: PropertyValue | undefined,
): boolean {
  const before = withoutSecrets(triggerBefore);
  const after = withoutSecrets(triggerAfter);
  if (holdsUnknown(before) || holdsUnknown(after)) return true;
  return before !== null && after !== null && !isDeepStrictEqual(before, after);
}

/** What secrets hold; references stay (`unwrapSecretsAndOutputs`). */
function withoutSecrets(value: PropertyValue | undefined): PropertyValue {
  if (value instanceof Secret) return withoutSecrets(value.value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isPropertyMap(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner)]));
}

/** In `replaceOnChanges`: the resource exists but is incomplete. */
const initErrorKey = '#initerror';

/** Turns changes into replacements as `replaceOnChanges` says (`step_generator.go`, `applyReplaceOnChanges`). */
export function withReplaceOnChanges(
  diff: DiffResponse,
  replaceOnChanges: string[],
  hasInitErrors: boolean,
): DiffResponse {
  if (replaceOnChanges.length === 0 || (diff.changes !== 'some' && !hasInitErrors)) return diff;
  const replacePaths = replaceOnChanges.map(parsePropertyPath).filter((path) => path !== undefined);
  const isWanted = (text: string) => {
    const path = parsePropertyPath(text);
    return path !== undefined && replacePaths.some((outer) => pathContains(outer, path));
  };
  const replaces = new Set([...diff.replaces, ...diff.diffs.filter(isWanted)]);
  const detailedDiff: Record<string, PropertyDiff> = {};
  for (const [path, entry] of Object.entries(diff.detailedDiff ?? {})) {
    detailedDiff[path] = isWanted(path) ? { ...entry, kind: replacing(entry.kind) } : entry;
    // A plugin names whole properties in `diffs`, the parts that differ here alone.
    if (isWanted(path)) replaces.add(String(parsePropertyPath(path)?.[0]));
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
    detailedDiff: diff.detailedDiff && detailedDiff,
  };
}
