import { expect, test } from '@jest/globals';
import { LogFold } from '../../src/usage/log-fold.ts';
import { floorOf, policiesNamed, refinePolicies } from '../../src/usage/refine-policies.ts';
import { now, whole } from '../review/graphs.ts';
import { graph } from '../worlds.ts';

const world = graph(`
  method ci
  method staff
  role web shop,team,default
  role staff/web team
  approle apps/job shop
  policy shop: kv/shop read,delete
  policy team: kv/team read
  policy default: kv/own read`);

test.each([
  ['SHOP', ['shop']],
  [' shop ', ['shop']],
  ['policy shop', ['shop']],
  ['role ci/web', ['shop', 'team']],
  ['role Staff/WEB', ['team']],
  ['job', ['shop']],
  ['role apps/job', ['shop']],
  ['default', ['default']],
])('%s means the policies %j', (name, policies) => {
  expect(policiesNamed(world, name)).toEqual(policies);
});

test.each([
  ['web', { code: 'role_ambiguous', message: expect.stringContaining('role ci/web, role staff/web') }],
  ['shup', { code: 'principal_unknown', message: expect.stringContaining('did you mean `shop`?') }],
  [
    'role ci/wep',
    { code: 'principal_unknown', message: expect.stringContaining('did you mean `role ci/web`?') },
  ],
])('%s means no policies', (name, error) => {
  expect(() => policiesNamed(world, name)).toThrow(expect.objectContaining(error));
});

test.each([
  ['delete kv/a b', ['delete'], 'kv/a b'],
  ['read,list /kv/*', ['read', 'list'], 'kv/*'],
  ['sudo', ['sudo'], '*'],
])('the floor %s', (text, capabilities, pattern) => {
  expect(floorOf(text)).toEqual({ capabilities, pattern });
});

test.each([['kv/*'], ['read,kv/*'], ['']])('%j is no floor', (text) => {
  expect(() => floorOf(text)).toThrow(expect.objectContaining({ code: 'argument_invalid' }));
});

const refined = (written: Record<string, { text: string; path?: string }>) =>
  refinePolicies(
    { ...new LogFold().result(), from: 1, to: 2 },
    { graph: whole(world) },
    ['shop', 'team'],
    new Map(Object.entries(written)),
    { now },
  );
const shop = 'path "kv/shop" { capabilities = ["read", "delete"] } # of the shop';

test('what is refined is the file, where it says the same as the service', () => {
  const [first, second] = refined({
    shop: { text: shop, path: 'shop.hcl' },
    team: { text: 'path "kv/team" { capabilities = ["list"] }', path: 'team.hcl' },
  });
  expect(first).toMatchObject({ name: 'shop', before: shop, file: 'shop.hcl' });
  expect(second).toMatchObject({ name: 'team', before: expect.stringContaining('read') });
  expect(second).not.toHaveProperty('file');
});
