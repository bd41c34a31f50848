import { describe, expect, test } from '@jest/globals';
import { randomFrom } from '../../../../test/harness/random-policies.ts';
import { isPassable, type Limits, limitsOf, loosened, mayLoosen } from '../../src/access/limits.ts';
import { Acl, united } from '../../src/graph/policies/acl.ts';
import type { HclValue } from '../../src/graph/policies/hcl.ts';
import type { Capability, PathRule } from '../../src/graph/policies/parse-policy.ts';

const rounds = Number(process.env['ROUNDS'] ?? 1_500);
const seed = Number(process.env['SEED'] ?? 20_261_122);

const names = ['a', 'b', '*'];
const values = ['x', 'x*', '*y', '*x*', 'x*y', '*', 1, true, false];
/** Values that tell the values of rules apart, and what a query can have. */
const texts = ['', 'x', 'y', 'q', 'xy', 'xq', 'qy', 'qxq', 'xqy', 'qxy', 'x*y', '*'];
const sent = [...texts, 1, 2, true, false, {}];
const fields = ['a', 'b', 'z', '*'];
const single = fields.flatMap((name) => sent.map((value) => ({ [name]: value })));
/** Every request with up to two fields. */
const requests = [
  {},
  ...single,
  ...sent.flatMap((a) => sent.map((b) => ({ a, b }))),
  ...texts.flatMap((a) => texts.map((z) => ({ a, z }))),
];

type Next = ReturnType<typeof randomFrom>;
const one = <Item>(next: Next, list: readonly Item[]) => list[next(list.length)] as Item;
const parameters = (next: Next): Record<string, HclValue[]> =>
  Object.fromEntries(
    Array.from({ length: 1 + next(2) }, () => [
      one(next, names),
      Array.from({ length: next(3) }, () => one(next, values)),
    ]),
  );
const randomRule = (next: Next): PathRule => ({
  path: 'p',
  capabilities: ['update', 'read'],
  ...(next(2) === 0 && { allowedParameters: parameters(next) }),
  ...(next(3) === 0 && { deniedParameters: parameters(next) }),
  ...(next(4) === 0 && { requiredParameters: [one(next, ['a', 'b'])] }),
});
/** The rule itself, or one that differs a little: most changes are small. */
const changed = (next: Next, rule: PathRule): PathRule =>
  next(2) === 0
    ? randomRule(next)
    : { ...rule, ...one(next, [{ allowedParameters: parameters(next) }, randomRule(next)]) };
const passes = (rules: PathRule[], given: object, capability: Capability = 'update') =>
  new Acl([{ name: 'p', rules }], 0n).allows({ path: 'p', capability, parameters: { ...given } });

test(`a limit is loosened exactly where some request passes that did not, seed ${seed}`, () => {
  const next = randomFrom(seed);
  const wrong: unknown[] = [];
  let looser = 0;
  for (let round = 0; round < rounds; round++) {
    const before = randomRule(next);
    const after = changed(next, before);
    const capability = one(next, ['update', 'read', 'create', 'patch']);
    const asked =
      capability === 'read' ? requests.filter((all) => Object.values(all).every(isText)) : requests;
    const shown = asked.find((request) => passes([after], request) && !passes([before], request));
    const found = loosened(united(undefined, before), united(undefined, after), [capability]);
    if (shown !== undefined) looser += 1;
    // A parameter that is needed no longer is told, whatever else is refused.
    const isTold = found !== undefined && found !== 'required_parameters';
    const isWrong =
      shown === undefined ? isTold && after.requiredParameters === undefined : found === undefined;
    if (isWrong) wrong.push({ round, capability, before, after, shown, found });
  }
  expect(looser).toBeGreaterThan(rounds / 20);
  expect(wrong.slice(0, 2)).toEqual([]);
});

