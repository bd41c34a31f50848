import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Admission } from '../../../engine/local/pacing.ts';

test('a few registrations begin in a turn of the event loop, in the order in which they came', async () => {
  const admission = new Admission();
  const begun: number[] = [];
  const registrations = Array.from({ length: 20 }, async (_, index) => {
    await admission.turn();
    begun.push(index);
  });
  const soFar: number[] = [];
  await Promise.resolve();
  soFar.push(begun.length);
  for (let turns = 0; turns < 2; turns++) {
    await turn();
    soFar.push(begun.length);
  }
  expect(soFar).toEqual([8, 16, 20]);
  await Promise.all(registrations);
  expect(begun).toEqual(begun.toSorted((a, b) => a - b));
});

test('one that comes alone begins at once', async () => {
  const admission = new Admission();
  let begun = false;
  const registration = admission.turn().then(() => {
    begun = true;
  });
  await Promise.resolve();
  expect(begun).toBe(true);
  await registration;
});
