import { describe, expect, test } from '@jest/globals';
import { access } from '../../bench/access.ts';
import { drift } from '../../bench/drift.ts';
import { type Figure, figuresText } from '../../bench/figure.ts';
import { login } from '../../bench/login.ts';
import { overhead } from '../../bench/overhead.ts';
import { preview } from '../../bench/preview.ts';
import { review } from '../../bench/review.ts';
import { rotate } from '../../bench/rotate.ts';
import { runTasks } from '../../bench/run-tasks.ts';
import { start } from '../../bench/start.ts';
import { up } from '../../bench/up.ts';

/** Nothing here looks at how long anything takes: a bench says that itself. */
describe('benches run from beginning to end', () => {
  const benches: [string, () => Promise<Figure[]>][] = [
    ['start', () => start({ rounds: 1 })],
    ['preview', () => preview({ roles: 5, rounds: 1 })],
    ['up', () => up({ roles: 5, rounds: 1 })],
    ['review', () => review({ roles: 50, rounds: 1 })],
    ['access', () => access({ roles: 50, rounds: 1 })],
    ['overhead', () => overhead({ roles: 2 })],
    ['login', () => login({ rounds: 1, seconds: 0.1 })],
    ['login, memory', () => login({ memory: 500 })],
    ['rotate', () => rotate({ signIns: 20, rounds: 1, keycloak: false })],
    ['drift', () => drift({ roles: 5, rounds: 1 })],
    [
      'run-tasks',
      () =>
        runTasks({
          arrival: { rate: 20, seconds: 0.1, steps: 2 },
          reviewing: { resources: 10, rate: 10, seconds: 0.2 },
          sustained: { seconds: 0.2 },
          endToEnd: { resources: 10, requests: 3, rate: 20 },
          idle: { counts: [0, 10], seconds: 0.1, settle: 0 },
        }),
    ],
  ];

  test.each(benches)(
    '%s',
    async (_name, bench) => {
      const figures = await bench();
      expect(figures.length).toBeGreaterThan(3);
      expect(figuresText(figures)).not.toMatch(/NaN|undefined/);
    },
    300_000,
  );
});
