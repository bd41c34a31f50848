import type { AccessChange, ChangedPaths } from '../../access/access-change.ts';
import type { Graph } from '../../graph/graph.ts';
import { isOfPattern } from '../../graph/policies/acl.ts';
import { readPolicy } from '../../graph/policies/parse-policy.ts';
import { shortened } from '../../graph/values/cut.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { policyKey } from '../../graph/values/name-key.ts';
import { subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

/** How many paths a message lists. */
const mostNamed = 10;

export const denialRemoved: ChangeRule = {
  id: 'denial-removed',
  severity: 'warning',
  about: 'A denial that goes, where another rule or policy gives the path.',
  check: ({ before, after }, { access }) => {
    const deniedBefore = denialsIn(before);
    const deniedAfter = denialsIn(after);
    return access.changes.flatMap((change) => {
      const paths = change.paths.filter(
        (path) => isOpened(path) && wasDenied(change, path, deniedBefore, deniedAfter),
      );
      if (paths.length === 0) return [];
      const named = paths.map(({ path, gained }) => `${gained.join(', ')} ${JSON.stringify(path)}`);
      return {
        subject: subjectOf(change),
        message: `Now allowed, and denied before: ${shortened(named, mostNamed)}.`,
        fix: 'Keep the denial, or take away what gives the path.',
      };
    });
  },
};

const isOpened = ({ gained }: ChangedPaths) => gained.length > 0;

type Denials = (policy: string) => readonly string[];

/** Whether a denial decided on a path, or, where that is not known, whether a policy of these principals loses one. */
function wasDenied(
  { policies }: AccessChange,
  { decides, witness }: ChangedPaths,
  deniedBefore: Denials,
  deniedAfter: Denials,
): boolean {
  if (decides !== undefined) return isDenying(decides.before.capabilities);
  const isDenied = (names: readonly string[], denials: Denials) =>
    names.some((name) => denials(name).some((pattern) => isOfPattern(witness, pattern)));
  return (
    isDenied([...policies.kept, ...policies.lost], deniedBefore) &&
    !isDenied([...policies.kept, ...policies.gained], deniedAfter)
  );
}

/** A rule without a capability denies as well. */
const isDenying = (capabilities: readonly string[]) =>
  capabilities.length === 0 || capabilities.includes('deny');

/** The patterns that each policy of a graph denies; what a template fills in may be any segment. */
function denialsIn({ policies }: Graph): Denials {
  const texts = new Map(policies.map(({ name, text }) => [policyKey(name), text]));
  const known = new Map<string, string[]>();
  return (policy) =>
    getOrMake(known, policyKey(policy), () =>
      (readPolicy(texts.get(policyKey(policy)) ?? '') ?? []).flatMap(({ path, capabilities }) =>
        isDenying(capabilities) ? path.replace(/\{\{[^}]*\}\}/g, '+') : [],
      ),
    );
}
