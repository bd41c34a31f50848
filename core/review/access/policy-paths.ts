import type { Acl } from '../../model/policies/acl.ts';
import type { PolicySet } from '../../model/policies/policy-texts.ts';

/** What becomes of a path of the secrets service. */
export interface PathChange {
  /** As a policy writes it, with `*` and `+`. */
  path: string;
  gained: string[];
  lost: string[];
  /** Fields that a request may or must have are other than before. */
  parametersChange: boolean;
}

/** Stands for any segment: no policy names it. */
const anySegment = '\u{e000}';

/**
 * Which capabilities are gained or lost where. Each pattern that a policy has on either side is asked about on both, so
 * that a rule that only repeats what a wider one says is no change, and a denial within a wider one is.
 */
export function pathChanges(before: PolicySet, after: PolicySet): PathChange[] {
  const patterns = new Set([...before.rules, ...after.rules].map(({ path }) => path));
  const changes: PathChange[] = [];
  for (const path of [...patterns].sort()) {
    const asked = example(path);
    const [old, wanted] = [before, after].map(({ acl }) => new Set(allowed(acl, asked)));
    const gained = [...(wanted ?? [])].filter((one) => !old?.has(one));
    const lost = [...(old ?? [])].filter((one) => !wanted?.has(one));
    const parametersChange = before.acl.limits(asked) !== after.acl.limits(asked);
    if (gained.length > 0 || lost.length > 0 || (parametersChange && wanted?.size && old?.size)) {
      changes.push({ path, gained, lost, parametersChange });
    }
  }
  return changes;
}

/** A path that a pattern matches, and that no narrower one of any policy is made for. */
function example(pattern: string): string {
  const path = pattern
    .split('/')
    .map((part) => (part === '+' ? anySegment : part))
    .join('/');
  return path.endsWith('*') ? `${path.slice(0, -1)}${anySegment}` : path;
}

function allowed(acl: Acl, path: string): string[] {
  return acl.capabilities(path).filter((one) => one !== 'deny');
}
