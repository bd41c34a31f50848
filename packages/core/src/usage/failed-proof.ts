import type { AccessChange } from '../access/access-change.ts';
import type { AccessDecision } from '../access/questions/change.ts';
import { type Giver, giverKey } from '../access/reasons/giver.ts';
import type { KeptReason } from './kept-reason.ts';

/** Why edits are not proven; and where others would gain, the same by the pattern that decided there. */
export interface FailedProof {
  why: KeptReason;
  gains: Map<string, KeptReason>;
}

export const failing = (why: KeptReason): FailedProof => ({ why, gains: new Map() });

/** Why a change by which someone gains, or may gain, is not made. */
export function gaining({ gains, changes, uncertain }: AccessDecision): FailedProof {
  const [missing] = uncertain;
  if (gains === 'unknown') return failing({ kind: 'gain-unknown', ...(missing && { missing }) });
  const gainedPaths = changes
    .filter((change) => change.gains !== 'none')
    .flatMap((by) =>
      by.paths.flatMap(({ path, gained, limits = [] }) =>
        gained.length > 0 || limits.some(({ side }) => side === 'gained') ? [{ by, path, gained }] : [],
      ),
    );
  const gainBy = (paths: typeof gainedPaths): KeptReason => ({
    kind: 'gain',
    capabilities: [...new Set(paths.flatMap(({ gained }) => gained))].sort(),
    to: rolesAndGroups(paths.map(({ by }) => by)),
  });
  const byPattern = Map.groupBy(gainedPaths, ({ path }) => path);
  return {
    why: gainBy(gainedPaths),
    gains: new Map([...byPattern].map(([pattern, paths]) => [pattern, gainBy(paths)])),
  };
}

/** The roles and groups of changes, each once, and no person. */
function rolesAndGroups(changes: readonly AccessChange[]): Giver[] {
  const givers = changes.flatMap(({ principals: { kind, name, method, group } }): Giver[] => {
    if (kind === 'role') return [{ kind, method, name }];
    return kind === 'group' || kind === 'alias' ? [{ kind: 'group', name: group ?? name }] : [];
  });
  return [...new Map(givers.map((giver) => [`${giver.kind} ${giverKey(giver)}`, giver])).values()];
}
