import type { PlannedChange, PlannedChanges } from '../../core/run-task/run.ts';
import type { Step } from '../../engine/engine.ts';
import { type ChangeNode, changeTree, countChanges } from '../description/change-tree.ts';

/** Resources that are listed. The plan itself has all; its page is for people. */
const mostListed = 500;

/** What a plan changes, for the page of its run. */
export function plannedChanges(steps: Step[]): PlannedChanges {
  let found = 0;
  const listed = (nodes: ChangeNode[]): PlannedChange[] =>
    nodes.flatMap(({ kind, title, children }) => {
      const isListed = found < mostListed;
      found += 1;
      const below = listed(children);
      return isListed ? [{ kind, title, children: below }] : [];
    });
  const resources = listed(changeTree(steps));
  return { counts: countChanges(steps), resources, unlisted: Math.max(0, found - mostListed) };
}
