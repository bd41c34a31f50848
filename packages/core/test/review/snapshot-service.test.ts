import { describe, expect, test } from '@jest/globals';
import { isWhole } from '../../src/graph/graph.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { review } from '../../src/review/review.ts';
import { readSnapshot, snapshotOf } from '../../src/review/snapshot.ts';
import { serviceOf } from '../../src/review/snapshot-service.ts';
import { entries, graph } from '../worlds.ts';
import { terraform } from './plan/terraform.ts';

const at = '2026-11-23T12:00:00Z';
const hours = (count: number) => Date.parse(at) + count * 3_600_000;
const ids = { mount: {}, group: {}, entity: {} };
const snapshotFrom = (server: string) =>
  readSnapshot(
    snapshotOf({ graph: graph('complete'), ids, missing: [] }, { at, server, namespace: '' }).text,
  );

test('a snapshot is complete for 36 hours, unless another age is asked for', () => {
  const isCompleteAfter = (age: number, maxAge?: number) =>
    isWhole(
      serviceOf(snapshotFrom('https://s.example'), {
        now: hours(age),
        ...(maxAge !== undefined && { maxAge }),
      }).graph,
    );
  expect([isCompleteAfter(35), isCompleteAfter(36), isCompleteAfter(35, 3600)]).toEqual([true, false, false]);
});

describe('without a stack, the plan says which service it is for', () => {
  const planFor = (address: string) =>
    readPlan(
      terraform([], {
        configuration: {
          provider_config: {
            vault: { name: 'vault', expressions: { address: { constant_value: address } } },
          },
        },
      }),
    );
  const use = (plan: string, server: string) => () =>
    serviceOf(snapshotFrom(server), { now: hours(1), plannedAddress: planFor(plan).address });

  test.each([
    ['https://s.example', 'https://s.example'],
    ['https://s.example/', 'https://s.example'],
    ['https://s.example', 'https://s.example:8200'],
    ['a name that is no address', 'https://s.example'],
  ])('the plan for %s takes a snapshot of %s', (plan, server) => {
    expect(use(plan, server)).not.toThrow();
  });

  test.each([
    ['https://s.example', 'https://staging.example'],
    ['https://s.example:8200', 'https://s.example:8300'],
  ])('the plan for %s refuses a snapshot of %s', (plan, server) => {
    expect(use(plan, server)).toThrow('The snapshot is of another service than the plan’s.');
  });

  test('what a stack says of it comes first', () => {
    const snapshot = snapshotFrom('https://s.example');
    const service = { address: 'https://s.example' };
    expect(() =>
      serviceOf(snapshot, { now: hours(1), service, plannedAddress: 'https://other.example' }),
    ).not.toThrow();
  });
});

describe('a snapshot that no part of a plan is in', () => {
  const notesOf = (plan: string) =>
    review(readPlan(plan), {
      now: 0n,
      live: serviceOf(snapshotFrom('https://s.example'), { now: hours(1) }),
    }).notes;
  const unused = 'The snapshot is not used: the plan is of several services, or of another namespace.';

  test('is said to be unused, of another namespace', () => {
    expect(notesOf(terraform(entries('+ group a x namespace: team')))).toEqual([unused]);
  });

  test('is said to be unused, of two services', () => {
    const [first, second] = entries('+ group a x\n + group b x').map((planned, at) => ({
      ...planned,
      gatehouse: { provider_config_key: at === 0 ? 'vault' : 'vault.b' },
    }));
    const expressions = (address: string) => ({ expressions: { address: { constant_value: address } } });
    const provider_config = { vault: expressions('https://a'), 'vault.b': expressions('https://b') };
    expect(notesOf(terraform([first ?? {}, second ?? {}], { configuration: { provider_config } }))).toEqual([
      unused,
    ]);
  });

  test('is named by its source where a part is', () => {
    expect(notesOf(terraform(entries('+ group a x\n + group b x namespace: team')))).toEqual([
      'Snapshot of https://s.example, 1h old; source not verified.',
    ]);
  });
});
