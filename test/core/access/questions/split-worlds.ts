import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../harness/openbao.ts';
import { isOwn, isSilent, outcomesOf, summaryOf } from './split-worlds/outcomes.ts';

/** Reviews of one workspace out of two, against what the people of the whole service then get. */
export function testSplitWorlds(seed: number, count: number): void {
  describeWithOpenBao(`${count} services cut into two workspaces, seed ${seed}`, () => {
    test('no one gains in silence, and witnesses hold', async () => {
      const outcomes = await outcomesOf(seed, count, count > 500);
      console.info(`${count} worlds, seed ${seed}`, summaryOf(outcomes));
      expect(outcomes.filter(isSilent).slice(0, 2)).toEqual([]);
      expect(outcomes.flatMap((one) => one.false.filter(isOwn)).slice(0, 2)).toEqual([]);
      // The worlds have to say something: some gain, and the review rules most of the others out.
      expect(outcomes.length).toBeGreaterThan(count * 0.8);
      expect(outcomes.filter(({ gained }) => gained.length > 0).length).toBeGreaterThanOrEqual(count / 100);
      expect(outcomes.filter(({ gains }) => gains === 'none').length).toBeGreaterThan(count / 20);
    }, 86_400_000);
  });
}
