import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { DeploymentState } from '../../src/local/deployment-state.ts';
import { resource } from '../arbitraries.ts';
import { MemoryStateStore } from './memory-state-store.ts';

describe('what a deployment records', () => {
  function opened({ dryRun = false } = {}) {
    const store = new MemoryStateStore();
    const transactions: number[] = [];
    store.together = (work) => {
      const before = store.changes.length;
      work();
      transactions.push(store.changes.length - before);
    };
    return { store, transactions, state: new DeploymentState(store, dryRun) };
  }

  test('within one turn is one transaction', async () => {
    const { state, store, transactions } = opened();
    await Promise.all(['a', 'b', 'c'].map((name) => state.record({ put: [resource(name)] })));
    await state.record({ put: [resource('d')] });
    expect(transactions).toEqual([3, 1]);
    expect(store.rows).toHaveLength(4);
  });

  test('within a few milliseconds of the last transaction is one transaction', async () => {
    const { state, transactions } = opened();
    await state.record({ put: [resource('a')] });
    const later = [1, 2, 3].map(async (milliseconds) => {
      await sleep(milliseconds);
      await state.record({ put: [resource(`b${milliseconds}`)] });
    });
    await Promise.all(later);
    expect(transactions.length).toBeLessThan(4);
  });

  test('is there when its promise resolves: an operation begins only then', async () => {
    const { state, store } = opened();
    const operation = { type: 'creating' as const, resource: resource('a') };
    await state.begin(operation);
    expect(store.pending).toEqual([operation]);
  });

  test('fails for the change that failed, and for no other', async () => {
    const { state, store } = opened();
    const outcomes = await Promise.allSettled([
      state.record({ put: [resource('a')] }),
      state.record({ remove: [resource('never there')] }),
      state.record({ put: [resource('b')] }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(store.rows).toHaveLength(2);
  });

  test('fails for all when the transaction fails', async () => {
    const { state, store } = opened();
    store.together = () => {
      throw new Error('the disk is full');
    };
    const changes = ['a', 'b'].map((name) => state.record({ put: [resource(name)] }));
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('is nothing in a preview', async () => {
    const { state, store } = opened({ dryRun: true });
    await state.begin({ type: 'creating', resource: resource('a') });
    await state.record({ put: [resource('a')] });
    expect(store.changes).toEqual([]);
    expect(store.pending).toEqual([]);
  });
});