test(`whether a request passes at all is what trying values of the needed fields says, seed ${seed}`, () => {
  const next = randomFrom(seed);
  for (let round = 0; round < rounds; round++) {
    const rule = { ...randomRule(next), requiredParameters: next(2) === 0 ? ['a'] : ['b', 'a'] };
    const { requiredParameters, ...free } = rule;
    for (const [capability, tried] of [
      ['update', sent],
      ['read', texts],
    ] as const) {
      const can = requiredParameters.every((name) =>
        tried.some((value) => passes([free], { [name]: value })),
      );
      expect({ rule, capability, can: isPassable(rule, capability) }).toEqual({ rule, capability, can });
    }
  }
});

test(`limits that no other rule makes looser together stay as strict with any of many, seed ${seed}`, () => {
  const next = randomFrom(seed);
  let safe = 0;
  for (let round = 0; round < rounds; round++) {
    const before = randomRule(next);
    const after = changed(next, before);
    if (mayLoosen(united(undefined, before), united(undefined, after))) continue;
    safe += 1;
    for (const rest of [randomRule(next), randomRule(next), { ...after, allowedParameters: { '*': [] } }]) {
      const missed = [...single, {}].find(
        (request) => passes([after, rest], request) && !passes([before, rest], request),
      );
      expect({ before, after, rest, missed }).toMatchObject({ missed: undefined });
    }
  }
  expect(safe).toBeGreaterThan(rounds / 12);
});

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

describe('wrapping', () => {
  const from = (minWrapping: number): Limits => ({ minWrapping });
  const to = (maxWrapping: number): Limits => ({ maxWrapping });
  const between = (minWrapping: number, maxWrapping: number): Limits => ({ minWrapping, maxWrapping });
  test.each<[Limits, Limits, isLooser: boolean, isLooserWithOthers: boolean]>([
    [{}, {}, false, false],
    [{}, from(30), false, true],
    [{}, to(30), false, false],
    [from(30), {}, true, true],
    [to(30), {}, true, true],
    [from(30), from(30), false, false],
    [from(30), from(31), false, false],
    [from(30), from(29), true, true],
    [to(30), to(30), false, false],
    [to(30), to(29), false, false],
    [to(30), to(31), true, true],
    [to(30), from(0), true, true],
    [from(30), to(60), true, true],
    [between(30, 60), between(30, 60), false, false],
    [between(30, 60), between(40, 50), false, false],
    [between(30, 60), between(30, 61), true, true],
    [between(30, 60), between(29, 60), true, true],
    // No time is in it: no request passes.
    [between(30, 60), between(20, 10), false, true],
    [between(30, 60), between(20, 20), true, true],
  ])('%j, then %j', (before, after, isLooser, isLooserWithOthers) => {
    expect(loosened(before, after, ['delete'])).toBe(isLooser ? 'wrapping' : undefined);
    expect(mayLoosen(before, after)).toBe(isLooserWithOthers);
  });

  test.each([
    [between(60, 60), 'read', true],
    [between(61, 60), 'read', false],
    [between(61, 60), 'list', false],
    [to(1), 'read', true],
    // `sudo` is not a request of its own: what is asked in addition to it is limited.
    [between(61, 60), 'sudo', true],
  ])('%j lets through a %s: %s', (limits, capability, can) => {
    expect(isPassable(limits, capability)).toBe(can);
  });
});

