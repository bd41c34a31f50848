import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { SeenIds } from '../../src/usage/seen-ids.ts';

const uuid = (start: number, end = 0) =>
  `${start.toString(16).padStart(8, '0')}-f2e1-d095-2257-64e6${end.toString(16).padStart(8, '0')}`;

test('an id is new once, be it a UUID or another text', () => {
  const seen = new SeenIds();
  const ids = [
    uuid(1),
    uuid(2),
    uuid(1, 1),
    uuid(0),
    '00000000-0000-0000-0000-000000000000',
    'one',
    'two',
    uuid(0xabc).toUpperCase(),
    uuid(0xabc),
  ];
  expect(ids.map((id) => seen.add(id))).toEqual(ids.map(() => true));
  expect(ids.map((id) => seen.add(id))).toEqual(ids.map(() => false));
  expect([seen.add(''), seen.add('')]).toEqual([true, true]);
});

test('UUIDs are kept as numbers, and all of them are found again', () => {
  // What other tests of this process let go must not count. The second collection waits until all of the first is freed.
  setFlagsFromString('--expose-gc');
  for (let pass = 0; pass < 2; pass += 1) runInNewContext('gc')();
  const before = process.memoryUsage().arrayBuffers;
  const seen = new SeenIds();
  const many = 200_000;
  let added = 0;
  for (let at = 0; at < many; at += 1) added += Number(seen.add(uuid(at, at * 7)));
  expect(added).toBe(many);
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(many * 4);
  for (let at = 0; at < many; at += 1) added -= Number(!seen.add(uuid(at, at * 7)));
  expect(added).toBe(0);
});
