import { expect, test } from '@jest/globals';
import { isPassable, loosened } from '../../../core/access/limits.ts';
import { Acl, united } from '../../../core/model/policies/acl.ts';
import type { PathRule } from '../../../core/model/policies/parse-policy.ts';
import { randomFrom } from '../../harness/random-policies.ts';

const rounds = Number(process.env['ROUNDS'] ?? 10_000);
const seed = Number(process.env['SEED'] ?? 20_261_122);

const names = ['a', 'b', 'c'];
const values = ['x', 'xy', 'y', 1, true];
/** Every request with up to two of the fields, one of which no rule names. */
const requests = [...names, 'z'].flatMap((one) =>
  [...names, 'z', ''].flatMap((other) =>
    values.flatMap((value) =>
      (other === '' ? ['x'] : values).map((second) => ({ [one]: value, ...(other && { [other]: second }) })),
    ),
  ),
);

test(`a limit that lets through what it did not is loosened, whatever the rules, seed ${seed}`, () => {
  const next = randomFrom(seed);
  const one = <T>(list: readonly T[]) => list[next(list.length)] as T;
  const parameters = () =>
    Object.fromEntries(
      Array.from({ length: next(3) }, () => [
        one([...names, '*']),
        Array.from({ length: next(3) }, () => one([...values, 'x*', '*y', '*'])),
      ]),
    );
  const rule = (): PathRule => ({
    path: 'p',
    capabilities: ['update'],
    ...(next(2) === 0 && { allowedParameters: parameters() }),
    ...(next(3) === 0 && { deniedParameters: parameters() }),
    ...(next(4) === 0 && { requiredParameters: [one(names)] }),
  });
  const passes = (limited: PathRule, request: object) =>
    new Acl([{ name: 'p', rules: [limited] }], 0n).allows({
      path: 'p',
      capability: 'update',
      parameters: { ...request },
    });
  const missed: unknown[] = [];
  let looser = 0;
  for (let round = 0; round < rounds; round++) {
    const before = rule();
    // Most changes are small.
    const after =
      next(2) === 0 ? rule() : { ...before, ...one([{ allowedParameters: parameters() }, rule()]) };
    const witness = one(requests);
    const found = [witness, {}, one(requests), one(requests), one(requests)].find(
      (request) => passes(after, request) && !passes(before, request),
    );
    if (found === undefined) continue;
    looser += 1;
    if (loosened(united(undefined, before), united(undefined, after), ['update']) === undefined) {
      missed.push({ round, before, after, found });
    }
  }
  expect(looser).toBeGreaterThan(rounds / 20);
  expect(missed.slice(0, 2)).toEqual([]);
});

// `sudo` is not a request of its own: what is asked beside it is limited.
test('limits are not on sudo', () => {
  const never = { minWrapping: 300, maxWrapping: 60 };
  expect(isPassable(never, 'sudo')).toBe(true);
  expect(isPassable(never, 'read')).toBe(false);
  expect(loosened({ minWrapping: 300 }, {}, ['sudo'])).toBeUndefined();
  expect(loosened({ minWrapping: 300 }, {}, ['sudo', 'read'])).toBe('wrapping');
});
