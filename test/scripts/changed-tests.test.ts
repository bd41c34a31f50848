import { describe, expect, test } from '@jest/globals';
import { mayLoad, touchedBy, withinBudget } from '../../scripts/changed-tests.ts';

describe('what a file may load', () => {
  test('is what it imports, by its own path or by an entry of a package', () => {
    expect(mayLoad('stacks/environment.ts')).toEqual(
      expect.arrayContaining(['packages/core/src/graph/index.ts', 'providers/stack-provider.ts']),
    );
  });

  test('is what a test names by a path: a program, a page', () => {
    expect(mayLoad('packages/cli/test/gatehouse.test.ts')).toContain('packages/cli/gatehouse.mjs');
    expect(mayLoad('test/docs/first-review.test.ts')).toContain('docs/first-review.md');
  });

  test('is every program of the clone, where it starts Node', () => {
    expect(mayLoad('packages/engine/src/local/program.ts')).toEqual(
      expect.arrayContaining(['main.mjs', 'packages/cli/gatehouse.mjs']),
    );
  });
});

describe('the tests that a change touches', () => {
  const test1 = 'packages/core/test/access/decide.test.ts';
  const [oidc, other] = ['packages/secrets-service/test/server.test.ts', 'test/scripts/test-times.test.ts'];

  test('are those that reach the file, the nearest first', () => {
    const touched = touchedBy(['packages/core/src/access/decide.ts'], [oidc, other, test1]);
    expect(touched[0]).toEqual({ file: test1, steps: 1 });
    expect(touched.map(({ file }) => file)).not.toContain(other);
  });

  test('are the changed files of tests themselves', () => {
    expect(touchedBy([other], [oidc, other, test1])).toEqual([{ file: other, steps: 0 }]);
  });

  test('run as long as there is time, the nearest first, and always those that import what has changed', () => {
    const touched = [
      { file: 'near', steps: 1 },
      { file: 'slow', steps: 2 },
      { file: 'quick', steps: 2 },
      { file: 'far', steps: 3 },
    ];
    expect(withinBudget(touched, { near: 100, slow: 5, quick: 1, far: 1 })).toEqual(['near']);
    expect(withinBudget(touched, { near: 10, slow: 45, quick: 1, far: 1 })).toEqual(['near', 'quick']);
    expect(withinBudget(touched, {})).toEqual(['near', 'slow', 'quick', 'far']);
  });
});
