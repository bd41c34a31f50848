import { expect, test } from '@jest/globals';
import { Reach } from '../../../src/access/questions/who-can.ts';
import { graph } from '../../worlds.ts';

const world = graph(`
  method ci
  role ci/plain reads groupsClaim: groups
  role ci/admin reads,audits groupsClaim: groups
  group ops audits
  alias ops ci ops
  policy reads: sys/audit read
  policy audits: sys/audit sudo
  complete`);
const ask = (sudo: 'yes' | 'no' | 'unknown', given = world) =>
  new Reach(given, 0n)
    .whoCan({ capability: 'read', path: 'sys/audit', sudo })
    .abilities.map(({ by, can }) => `${by.name} ${can}`)
    .sort();

test('a path that needs sudo is only for those who have it as well; a group may bring it', () => {
  expect(ask('no')).toEqual(['admin yes', 'plain yes']);
  expect(ask('yes')).toEqual(['admin yes', 'ops yes', 'plain unknown']);
});

test('without a group that gives it, no one else can', () => {
  expect(ask('yes', { ...world, groups: [], aliases: [] })).toEqual(['admin yes']);
});

test('where servers differ, who lacks sudo may or may not', () => {
  expect(ask('unknown', { ...world, groups: [], aliases: [] })).toEqual(['admin yes', 'plain unknown']);
});
