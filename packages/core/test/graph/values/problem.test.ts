import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { describeProblem, parseOptions, yamlPath } from '../../../src/graph/values/problem.ts';

describe('yamlPath', () => {
  test.each([
    [[], 'gatehouse'],
    [['service'], 'gatehouse:service'],
    [['providers', 0, 'roles', 12, 'ttl'], 'gatehouse:providers[0].roles[12].ttl'],
  ])('prints %j as %s', (path, text) => {
    expect(yamlPath(path)).toBe(text);
  });
});

describe('describeProblem', () => {
  const schema = z.strictObject({
    text: z.string().optional(),
    list: z.array(z.string()).optional(),
    map: z.strictObject({}).optional(),
    yes: z.boolean().optional(),
    whole: z.int().optional(),
  });
  test.each([
    [{ text: 1 }, 'gatehouse:text: must be text, not a number'],
    [{ text: true }, 'gatehouse:text: must be text, not true or false'],
    [{ text: null }, 'gatehouse:text: must be text, not null'],
    [{ text: ['a'] }, 'gatehouse:text: must be text, not a list'],
    [{ list: {} }, 'gatehouse:list: must be a list, not a map'],
    [{ list: ['a', 1] }, 'gatehouse:list[1]: must be text, not a number'],
    [{ map: 'a' }, 'gatehouse:map: must be a map, not text'],
    [{ yes: 'true' }, 'gatehouse:yes: must be true or false, not text'],
    [{ whole: 1.5 }, 'gatehouse:whole: must be a whole number, not a number'],
    [{ color: 'red', size: 1 }, 'gatehouse: unknown key `color`; unknown key `size`'],
    [{ hole: 1 }, 'gatehouse: unknown key `hole`; did you mean `whole`?'],
    [
      { clientSecret: 'hunter2' },
      'gatehouse: unknown key `clientSecret`; secrets have their own key: gatehouse:clientSecrets, gatehouse:serviceAccountKeys, gatehouse:runTaskKeys',
    ],
  ])('says of %j: %s', (given, text) => {
    const issues = schema.safeParse(given, parseOptions).error?.issues ?? [];
    expect(issues.map(describeProblem)).toEqual([text]);
  });
});
