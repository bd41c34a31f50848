import { describe, expect, test } from '@jest/globals';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import type { ChangedPaths } from '../../src/access/access-change.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { inPrecedence, isOfPattern } from '../../src/graph/policies/acl.ts';
import type { Capability, PathRule } from '../../src/graph/policies/parse-policy.ts';
import type { Role } from '../../src/graph/resources/role.ts';
import { change, now, policy, role } from '../review/graphs.ts';
import { aclOf, houseOf } from './asked-paths.ts';

type Rules = [path: string, ...capabilities: string[]][];
type Texts = Record<string, Rules | string>;

function pathsOf(
  before: Texts,
  after: Texts,
  lists: [string[], string[]] = [
    ['p', 'q'],
    ['p', 'q'],
  ],
) {
  const graph = (texts: Texts, policies: string[]) => ({
    roles: [role('r', { policies } as Partial<Role>)],
    policies: Object.entries(texts).map(([name, text]) =>
      typeof text === 'string' ? { name, text } : policy(name, ...text),
    ),
  });
  const { changes } = decideAccess(change(graph(before, lists[0]), graph(after, lists[1])), now);
  return changes.flatMap(({ principals, paths }) => (principals.kind === 'role' ? paths : []));
}
const causesOf = (...given: Parameters<typeof pathsOf>) =>
  pathsOf(...given).map(({ path, cause }) => [path, ...(cause ? [cause.kind, cause.policy] : [])]);

describe('what decides on a path, and why', () => {
  const broad: Rules = [['s/*', 'create', 'read', 'update']];

  test('is a broader rule, where the only rule before it goes', () => {
    expect(pathsOf({ p: [...broad, ['s/db', 'read']], q: [] }, { p: broad, q: [] })).toMatchObject([
      {
        decides: {
          before: { path: 's/db', capabilities: ['read'], policy: 'p' },
          after: { path: 's/*', capabilities: ['create', 'read', 'update'], policy: 'p' },
        },
        cause: { kind: 'rule-gone', policy: 'p' },
      },
    ]);
  });

  test('is of no one policy where two write it', () => {
    const [{ decides } = {} as ChangedPaths] = pathsOf(
      { p: [...broad, ['s/db', 'read']], q: broad },
      { p: broad, q: broad },
    );
    expect(decides?.after).toEqual({ path: 's/*', capabilities: ['create', 'read', 'update'] });
  });

  test.each<[what: string, Parameters<typeof pathsOf>, expected: string[][]]>([
    [
      'a more specific rule comes',
      [
        { p: broad, q: [] },
        { p: broad, q: [['s/db', 'read']] },
      ],
      [['s/db', 'rule-new', 'q']],
    ],
    [
      'a denial goes',
      [
        { p: broad, q: [['s/db', 'deny']] },
        { p: broad, q: [] },
      ],
      [['s/db', 'rule-gone', 'q']],
    ],
    [
      'a denial is written in another way',
      [
        { p: [['a', 'deny']], q: [] },
        { p: [['a', 'read']], q: [] },
      ],
      [['a', 'rule-changed', 'p']],
    ],
    [
      'a policy is taken',
      [{ p: broad, q: [['s/db', 'deny']] }, { p: broad, q: [['s/db', 'deny']] }, [['p', 'q'], ['p']]],
      [['s/db', 'policy-lost', 'q']],
    ],
    [
      'a policy is given',
      [{ p: broad, q: [['s/db', 'deny']] }, { p: broad, q: [['s/db', 'deny']] }, [['p'], ['p', 'q']]],
      [['s/db', 'policy-gained', 'q']],
    ],
  ])('%s', (_, given, expected) => {
    expect(causesOf(...given)).toEqual(expected);
  });
});

describe('nothing is said to be the cause where', () => {
  const narrow: Rules = [['s/db', 'read']];
  const broad: Rules = [['s/*', 'update']];
  test.each<[what: string, Parameters<typeof pathsOf>, path?: string]>([
    [
      'two policies drop a rule of one pattern',
      [
        { p: [...broad, ...narrow], q: narrow },
        { p: broad, q: [] },
      ],
    ],
    [
      'one rule takes the place of another',
      [
        { p: narrow, q: [] },
        { p: broad, q: [] },
      ],
    ],
    [
      'the rule that decides now says something else than before',
      [
        { p: [...narrow, ['s/*', 'read']], q: [] },
        { p: broad, q: [] },
      ],
    ],
    [
      'a second rule in between goes, too',
      [
        { p: [...narrow, ...broad], q: [['s/d*', 'read']] },
        { p: broad, q: [] },
      ],
    ],
    [
      'another rule decides on some other paths of the pattern',
      [
        {
          p: [
            ['s/+/c', 'read'],
            ['+/b/c', 'update'],
            ['*', 'read'],
          ],
          q: [],
        },
        {
          p: [
            ['+/b/c', 'update'],
            ['*', 'read'],
          ],
          q: [],
        },
      ],
      's/+/c',
    ],
    [
      'a narrower rule comes at the same time',
      [
        { p: [['s/a/*', 'read'], ...broad], q: [] },
        { p: broad, q: [['s/a/b', 'deny']] },
      ],
      's/a/*',
    ],
    [
      'a policy gets another name and more',
      [
        { p: broad, q: narrow },
        { p: broad, t: [['s/db', 'read', 'list']] },
        [
          ['p', 'q'],
          ['p', 't'],
        ],
      ],
    ],
    [
      'the other rule is of lists of the folder alone',
      [
        { p: [['s', 'update']], q: [['+/+', 'list']] },
        { p: [], q: [['+/+', 'list']] },
      ],
      's',
    ],
    ['a text is not at hand', [{ p: [...broad, ...narrow] }, { p: broad }]],
    [
      'a rule ends later',
      [
        { p: broad, q: [['s/db', 'deny']] },
        { p: broad, q: 'path "s/db" { capabilities = ["deny"] expiration = "2999-12-31T23:59:59Z" }' },
      ],
    ],
    [
      'a template may stand for the path',
      [
        { p: [...broad, ...narrow], q: [['s/{{identity.entity.name}}', 'read']] },
        { p: broad, q: [['s/{{identity.entity.name}}', 'read']] },
      ],
    ],
  ])('%s', (_, given, path = 's/db') => {
    expect(causesOf(...given).filter(([one]) => one === path)).toEqual([[path]]);
  });
});

