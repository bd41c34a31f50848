import { Acl } from './acl.ts';
import { type PathRule, readPolicy } from './parse-policy.ts';

/** A path, or pattern of paths, on which more is allowed. */
export interface Widening {
  path: string;
  /** Capabilities; `parameters` where requests are allowed that fields or wrapping ruled out before. */
  gains: string[];
}

/**
 * What one text of a policy allows more than another. Both are asked at every pattern that either of them names:
 * between these, what is allowed does not change.
 *
 * @returns undefined where a text cannot be read as a policy.
 */
export function widened(before: string, after: string): Widening[] | undefined {
  const rules = [before, after].map(readPolicy);
  const [old, now] = rules;
  if (old === undefined || now === undefined) return undefined;
  const [was, is] = [old, now].map((one) => new Acl([{ name: '', rules: one }], 0n)) as [Acl, Acl];
  const paths = [...new Set([...old, ...now].map(({ path }) => path))].sort();
  return paths.flatMap((path) => {
    const there = was.capabilities(path);
    const gains = is.capabilities(path).filter((one) => one !== 'deny' && !there.includes(one));
    const isFreer = limits(old, path) !== '' && limits(now, path) !== limits(old, path);
    const allowed = is.capabilities(path).some((one) => one !== 'deny');
    if (isFreer && allowed && gains.length === 0) gains.push('parameters');
    return gains.length === 0 ? [] : [{ path, gains }];
  });
}

/** What rules for a pattern rule out beside capabilities; empty for nothing. */
function limits(rules: PathRule[], path: string): string {
  const own = rules
    .filter((rule) => rule.path === path)
    .map(({ allowedParameters, deniedParameters, requiredParameters, needsWrapping }) => [
      allowedParameters,
      deniedParameters,
      requiredParameters,
      needsWrapping || undefined,
    ]);
  return own.flat().some((one) => one !== undefined) ? JSON.stringify(own) : '';
}
