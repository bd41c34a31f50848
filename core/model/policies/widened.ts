import { Acl } from './acl.ts';
import { readPolicy } from './parse-policy.ts';

/** A path, or pattern of paths, on which more is allowed. */
export interface Widening {
  path: string;
  /** Capabilities; `parameters` where a limit beside them is gone or another one. */
  gains: string[];
}

/**
 * What one text of a policy allows more than another. Both are asked at every pattern that either of them names.
 *
 * @returns undefined where a text cannot be read as a policy.
 */
export function widened(before: string, after: string): Widening[] | undefined {
  const [old, now] = [before, after].map(readPolicy);
  if (old === undefined || now === undefined) return undefined;
  const [was, is] = [old, now].map((rules) => new Acl([{ name: '', rules }], 0n)) as [Acl, Acl];
  return [...new Set([...old, ...now].map(({ path }) => path))].sort().flatMap((path) => {
    const allowed = is.capabilities(path).filter((one) => one !== 'deny');
    const there = was.capabilities(path);
    const gains = allowed.filter((one) => !there.includes(one));
    const limits = was.limits(path);
    // Which of two limits is the wider is not decided: another one may be.
    const mayBeFreer = limits !== '' && limits !== is.limits(path) && allowed.length > 0;
    if (gains.length > 0) return [{ path, gains }];
    return mayBeFreer ? [{ path, gains: ['parameters'] }] : [];
  });
}
