import { describe, expect, it } from '@jest/globals';
import { isIn } from '../../../../test/harness/long-run.ts';
import { everyPath, isAsked, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { decide as decidePaths } from '../../src/access/decide.ts';
import type { Grant } from '../../src/access/grants.ts';
import type { PolicySides } from '../../src/access/policy-sides.ts';
import { RuleBook } from '../../src/access/rule-book.ts';
import type { Acl } from '../../src/graph/policies/acl.ts';
import type { Capability, PathRule } from '../../src/graph/policies/parse-policy.ts';
import { aclOf } from './asked-paths.ts';

interface NamedGrant extends Grant {
  by: string;
}

const rounds = Number(process.env['ROUNDS'] ?? (isIn('npm test') ? 36 : 1500));
const seed = Number(process.env['SEED'] ?? 20_261_121);

describe(`decidePaths, seed ${seed}`, () => {
  it('gains and loses exactly what asking every path shows, for a role alone, with a witness', () => {
    const wrong: unknown[] = [];
    for (let round = 0; round < rounds; round++) {
      const [before, after] = randomPolicies(seed + round, 2) as [PathRule[], PathRule[]];
      const { changes, undecided } = decide([{ by: 'r', before: ['p'], after: ['p'] }], [], {
        p: [before, after],
      });
      const asked = askEveryPath([before], [after]);
      const shown = {
        gained: changes.some(({ direction }) => direction === 'gained'),
        lost: changes.some(({ direction }) => direction === 'lost'),
      };
      const isShown = changes.every(({ direction, path, capabilities: [first] }) => {
        const [was, is] = [before, after].map((rules) => allows([rules], path, first as Capability));
        return was === (direction === 'lost') && is === (direction === 'gained');
      });
      const isRight = isShown && shown.gained === asked.gained && shown.lost === asked.lost;
      if (undecided.length > 0 || !isRight) wrong.push({ round, before, after, changes, asked, undecided });
    }
    expect(wrong.slice(0, 2)).toEqual([]);
  });

  it.each([
    ['', 0],
    [', where each token has the first', 1],
    [', where each token has one of the first two', 2],
  ])('finds what any number of groups together gain, by trying two%s', (_, count) => {
    const wrong: unknown[] = [];
    for (let round = 0; round < rounds / (count === 0 ? 3 : 12); round++) {
      const texts = randomPolicies(seed + round, 8, 2);
      const pairs = [0, 1, 2, 3].map((at) => [texts[at], texts[round % 3 === at ? at + 4 : at]]) as [
        PathRule[],
        PathRule[],
      ][];
      const names = ['p0', 'p1', 'p2', 'p3'];
      const sides = Object.fromEntries(
        names.map((name, at) => [name, pairs[at] as [PathRule[], PathRule[]]]),
      );
      const groups = names.slice(1).map((name) => ({ by: name, before: [name], after: [name] }));
      const required = count === 0 ? undefined : groups.slice(0, count);
      const { changes } = decide([{ by: 'r', before: ['p0'], after: ['p0'] }], groups, sides, required);
      const gained = [0, 1, 2, 3, 4, 5, 6, 7].some((set) => {
        const has = (at: number) => at === 0 || (set >> (at - 1)) % 2 === 1;
        if (count > 0 && !(has(1) || (count > 1 && has(2)))) return false;
        const held = pairs.filter((_, at) => has(at));
        return askEveryPath(
          held.map(([one]) => one),
          held.map(([, one]) => one),
        ).gained;
      });
      if (changes.some(({ direction }) => direction === 'gained') !== gained)
        wrong.push({ round, pairs, changes, gained });
    }
    expect(wrong.slice(0, 2)).toEqual([]);
  });
});

describe(`a policy that nobody can read, seed ${seed}`, () => {
  const forms: [what: string, hold: (names: string[]) => [roles: NamedGrant[], groups: NamedGrant[]]][] = [
    ['of the role', (names) => [[{ by: 'r', before: names, after: names }], []]],
    [
      'of a group',
      ([known = '', unread = '']) => [
        [{ by: 'r', before: [known], after: [known] }],
        [{ by: 'g', before: [unread], after: [unread] }],
      ],
    ],
  ];
  it.each(forms)('%s is never taken for nothing where some text makes a gain or a loss', (_, hold) => {
    const missed: unknown[] = [];
    let differing = 0;
    for (let round = 0; round < rounds / 5; round++) {
      const [before, after, text] = randomPolicies(seed + round, 3) as [PathRule[], PathRule[], PathRule[]];
      const asked = askEveryPath([before, text], [after, text]);
      const policies = new Map<string, PolicySides>([
        ['p', { before, after, isSame: false }],
        ['u', { before: undefined, after: undefined, isSame: true }],
      ]);
      const [roles, groups] = hold(['p', 'u']);
      const found = decidePaths([{ roles, groups }], new RuleBook(policies, 0n));
      for (const side of ['gained', 'lost'] as const) {
        if (!asked[side]) continue;
        differing += 1;
        const isFound = [...found.changes, ...found.undecided].some((one) => one.direction === side);
        if (!isFound) missed.push({ round, side, before, after, text });
      }
    }
    expect(differing).toBeGreaterThan(rounds / 10);
    expect(missed.slice(0, 2)).toEqual([]);
  });
});

it('cannot judge the fields that more than two groups limit together', () => {
  const writes = (field: string, fields: object = {}) => [
    { path: 'a', capabilities: ['update'], allowedParameters: { [field]: [] }, ...fields },
  ];
  const texts = Object.fromEntries(
    ['x', 'y', 'z'].map((field) => [field, [writes(field), writes(field)] as [PathRule[], PathRule[]]]),
  );
  const groups = ['x', 'y', 'z'].map((name) => ({ by: name, before: [name], after: [name] }));
  const changed = { ...texts, z: [writes('z'), writes('w')] as [PathRule[], PathRule[]] };
  const undecidedWords = decide([], groups, changed).undecided.map(
    ({ direction, by }) => `${direction} ${by?.by}`,
  );
  expect(undecidedWords).toEqual(['gained x', 'lost x']);
  expect(decide([], groups.slice(1), changed).undecided).toEqual([]);
});

function decide(
  roles: NamedGrant[],
  groups: NamedGrant[],
  texts: Record<string, [PathRule[], PathRule[]]>,
  required?: NamedGrant[],
) {
  const policies = new Map<string, PolicySides>(
    Object.entries(texts).map(([name, [before, after]]) => [
      name,
      { before, after, isSame: JSON.stringify(before) === JSON.stringify(after) },
    ]),
  );
  return decidePaths([{ roles, groups, ...(required && { required }) }], new RuleBook(policies, 0n));
}

const asked = ['read', 'update', 'list'] as const;

function askEveryPath(before: PathRule[][], after: PathRule[][]) {
  const [was, is] = [before, after].map(aclOf) as [Acl, Acl];
  const answers = everyPath.flatMap((path) =>
    asked
      .filter((capability) => isAsked(path, capability))
      .map((capability) => [was, is].map((acl) => acl.allows({ path, capability }))),
  );
  return {
    gained: answers.some(([old, wanted]) => wanted && !old),
    lost: answers.some(([old, wanted]) => old && !wanted),
  };
}

function allows(policies: PathRule[][], path: string, capability: Capability): boolean {
  return aclOf(policies).allows({ path: capability === 'list' ? path.replace(/\/$/, '') : path, capability });
}