/** The pattern that decides for a token with these policies; of a folder, what a list asks is left out. */
function deciding(policies: readonly PathRule[][], path: string): string | undefined {
  const patterns = policies.flat().map((rule) => rule.path);
  return inPrecedence(patterns).find((pattern) => isOfPattern(path, pattern));
}

test('what is said of random policies is so, and without its cause nothing would change', () => {
  const wrong: unknown[] = [];
  let counted = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const next = randomFrom(seed);
    const before = randomPolicies(seed, 2, 5) as [PathRule[], PathRule[]];
    const [added] = randomPolicies(seed + 10_000, 1, 1) as [PathRule[]];
    const after = before.map((rules, at) => {
      const kept = rules.filter(() => next(4) > 0);
      return next(3) === 0 || at === 0 ? [...kept, ...(next(2) === 0 ? added : [])] : rules;
    }) as [PathRule[], PathRule[]];
    const { changes } = decideAccess(change(houseOf(before), houseOf(after)), now);
    for (const { principals, paths } of changes) {
      if (!['role', 'alias'].includes(principals.kind)) continue;
      const isAlone = principals.kind === 'role';
      const held = (texts: [PathRule[], PathRule[]]) => (isAlone ? texts.slice(0, 1) : texts);
      for (const { path, witness, decides, cause, gained } of paths) {
        if (cause === undefined) continue;
        counted += 1;
        const at = cause.policy === 'p0' ? 0 : 1;
        const undone = after.with(at, before[at] as PathRule[]) as [PathRule[], PathRule[]];
        const allows = (texts: [PathRule[], PathRule[]], capability: string) => {
          const asked = capability === 'list' ? witness.replace(/\/$/, '') : witness;
          return aclOf(held(texts)).allows({ path: asked, capability: capability as Capability });
        };
        const shown = gained.filter((one) => allows(after, one) && !allows(before, one));
        const isCause =
          gained.length === 0 || (shown.length > 0 && !shown.some((one) => allows(undone, one)));
        const names = [decides?.before.path, decides?.after.path];
        const isDecided = everyPath.every((one) => {
          if (names[0] === names[1] || one.endsWith('/') || !isOfPattern(one, path)) return true;
          const found = [deciding(held(before), one), deciding(held(after), one)];
          const isThere = found[names.indexOf(path)] === path;
          return !isThere || JSON.stringify(found) === JSON.stringify(names);
        });
        if (!isDecided || !isCause)
          wrong.push({ seed, principals, path, witness, decides, cause, before, after });
      }
    }
  }
  expect(counted).toBeGreaterThan(40);
  expect(wrong.slice(0, 2).map((one) => JSON.stringify(one))).toEqual([]);
});

test('what is said of policies that come and go is so, too', () => {
  const wrong: unknown[] = [];
  let counted = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const next = randomFrom(seed);
    const texts = randomPolicies(seed, 4, 3);
    const lists = [0, 1].map(() => texts.map((_, at) => at).filter((at) => at === 0 || next(3) > 0));
    const [had, has] = lists as [number[], number[]];
    const graph = (held: number[]) => ({
      ...houseOf(texts),
      ...{ roles: [role('r', { policies: held.map((at) => `p${at}`) })], groups: [], aliases: [] },
    });
    const { changes } = decideAccess(change(graph(had), graph(has)), now);
    const held = (list: number[]) => list.map((at) => texts[at] as PathRule[]);
    for (const { path, witness, decides, cause, gained, lost } of changes.flatMap((one) => one.paths)) {
      if (cause === undefined) continue;
      counted += 1;
      const at = Number(cause.policy.slice(1));
      const isLost = cause.kind === 'policy-lost';
      const undone = isLost ? [...has, at] : has.filter((one) => one !== at);
      const allows = (list: number[], capability: string) => {
        const asked = capability === 'list' ? witness.replace(/\/$/, '') : witness;
        return aclOf(held(list)).allows({ path: asked, capability: capability as Capability });
      };
      // A list is of the folder, which other rules may decide.
      const shown = [...gained, ...lost]
        .filter((one) => one !== 'list' || witness.endsWith('/'))
        .filter((one) => allows(had, one) !== allows(has, one));
      const isCause = shown.every((one) => allows(undone, one) === allows(had, one));
      const isKnown = isLost ? had.includes(at) && !has.includes(at) : has.includes(at) && !had.includes(at);
      const names = [decides?.before.path, decides?.after.path];
      const isDecided = everyPath.every((one) => {
        if (names[0] === names[1] || one.endsWith('/') || !isOfPattern(one, path)) return true;
        const found = [deciding(held(had), one), deciding(held(has), one)];
        return found[names.indexOf(path)] !== path || JSON.stringify(found) === JSON.stringify(names);
      });
      if (!isCause || !isKnown || !isDecided)
        wrong.push({ seed, had, has, path, witness, decides, cause, texts });
    }
  }
  expect(counted).toBeGreaterThan(40);
  expect(wrong.slice(0, 2).map((one) => JSON.stringify(one))).toEqual([]);
});
