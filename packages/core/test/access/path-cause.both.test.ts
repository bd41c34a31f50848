import { describe, expect, test } from '@jest/globals';
import { isIn } from '../../../../test/harness/long-run.ts';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { decideAccess } from '../../src/access/questions/change.ts';
import { inPrecedence, isOfPattern } from '../../src/graph/policies/acl.ts';
import type { Capability, PathRule } from '../../src/graph/policies/parse-policy.ts';
import { change as changeOf, now, role } from '../review/graphs.ts';
import { change } from '../worlds.ts';
import { aclOf, houseOf } from './asked-paths.ts';

function pathsOf(text: string) {
  const holds = /role r/.test(text) ? '' : 'role r p,q';
  const { changes } = decideAccess(change(`${holds}\n ${text}`), now);
  return changes.flatMap(({ principals, paths }) => (principals.kind === 'role' ? paths : []));
}
const causesOf = (text: string) =>
  pathsOf(text).map(({ path, cause }) => [path, ...(cause ? [cause.kind, cause.policy] : [])].join(' '));

const broad = 's/* create,read,update';
const goes = `~ policy p: ${broad}; s/db read → ${broad}`;

describe('what decides on a path, and why', () => {
  const [before, after] = [
    { path: 's/db', capabilities: ['read'], policy: 'p' },
    { path: 's/*', capabilities: ['create', 'read', 'update'], policy: 'p' },
  ];

  test('is a broader rule, where the only rule before it goes', () => {
    const cause = { kind: 'rule-gone', policy: 'p' };
    expect(pathsOf(`${goes}\n policy q`)).toMatchObject([{ decides: { before, after }, cause }]);
  });

  test('is of no one policy where two write it', () => {
    const { policy: _, ...unnamed } = after;
    expect(pathsOf(`${goes}\n policy q: ${broad}`)[0]?.decides?.after).toEqual(unnamed);
  });

  test.each([
    ['a more specific rule comes', `policy p: ${broad}\n ~ policy q → s/db read`, 's/db rule-new q'],
    ['a denial goes', `policy p: ${broad}\n ~ policy q: s/db deny → -`, 's/db rule-gone q'],
    ['a denial is written in another way', 'policy q\n ~ policy p: a deny → a read', 'a rule-changed p'],
    [
      'a policy is taken',
      `policy p: ${broad}\n policy q: s/db deny\n ~ role r p,q → p`,
      's/db policy-lost q',
    ],
    [
      'a policy is given',
      `policy p: ${broad}\n policy q: s/db deny\n ~ role r p → p,q`,
      's/db policy-gained q',
    ],
    // The path itself, and the list of what is below it.
    [
      'a rule goes, and another lists its folder',
      '~ policy p: s update → -\n policy q: +/+ list',
      's rule-gone p',
      's rule-gone p',
    ],
  ])('%s', (_, text, ...expected) => {
    expect(causesOf(text)).toEqual(expected);
  });
});

test.each<[what: string, change: string, path?: string]>([
  [
    'two policies drop a rule of one pattern',
    '~ policy p: s/* update; s/db read → s/* update\n ~ policy q: s/db read → -',
  ],
  ['one rule takes the place of another', '~ policy p: s/db read → s/* update\n policy q'],
  [
    'the rule that decides now says something else than before',
    '~ policy p: s/db read; s/* read → s/* update\n policy q',
  ],
  [
    'a second rule in between goes, too',
    '~ policy p: s/db read; s/* update → s/* update\n ~ policy q: s/d* read → -',
  ],
  [
    'another rule decides on some other paths of the pattern',
    '~ policy p: s/+/c read; +/b/c update; * read → +/b/c update; * read\n policy q',
    's/+/c',
  ],
  [
    'a narrower rule comes at the same time',
    '~ policy p: s/a/* read; s/* update → s/* update\n ~ policy q → s/a/b deny',
    's/a/*',
  ],
  [
    'a policy gets another name and more',
    'policy p: s/* update\n - policy q: s/db read\n + policy t: s/db read,list\n ~ role r p,q → p,t',
  ],
  ['a text is not at hand', '~ policy p: s/* update; s/db read → s/* update'],
  [
    'a rule ends later',
    `policy p: s/* update
     ~ policy q: s/db deny → path "s/db" { capabilities = ["deny"] expiration = "2999-12-31T23:59:59Z" }`,
  ],
  [
    'a template may stand for the path',
    '~ policy p: s/* update; s/db read → s/* update\n policy q: s/{{identity.entity.name}} read',
  ],
])('nothing is said to be the cause where %s', (_, text, path = 's/db') => {
  expect(causesOf(text).filter((one) => one.split(' ')[0] === path)).toEqual([path]);
});

/** Worlds of the first search below; the second has three times as many. */
const searched = isIn('npm test') ? 20 : 100;

/** The pattern that decides for a token with these policies; of a folder, what a list asks is left out. */
function deciding(policies: readonly PathRule[][], path: string): string | undefined {
  const patterns = policies.flat().map((rule) => rule.path);
  return inPrecedence(patterns).find((pattern) => isOfPattern(path, pattern));
}

test('what is said of random policies is so, and without its cause nothing would change', () => {
  const wrong: unknown[] = [];
  let counted = 0;
  for (let seed = 1; seed <= searched; seed++) {
    const next = randomFrom(seed);
    const before = randomPolicies(seed, 2, 5) as [PathRule[], PathRule[]];
    const [added] = randomPolicies(seed + 10_000, 1, 1) as [PathRule[]];
    const after = before.map((rules, at) => {
      const kept = rules.filter(() => next(4) > 0);
      return next(3) === 0 || at === 0 ? [...kept, ...(next(2) === 0 ? added : [])] : rules;
    }) as [PathRule[], PathRule[]];
    const { changes } = decideAccess(changeOf(houseOf(before), houseOf(after)), now);
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
  expect(counted).toBeGreaterThan(searched * 0.4);
  expect(wrong.slice(0, 2).map((one) => JSON.stringify(one))).toEqual([]);
});

test('what is said of policies that come and go is so, too', () => {
  const wrong: unknown[] = [];
  let counted = 0;
  for (let seed = 1; seed <= searched * 3; seed++) {
    const next = randomFrom(seed);
    const texts = randomPolicies(seed, 4, 3);
    const lists = [0, 1].map(() => texts.map((_, at) => at).filter((at) => at === 0 || next(3) > 0));
    const [first, last] = lists as [number[], number[]];
    const graph = (held: number[]) => ({
      ...houseOf(texts),
      roles: [role('r', { policies: held.map((at) => `p${at}`) })],
      groups: [],
      aliases: [],
    });
    const { changes } = decideAccess(changeOf(graph(first), graph(last)), now);
    const held = (list: number[]) => list.map((at) => texts[at] as PathRule[]);
    const numbers = (names: string[]) => names.map((name) => Number(name.slice(1)));
    // A token that the role's makes has other policies than it.
    const rows = changes.flatMap(({ paths, policies: { kept, lost, gained } }) =>
      paths.map((path) => ({
        ...path,
        had: numbers([...kept, ...lost]),
        has: numbers([...kept, ...gained]),
      })),
    );
    for (const { path, witness, decides, cause, gained, lost, had, has } of rows) {
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
  expect(counted).toBeGreaterThan(searched * 0.4);
  expect(wrong.slice(0, 2).map((one) => JSON.stringify(one))).toEqual([]);
});
