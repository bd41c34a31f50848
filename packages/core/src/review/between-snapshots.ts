import type { Change } from '../graph/change.ts';
import { methodSubject } from '../graph/subject.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { unmodeledBetween } from './plan/unmodeled-parts.ts';
import { type Review, type ReviewOptions, review } from './review.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Reviews what became of a service between two snapshots.
 *
 * @throws GatehouseError `snapshots_differ`
 */
export function betweenSnapshots(before: Snapshot, after: Snapshot, options: ReviewOptions): Review {
  requireSame(before, after);
  const source = before.isVerified ? '' : '; source not verified';
  const notes = [`Snapshots of ${after.server}, from ${before.at} to ${after.at}${source}.`];
  const change = changeBetween(before, after);
  const unmodeled = unmodeledBetween(change);
  return review({ changes: [{ place: {}, change: { ...change, unmodeled } }], notes }, options);
}

function changeBetween(before: Snapshot, after: Snapshot): Change {
  const accessorOf = ({ ids }: Snapshot, path: string) =>
    Object.keys(ids.mount).find((accessor) => ids.mount[accessor] === path);
  const missing = [...new Set([...before.missing, ...after.missing])];
  return {
    before: before.graph,
    after: after.graph,
    // A new accessor at a path that existed before: the mount was recreated.
    replaced: after.graph.methods
      .filter(({ path }) => before.graph.methods.some((method) => method.path === path))
      .filter(({ path }) => accessorOf(before, path) !== accessorOf(after, path))
      .map((method) => methodSubject(method)),
    rotated: [],
    unknown: [],
    ...(missing.length > 0 && { missing }),
  };
}

function requireSame(before: Snapshot, after: Snapshot): void {
  const of = ({ server, namespace }: Snapshot) => [server, namespace].filter(Boolean).join(', namespace ');
  const isSame = of(before) === of(after) && before.hasNames === after.hasNames;
  if (isSame) return;
  throw new GatehouseError('snapshots_differ', { given: `${of(before)}; ${of(after)}` });
}
