import { namedKey } from '../graph/memberships.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { formatInstant } from '../graph/values/instant.ts';
import { addAll, smallestOf } from '../graph/values/sequences.ts';
import type { AccessChange, Answer, ChangedPaths, Principals } from './access-change.ts';
import type { IsAdministrator } from './administration.ts';
import { decidersKey, type PathChange } from './decide.ts';
import type { Direction } from './match-change.ts';
import type { PathCauses } from './path-cause.ts';
import type { Giver } from './reasons/giver.ts';

/** The answer of one direction that one path gives. */
export const someIf = (path: PathChange<Principals>, direction: Direction): Answer =>
  path.direction === direction ? 'some' : 'none';

/** Tokens of the same principals to which the same happens. */
export interface TokenOutcome {
  /** What else they have, one of these each; absent for tokens with nothing else, and whatever else they have. */
  together?: Giver[][];
  paths: ChangedPaths[];
  changes: PathChange<Principals>[];
}

/** What becomes of tokens, each by all that it has: whose grants others add to come first. */
export function outcomesOf(found: PathChange<Principals>[], causes: PathCauses): TokenOutcome[] {
  const giversOf = ({ together }: PathChange<Principals>) => together.map(({ by }) => by);
  const byToken = Map.groupBy(found, (change) => JSON.stringify(giversOf(change)));
  const outcomes = new Map<string, TokenOutcome>();
  for (const changes of byToken.values()) {
    const paths = changedPaths(changes, causes);
    const together = giversOf(changes[0] as PathChange<Principals>);
    const same = getOrMake(outcomes, JSON.stringify([together.length > 0, paths]), () => ({
      paths,
      changes: [],
      ...(together.length > 0 && { together: [] }),
    }));
    addAll(same.changes, changes);
    same.together?.push(together);
  }
  const fewest = ({ together = [[]] }: TokenOutcome) => smallestOf(together.map(({ length }) => length));
  return [...outcomes.values()].sort((a, b) => fewest(a) - fewest(b));
}

/** One entry for what two rules decide, with what is gained and lost there. */
function changedPaths(found: PathChange<Principals>[], causes: PathCauses): AccessChange['paths'] {
  return [...Map.groupBy(found, decidersKey).values()]
    .map((changes) => {
      const gained = changes.filter(({ direction }) => direction === 'gained');
      const lost = changes.filter(({ direction }) => direction === 'lost');
      const path = changes[0]?.pattern ?? '';
      // What shows a gain comes first.
      const shown = [...gained, ...lost];
      const [{ path: witness, from }] = shown as [PathChange<Principals>];
      const limits = changes.flatMap(({ direction: side, limit, limited = [] }) =>
        limit === undefined ? [] : [{ side, limit, capabilities: limited }],
      );
      const administers = [...new Set(gained.flatMap(({ probed }) => probed))];
      return {
        path,
        gained: capabilitiesOf(gained),
        lost: capabilitiesOf(lost),
        parametersChange: limits.length > 0,
        ...(limits.length > 0 && { limits }),
        ...(administers.length > 0 && { administers }),
        witness,
        ...(from !== undefined && { from: formatInstant(from) }),
        ...causes.of(shown),
      };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function capabilitiesOf(changes: PathChange<Principals>[]): string[] {
  return [...new Set(changes.flatMap(({ capabilities }) => capabilities))].sort();
}

/** A change that concerns all members of a group is not repeated for each member. */
export function withoutMembers(all: { change: AccessChange; by: Principals }[]): AccessChange[] {
  const textOf = ({
    kind,
    policies: { gained, lost },
    paths,
    also,
    uncertain,
    gains,
    losses,
  }: AccessChange) => JSON.stringify([kind, gained, lost, paths, also, uncertain, gains, losses]);
  const ofGroups = new Set(
    all.flatMap(({ change, by }) =>
      (by.kind === 'group' || by.kind === 'entity') && change.together === undefined
        ? [`${namedKey({ kind: by.kind, name: by.name })} ${textOf(change)}`]
        : [],
    ),
  );
  return all.flatMap(({ change, by }) =>
    by.within?.some((key) => ofGroups.has(`${key} ${textOf(change)}`)) ? [] : change,
  );
}

/** A group that comes takes nothing from who administers the service, then as now: they can give it back to themselves. */
export function withoutAdministrators(
  changes: readonly PathChange<Principals>[],
  [isBefore, isAfter]: readonly [IsAdministrator, IsAdministrator],
): PathChange<Principals>[] {
  const isLoss = ({ by, together, direction }: PathChange<Principals>) =>
    direction === 'lost' && by.change.kind === 'opened' && together.length > 0;
  return changes.filter((change) => {
    if (!isLoss(change)) return true;
    const grants = [change.by, ...change.together];
    return !(
      isBefore(grants.flatMap(({ before }) => before)) && isAfter(grants.flatMap(({ after }) => after))
    );
  });
}
