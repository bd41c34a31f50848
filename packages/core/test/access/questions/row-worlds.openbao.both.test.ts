import { expect, test } from '@jest/globals';
import { someOf } from '../../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { influences } from '../../../src/access/influence.ts';
import { outcomeOf } from './split-worlds/outcomes.ts';
import { rowWorld, rowWorlds } from './split-worlds/rows.ts';
import { Requests } from './split-worlds/service.ts';

/** Rows whose worlds are elsewhere, and where. */
const elsewhere: Record<string, string> = {
  'mount policies': 'OpenBao ships no such method',
  'guard targets': 'packages/core/test/access/names-and-guards.long.test.ts',
  'others metadata': 'packages/core/test/access/names-and-guards.long.test.ts',
  'role tokenLimits': 'packages/core/test/access/token-limits.long.test.ts',
  'otherRole tokenLimits': 'packages/core/test/access/token-limits.long.test.ts',
};

test('every row of the table of influence has a world, or says where else', () => {
  const rows = influences.map(({ of, attribute }) => `${of} ${attribute}`);
  expect([...Object.keys(rowWorlds), ...Object.keys(elsewhere)].sort()).toEqual(rows.sort());
});

describeWithOpenBao('a world of each row of the table of influence', (openbao) => {
  const numbered = Object.keys(rowWorlds).map((row, number) => [row, number] as const);

  test.each(someOf(4, numbered))(
    '%s: a person gains, and the review says so, by the plan alone and on the whole service',
    async (row, number) => {
      const requests = new Requests(openbao(), 16);
      try {
        const { world, change } = rowWorld(row, number * 8);
        const outcome = await outcomeOf(requests, world, change);
        expect(outcome?.gained).not.toEqual([]);
        expect([outcome?.plan.gains, outcome?.live.gains]).not.toContain('none');
      } finally {
        await requests.close();
      }
    },
    60_000,
  );
});
