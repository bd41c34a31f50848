import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIn } from '../../../../test/harness/long-run.ts';
import { declare } from '../../src/environment/declared.ts';
import { type Environment, parseEnvironment } from '../../src/environment/environment.ts';
import { providerKinds } from '../../src/graph/kinds/kinds.ts';
import { GatehouseError } from '../../src/graph/values/errors.ts';
import { givenEnvironment, givenProvider } from './environment-fixture.ts';

const complete = givenEnvironment(
  providerKinds.map((kind) =>
    givenProvider(kind, {
      name: kind.replaceAll('_', '-'),
      tune: { defaultLeaseTtl: '1h' },
      ...(kind === 'source_hosting'
        ? { groups: [{ name: 'admins', alias: 'owners', policies: ['a'] }] }
        : {}),
      ...(kind === 'workspace_suite'
        ? { directory: { adminImpersonate: 'a@example.com', serviceAccountFile: '/key.json' } }
        : {}),
    }),
  ),
  {
    identity: { address: 'http://127.0.0.1:1' },
    policies: [{ name: 'a', policy: 'path "a" {}' }],
    templates: {
      team: {
        parameters: { name: 'text' },
        policies: [{ name: `$\{name}`, policy: `path "a/$\{name}" {}` }],
        addTo: [{ provider: 'source-hosting', groups: [{ name: `$\{name}`, alias: 'x' }] }],
      },
    },
    use: [{ template: 'team', with: { name: 'shop' } }],
    messages: [{ title: 'Hello', message: 'text', startTime: '2026-12-01T00:00:00Z' }],
  },
);

/** Every place in a value, as a path. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

/** A copy of a value with something else in one place. */
function replaced(value: any, [key, ...rest]: (string | number)[], other: unknown): any {
  if (key === undefined) return other;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = replaced(copy[key], rest, other);
  return copy;
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', ' ', '__proto__', 'root', 'https://x', '1h', -1, Number.MAX_VALUE),
);
const damaged = fc
  .tuple(fc.constantFrom(...places(complete).filter((path) => path.length > 0)), anything)
  .map(([path, other]) => replaced(complete, path, other) as Record<string, unknown>);

describe('parseEnvironment, whatever it is given in one place of a whole environment', () => {
  test('answers or throws the error that names the places, and nothing else', () => {
    fc.assert(
      fc.property(damaged, (given) => {
        try {
          parseEnvironment(given);
        } catch (error) {
          expect(error).toBeInstanceOf(GatehouseError);
          expect((error as GatehouseError).parts.fix).toMatch(/^gatehouse/);
        }
      }),
      { numRuns: isIn('npm test') ? 100 : 500 },
    );
  });

  test('answers what it would answer again, and what can be declared', () => {
    fc.assert(
      fc.property(damaged, (given) => {
        let once: Environment;
        try {
          once = parseEnvironment(given);
        } catch {
          return;
        }
        expect(parseEnvironment(once)).toEqual(once);
        expect(declare(once).methods).toHaveLength(once.providers.length);
      }),
      { numRuns: isIn('npm test') ? 100 : 500 },
    );
  });
});
