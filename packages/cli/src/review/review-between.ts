import { betweenSnapshots, type Review, type ReviewOptions } from '@gatehouse/core/review';
import { readSnapshotFile } from '../snapshot/snapshot.ts';

/**
 * Reviews what became of a service between two snapshots.
 *
 * @throws GatehouseError `snapshots_differ`, and what `readSnapshot` throws
 */
export async function reviewBetween(
  files: readonly [string, string],
  key: string | undefined,
  options: ReviewOptions,
): Promise<Review> {
  const [before, after] = await Promise.all([
    readSnapshotFile(files[0], { key }),
    readSnapshotFile(files[1], { key }),
  ]);
  return betweenSnapshots(before, after, options);
}
