import { expect, test } from '@jest/globals';
import { reachOf } from '../../../../core/access/questions/reach.ts';
import { graphOf, policy, role } from '../../review/graphs.ts';

test('a row shows limits where something is given, and a denial of any kind as one', () => {
  const text = [
    'path "a" { capabilities = ["deny"] \n max_wrapping_ttl = 5 }',
    'path "b" { capabilities = [] }',
    'path "c/" { capabilities = ["list", "read"] \n max_wrapping_ttl = 5 }',
    'path "d" { capabilities = ["list", "read"] }',
    'path "e" { capabilities = ["list"] }',
    // Its list is decided by the next.
    'path "f" { capabilities = ["list", "read"] }',
    'path "f/" { capabilities = ["list"] }',
  ].join('\n');
  const one = role('r', { policies: ['p', 'q'] });
  const policies = [{ name: 'p', text }, policy('q', ['d', 'update'])];
  const { rows, missing } = reachOf(graphOf({ roles: [one], policies }), one, [], 0n);
  const row = ({ pattern, path, capabilities, policies: by, limits }: (typeof rows)[number]) =>
    `${pattern} ${path} ${capabilities.join()} ${by.join()} ${limits.join()}`.trim();
  expect(missing).toEqual([]);
  expect(rows.map(row)).toEqual([
    ...[
      'a a deny p',
      'b b deny p',
      'c/ c/ list,read p wrapping',
      'd d list,read,update p,q',
      'e e list p',
      'f f read p',
      'f/ f/ list p',
    ],
  ]);
});
