import { builtInDefault } from '../graph/policies/default-policy.ts';
import type { PathRule } from '../graph/policies/parse-policy.ts';
import type { PolicySides } from './policy-sides.ts';

/** Paths for which `default` is the same on both sides, and no wider than the text that services come with. */
export function ownPaths({ before = [], after = [] }: PolicySides): ReadonlySet<string> {
  const isIn = (rules: readonly PathRule[], { path, capabilities }: PathRule) => {
    const [rule, ...rest] = rules.filter((one) => one.path === path);
    return (
      rule !== undefined && rest.length === 0 && rule.capabilities.every((one) => capabilities.includes(one))
    );
  };
  const own = builtInDefault().filter((one) => isIn(before, one) && isIn(after, one));
  const capabilitiesAt = (rules: readonly PathRule[], path: string) =>
    rules
      .find((one) => one.path === path)
      ?.capabilities.toSorted()
      .join();
  return new Set(
    own.flatMap(({ path }) => (capabilitiesAt(before, path) === capabilitiesAt(after, path) ? path : [])),
  );
}

const nothing: PolicySides = { before: [], after: [], isSame: true };

/** Whether a policy is the same on both sides, and allows nothing that the built-in `default` does not. */
export function isOwn({ before, isSame }: PolicySides = nothing): boolean {
  const own = new Map(builtInDefault().map(({ path, capabilities }) => [path, capabilities]));
  const isWithin = ({ path, capabilities }: PathRule) =>
    own.has(path) && capabilities.every((one) => own.get(path)?.includes(one));
  return isSame && before?.every(isWithin) === true;
}
