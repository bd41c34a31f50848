import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { changedRows } from './split-worlds/change.ts';
import { outcomesOf } from './split-worlds/outcomes.ts';
import {
  falseWitnessesOf,
  isFalseAlarm,
  isQuiet,
  isSilent,
  isSilentLoss,
  summaryOf,
} from './split-worlds/summary.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_125);
const count = Number(process.env['GATEHOUSE_WORLDS'] ?? 60);

// Reviews of one workspace out of two, against what the people of the whole service then get.
describeWithOpenBao(`${count} services cut into two workspaces, seed ${seed}`, () => {
  test('no one gains or loses in silence, no one can where no one can, and witnesses hold', async () => {
    const outcomes = await outcomesOf(seed, count, count > 500);
    console.info(`${count} worlds, seed ${seed}`, summaryOf(outcomes));
    expect(outcomes.filter(isSilent).slice(0, 2)).toEqual([]);
    expect(outcomes.filter(isSilentLoss).slice(0, 2)).toEqual([]);
    expect(outcomes.flatMap(({ questions }) => questions.wrong)).toEqual([]);
    expect(outcomes.flatMap(falseWitnessesOf).slice(0, 2)).toEqual([]);
    expect(outcomes.length).toBeGreaterThan(count * 0.8);
    if (count < 100) return;
    // The worlds have to say something: people gain in half of them, and the review rules others out.
    expect(outcomes.filter(({ gained }) => gained.length > 0).length).toBeGreaterThanOrEqual(count / 2);
    expect(outcomes.filter(({ plan }) => plan.gains === 'none').length).toBeGreaterThan(count / 20);
    const quiet = outcomes.filter(isQuiet);
    expect(quiet.filter((one) => isFalseAlarm(one, 'plan')).length).toBeLessThanOrEqual(quiet.length / 4);
    // Each row is drawn as often; what is made or goes by one counts apart.
    if (count < 10 * changedRows.length) return;
    const rows = new Set(outcomes.flatMap((one) => one.rows));
    expect(changedRows.filter((row) => !rows.has(row))).toEqual([]);
  }, 86_400_000);
});
