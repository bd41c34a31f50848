import type { PlannedChange, PlannedChanges } from '@gatehouse/core/run-task';
import { cut } from '@gatehouse/core/values';
import type { Step } from '@gatehouse/engine';
import { type ChangeNode, changeTree, countChanges } from '../deployment/change-tree.ts';
import { differenceLines } from '../deployment/difference-lines.ts';

/** Resources that are listed. The plan itself has all; its page is for people. */
const mostListed = 500;

/** Lines of property differences that are listed, of all resources together. */
const mostDifferences = 2000;

/** What a plan changes, for the page of its run, and in a few words. */
export function plannedChanges(steps: Step[]): { changes: PlannedChanges; summary: string | undefined } {
  let resourceCount = 0;
  let lines = 0;
  const changing = new Map<ChangeNode['kind'], string[]>();
  const listed = (nodes: ChangeNode[]): PlannedChange[] =>
    nodes.flatMap(({ kind, title, changes, children }) => {
      const isListed = resourceCount < mostListed;
      resourceCount += 1;
      if (kind !== 'same') changing.set(kind, [...(changing.get(kind) ?? []), title]);
      const differences = lines < mostDifferences ? differenceLines(changes) : [];
      lines += differences.length;
      const below = listed(children);
      return isListed
        ? [{ kind, title, ...(differences.length > 0 && { differences }), children: below }]
        : [];
    });
  const resources = listed(changeTree(steps));
  const unlisted = Math.max(0, resourceCount - mostListed);
  const counts = countChanges(steps);
  return { changes: { counts, resources, unlisted }, summary: summaryOf(changing) || undefined };
}

/** `1 to update: role web; 3 to create: role a, role b, …`; empty if nothing changes. */
function summaryOf(changing: ReadonlyMap<string, string[]>): string {
  return [...changing]
    .map(([kind, titles]) => {
      const leftOut = titles.length > 2 ? ', …' : '';
      const named = titles.slice(0, 2).map((title) => cut(title, 60));
      return `${titles.length} to ${kind}: ${named.join(', ')}${leftOut}`;
    })
    .join('; ');
}