describe('a limit that is loosened is named', () => {
  const allowed: Limits = { allowedParameters: { a: [] } };
  const denied: Limits = { deniedParameters: { a: [] } };
  const needed: Limits = { requiredParameters: ['a'] };
  const other: Limits = { otherLimits: 'control group' };
  test.each<[Limits, Limits, capabilities: string[], limit: string | undefined]>([
    [allowed, {}, ['update'], 'allowed_parameters'],
    [allowed, {}, ['list', 'create'], 'allowed_parameters'],
    [allowed, {}, ['read'], 'allowed_parameters'],
    [allowed, {}, ['patch'], 'allowed_parameters'],
    [allowed, {}, ['delete', 'list'], undefined],
    [{ allowedParameters: { a: [1] } }, { allowedParameters: { a: [true] } }, ['read'], undefined],
    [
      { allowedParameters: { a: [1] } },
      { allowedParameters: { a: [true] } },
      ['read', 'update'],
      'allowed_parameters',
    ],
    [denied, {}, ['update'], 'denied_parameters'],
    [{ deniedParameters: { '*': [] } }, {}, ['update'], 'denied_parameters'],
    [needed, {}, ['update'], 'required_parameters'],
    [needed, { requiredParameters: ['b', 'a'] }, ['update'], undefined],
    [{ requiredParameters: ['b', 'a'] }, needed, ['update'], 'required_parameters'],
    [needed, {}, ['delete'], undefined],
    [other, {}, ['delete'], 'other limits'],
    [other, { otherLimits: 'sentinel' }, ['delete'], 'other limits'],
    [{}, other, ['delete'], undefined],
    [{}, { otherLimits: 'topics', mayGive: 'topics' }, ['delete'], 'other limits'],
    [{}, { eventTypes: ['kv*'] }, ['subscribe'], 'subscribe_event_types'],
    [{ eventTypes: ['kv*'] }, { eventTypes: ['kv-v2/*'] }, ['subscribe'], undefined],
    [{ eventTypes: ['kv*'] }, {}, ['subscribe'], undefined],
    [other, other, ['delete'], undefined],
    [other, { ...other }, ['delete'], undefined],
    [{ minWrapping: 300 }, {}, ['sudo'], undefined],
    [{ minWrapping: 300 }, {}, ['sudo', 'read'], 'wrapping'],
  ])('%j, then %j, of %j: %s', (before, after, capabilities, limit) => {
    expect(loosened(before, after, capabilities)).toBe(limit);
  });

  const many = (count: number) => Array.from({ length: count }, (_, at) => `v${at}*`);

  test('with hundreds of values, one of which is new', () => {
    const a = many(300);
    expect(
      loosened({ allowedParameters: { a } }, { allowedParameters: { a: [...a, 'w*'] } }, ['update']),
    ).toBe('allowed_parameters');
  });

  test('with hundreds of values, where only a text that two of them match shows it', () => {
    const allowedParameters = { a: ['*y', ...many(300)] };
    const before = { allowedParameters, deniedParameters: { a: ['x*'] } };
    expect(loosened(before, { allowedParameters }, ['update'])).toBe('denied_parameters');
    expect(loosened(before, before, ['update'])).toBeUndefined();
  });

  test('with too many values to try in pairs, as what is denied no more may be allowed', () => {
    const allowedParameters = { a: many(150).map((text) => `y${text}`) };
    const before = { allowedParameters, deniedParameters: { a: many(150) } };
    expect(loosened(before, { allowedParameters }, ['update'])).toBe('denied_parameters');
    expect(loosened({ allowedParameters }, before, ['update'])).toBeUndefined();
  });

  test('where only a text that two values match shows it', () => {
    const [before, after] = [{ deniedParameters: { a: ['x*'] } }, { deniedParameters: { a: ['x*y'] } }];
    expect(loosened(before, after, ['update'])).toBe('denied_parameters');
    const within = { allowedParameters: { a: ['*y'] }, deniedParameters: { a: ['*x*'] } };
    expect(loosened(within, { allowedParameters: { a: ['*y'] } }, ['update'])).toBe('denied_parameters');
    const both = { allowedParameters: { a: ['*y'] }, deniedParameters: { a: ['x*'] } };
    expect(loosened(both, { allowedParameters: { a: ['*y'] } }, ['update'])).toBe('denied_parameters');
  });
});

