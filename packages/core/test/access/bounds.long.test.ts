import { describe, expect, test } from '@jest/globals';
import { decide as decidePaths } from '../../src/access/decide.ts';
import type { Grant } from '../../src/access/grants.ts';
import type { PolicySides } from '../../src/access/policy-sides.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { RuleBook } from '../../src/access/rule-book.ts';
import type { PathRule } from '../../src/graph/policies/parse-policy.ts';
import type { Compared } from '../../src/graph/values/budget.ts';
import { change, method, now, policy, role } from '../review/graphs.ts';

interface NamedGrant extends Grant {
  by: string;
}

const rule = (path: string, ...capabilities: string[]): PathRule => ({ path, capabilities });
const readOn = (paths: string[]) => paths.map((path) => rule(path, 'read'));
const count = <Value>(length: number, make: (at: number) => Value) =>
  Array.from({ length }, (_, at) => make(at));
const holds = (who: string, ...names: string[]): NamedGrant => ({ by: who, before: names, after: names });

/** One policy, of which every rule allows `update` in addition. */
function widened(paths: string[]) {
  const before = readOn(paths);
  const after = before.map((one, at) => (at % 5 === 0 ? rule(one.path, 'read', 'update') : one));
  return decide([holds('r', 'p')], [], { p: { before, after, isSame: false } });
}

function decide(roles: NamedGrant[], groups: NamedGrant[], policies: Record<string, PolicySides>) {
  const started = process.cpuUsage();
  const found = decidePaths([{ roles, groups }], new RuleBook(new Map(Object.entries(policies)), 0n));
  // At most five on a free machine; tests share theirs.
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(20);
  return found;
}

const gains = ({ changes }: ReturnType<typeof widened>) =>
  changes.filter(({ direction }) => direction === 'gained').length;

describe('what is decided, however large', () => {
  const cases: [what: string, paths: string[], gains: number][] = [
    ['a pattern of 10,000 segments', [count(10_000, (at) => `s${at}`).join('/')], 1],
    ['10,000 times +', [count(10_000, () => '+').join('/')], 1],
    ['words of 10,000 letters', [`${'x'.repeat(10_000)}*`, `a/${'x'.repeat(20_000)}`], 1],
    ['50,000 rules', count(50_000, (at) => `secret/+/t${at % 500}/${at}/*`), 10_000],
  ];
  test.each(cases)('%s', (_, paths, wanted) => {
    const found = widened(paths);
    expect(found.undecided).toEqual([]);
    expect(gains(found)).toBe(wanted);
  });

  test('2,000 groups, each with a policy of its own, and one for all that changes', () => {
    const groups = count(2_000, (at) => holds(`g${at}`, `g${at}`, 'shared'));
    const own = groups.map(({ by: who }): [string, PolicySides] => {
      const rules = readOn([`secret/data/${who}/*`, 'secret/data/*']);
      return [who, { before: rules, after: rules, isSame: true }];
    });
    const shared = {
      before: readOn(['secret/*', 'secret/data/*']),
      after: readOn(['secret/*', 'secret/data/*', 'other/*']),
      isSame: false,
    };
    const found = decide([holds('r')], groups, { ...Object.fromEntries(own), shared });
    expect(found.undecided).toEqual([]);
    expect(gains(found)).toBe(2_000);
  });
});

test('3,000 groups of administrators, and 200 roles that others newly sign in by', () => {
  const groups = count(3_000, (at) => ({ name: `g${at}`, policies: [`p${at}`] }));
  const aliases = groups.map(({ name }) => ({ method: 'ci', name, group: name }));
  const policies = count(3_000, (at) => policy(`p${at}`, ['sys/policies/acl/*', 'update']));
  const all = (boundSubject?: string) => ({
    methods: [method('ci')],
    groups,
    aliases,
    policies,
    roles: count(200, (at) =>
      role(`r${at}`, { groupsClaim: 'groups', ...(boundSubject && { boundSubject }) }),
    ),
  });
  const started = process.cpuUsage();
  const { changes } = decideAccess(change(all('one'), all()), now);
  expect(process.cpuUsage(started).user / 1e6).toBeLessThan(20);
  const widened = changes.filter(({ kind }) => kind === 'widened');
  expect(widened).toHaveLength(200);
  expect(widened.every(({ administersBy = [] }) => administersBy.length > 0)).toBe(true);
});

describe('what is given up says so for gains and losses', () => {
  const binary = (at: number, depth: number) => ((Math.imul(at + 1, 2_654_435_761) >>> depth) & 1) === 1;
  const cases: [what: string, paths: string[], of: Compared][] = [
    [
      '500 patterns that cross',
      count(500, (at) => count(30, (depth) => (binary(at, depth) ? '+' : `w${(at * depth) % 5}`)).join('/')),
      'paths',
    ],
    [
      '500 patterns of 500 segments',
      count(500, (at) => count(500, (depth) => (depth === at ? 'a' : '+')).join('/')),
      'paths',
    ],
    ['5,000 prefixes of each other', count(5_000, (at) => `${'x'.repeat(at + 1)}*`), 'paths'],
    [
      '200 templates',
      [
        ...count(200, (at) => `secret/{{identity.entity.metadata.m${at}}}/*`),
        ...count(10, (at) => `secret/t${at}/*`),
      ],
      'fillings',
    ],
    [
      'a segment of 2,000 templates',
      [`${count(2_000, (at) => `{{t${at}}}`).join('')}/x`, `${'a'.repeat(20_000)}/x`],
      'fillings',
    ],
  ];
  test.each(cases)('%s', (_, paths, of) => {
    const missing = { kind: 'budget', of };
    expect(widened(paths).undecided).toEqual([
      { direction: 'gained', missing },
      { direction: 'lost', missing },
    ]);
  });

  test('2,000 groups that all say something else of every path', () => {
    const groups = count(2_000, (at) => holds(`g${at}`, `g${at}`, 'shared'));
    const own = groups.map(({ by: who }, at): [string, PolicySides] => {
      const rules = [{ ...rule('secret/*', 'read'), requiredParameters: [`p${at}`] }];
      return [who, { before: rules, after: rules, isSame: true }];
    });
    const shared = { before: readOn(['secret/a']), after: readOn(['secret/*']), isSame: false };
    const found = decide([holds('r')], groups, { ...Object.fromEntries(own), shared });
    const missing = { kind: 'budget', of: 'combinations' };
    expect(found.undecided).toContainEqual({ direction: 'gained', missing });
  });
});

test('templates of many people beside many folders are decided where the change is near few of them', () => {
  const paths = [
    'secret/data/{{identity.entity.name}}/*',
    ...count(3_000, (at) => `secret/data/team${at}/*`),
  ];
  const before = readOn(paths);
  const after = [...before, rule('secret/data/team7/app', 'update')];
  const found = decide([holds('r', 'p')], [], { p: { before, after, isSame: false } });
  expect(found.undecided).toEqual([]);
  // Of one pattern, where the template decided there before and where the folder did.
  expect(found.changes.flatMap(({ direction, pattern }) => (direction === 'gained' ? pattern : []))).toEqual([
    'secret/data/team7/app',
    'secret/data/team7/app',
  ]);
});
