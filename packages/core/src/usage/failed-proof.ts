import type { AccessChange } from '../access/access-change.ts';
import type { AccessDecision } from '../access/questions/change.ts';
import { partName } from '../graph/values/visible.ts';
import { reasonWords } from '../words/reason-words.ts';

/** Why edits are not proven, in words; and where others would gain, the same by the pattern that decided there. */
export interface FailedProof {
  why: string;
  gains: Map<string, string>;
}

export const failing = (why: string): FailedProof => ({ why, gains: new Map() });

/** Why a change by which someone gains, or may gain, is not made. */
export function gaining({ gains, changes, uncertain }: AccessDecision): FailedProof {
  const [missing] = uncertain;
  if (gains === 'unknown')
    return failing(
      `whether anyone would gain is unknown${missing === undefined ? '' : `: ${reasonWords(missing)}`}`,
    );
  const gainedPaths = changes
    .filter((change) => change.gains !== 'none')
    .flatMap((by) =>
      by.paths.flatMap(({ path, gained, limits = [] }) =>
        gained.length > 0 || limits.some(({ side }) => side === 'gained') ? [{ by, path, gained }] : [],
      ),
    );
  const words = (same: typeof gainedPaths) => {
    const capabilities = [...new Set(same.flatMap(({ gained }) => gained))].sort();
    const what = capabilities.length === 0 ? 'more' : capabilities.join(', ');
    return `without it, a broader rule would give ${what} to ${whoWords(same.map(({ by }) => by))}`;
  };
  const byPattern = Map.groupBy(gainedPaths, ({ path }) => path);
  return {
    why: words(gainedPaths),
    gains: new Map([...byPattern].map(([pattern, same]) => [pattern, words(same)])),
  };
}

/** Names roles and groups, and no person. */
function whoWords(changes: readonly AccessChange[]): string {
  const named = changes.flatMap(({ principals: { kind, name, method, group } }) => {
    if (kind === 'role') return [partName('role', method, name)];
    return kind === 'group' || kind === 'alias' ? [partName('group', group ?? name)] : [];
  });
  const [first = 'principals of other kinds', ...rest] = new Set(named);
  return rest.length > 0 ? `${first} and ${rest.length} more` : first;
}