describe('with others on the same pattern', () => {
  test.each<[Limits, Limits, isLooser: boolean]>([
    [{}, {}, false],
    [{ otherLimits: 'x' }, { otherLimits: 'x' }, false],
    [{}, { otherLimits: 'x' }, true],
    [{ requiredParameters: ['a'] }, { requiredParameters: ['b', 'a'] }, false],
    [{ requiredParameters: ['a', 'b'] }, { requiredParameters: ['a'] }, true],
    [{ deniedParameters: { a: ['x'] } }, { deniedParameters: { a: [] } }, false],
    [{ deniedParameters: { a: [] } }, { deniedParameters: { a: ['x'] } }, true],
    [{ deniedParameters: { a: ['x', 'y'] } }, { deniedParameters: { a: ['x'] } }, true],
    [{ deniedParameters: { a: [] } }, { deniedParameters: { '*': [] } }, false],
    [{ deniedParameters: { '*': [] } }, { deniedParameters: { a: [] } }, true],
    [{ deniedParameters: { a: [1] } }, { deniedParameters: { a: [true] } }, false],
    [{ deniedParameters: { a: [true] } }, { deniedParameters: { a: [false] } }, true],
    [{ deniedParameters: { a: ['*'] } }, { deniedParameters: { a: ['*x'] } }, true],
    [{ deniedParameters: { a: ['*'] } }, { deniedParameters: { a: ['*'] } }, false],
    [{ deniedParameters: { a: ['xy'] } }, { deniedParameters: { a: ['x*'] } }, false],
    [{ deniedParameters: { a: ['x*'] } }, { deniedParameters: { a: ['x*'] } }, false],
    [{ deniedParameters: { a: ['*x'] } }, { deniedParameters: { a: ['*x*', 'y'] } }, false],
    [{ deniedParameters: { a: ['*x*'] } }, { deniedParameters: { a: ['*x'] } }, true],
    [{ allowedParameters: { a: ['x'] } }, { allowedParameters: { a: ['x'] } }, false],
    [{ allowedParameters: { a: ['x'] } }, { allowedParameters: { a: ['x', 'y'] } }, true],
    [{ allowedParameters: { a: ['x', 'y'] } }, { allowedParameters: { a: ['x'] } }, false],
    [{ allowedParameters: { a: [] } }, { allowedParameters: { a: ['x'] } }, false],
    [{ allowedParameters: { a: ['x'] } }, { allowedParameters: { a: [] } }, true],
    [{ allowedParameters: { a: [] } }, { allowedParameters: { b: [] } }, true],
    [{ allowedParameters: { a: [], b: [] } }, { allowedParameters: { b: [] } }, false],
    [{ allowedParameters: { a: ['x'], b: [] } }, { allowedParameters: { b: [] } }, true],
    [{ allowedParameters: { '*': [], b: [] } }, { allowedParameters: { b: [] } }, false],
    // The values of `*` are those of a field of this very name.
    [{ allowedParameters: { '*': ['x'], b: [] } }, { allowedParameters: { '*': ['y'], b: [] } }, true],
    [{ allowedParameters: { '*': ['x'], b: [] } }, { allowedParameters: { '*': ['x'], b: [] } }, false],
    [{ allowedParameters: { b: [] } }, { allowedParameters: { '*': [], b: [] } }, true],
    [{ allowedParameters: {} }, {}, false],
    [{ allowedParameters: { a: [] } }, {}, true],
    [{}, { allowedParameters: { a: [] } }, true],
  ])('%j, then %j: %s', (before, after, isLooser) => {
    expect(mayLoosen(before, after)).toBe(isLooser);
  });
});

test('the limits of a rule are told by the names of their attributes', () => {
  const all: Limits = {
    requiredParameters: ['a'],
    deniedParameters: { a: [] },
    allowedParameters: { a: [] },
    minWrapping: 1,
    eventTypes: ['*'],
    expires: 1n,
    otherLimits: 'x',
  };
  const expected = [
    'required_parameters',
    'denied_parameters',
    'allowed_parameters',
    'wrapping',
    'subscribe_event_types',
    'expiration',
    'other limits',
  ];
  expect(limitsOf(all)).toEqual(expected);
  expect(limitsOf({ requiredParameters: [], deniedParameters: {}, allowedParameters: {} })).toEqual([]);
});
