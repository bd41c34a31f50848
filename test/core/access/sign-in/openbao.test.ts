import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../harness/openbao.ts';
import { replayWitnesses } from './replayed-witnesses.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_121);
const pairs = 1_000;

describeWithOpenBao(`witnesses of ${pairs} pairs of populations, seed ${seed}`, (server) => {
  test('are let in by the one, and refused by the other', async () => {
    const { count, wrong } = await replayWitnesses(server(), seed, pairs);
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(pairs / 10);
  }, 120_000);
});
