import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { openStateStore } from '../../../../engine/local/state-store.ts';
import { Secret } from '../../../../engine/property-value.ts';
import { resource } from './arbitraries.ts';

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'gatehouse-state-')), 'dev.sqlite');

/** What is in the file after it was closed and opened again. */
function reopened(path: string) {
  const store = openStateStore(path);
  try {
    return store.load();
  } finally {
    store.close();
  }
}

describe('what is recorded together', () => {
  test('is one transaction, of which a change that cannot be written fails by itself', () => {
    const path = newPath();
    const store = openStateStore(path);
    const [a, b] = [resource('a'), resource('b')];
    const creating = { type: 'creating' as const, resource: b };
    store.together(() => {
      store.record({ put: [a] });
      expect(() => store.record({ put: [resource('c')], remove: [resource('never there')] })).toThrow();
      const secret = resource('d', { inputs: { a: new Secret('hush') } });
      expect(() => store.record({ put: [resource('c'), secret] })).toThrow(/passphrase/);
      store.begin(creating);
      store.record({ put: [b], end: creating });
    });
    store.close();
    expect(reopened(path)).toEqual({ resources: [a, b], pendingOperations: [] });
  });

  test('after a transaction of several failed, nothing of it is there and nothing more is taken', () => {
    const path = newPath();
    const store = openStateStore(path);
    const failure = new Error('the disk is full');
    const failing = () =>
      store.together(() => {
        store.record({ put: [resource('a')] });
        throw failure;
      });
    expect(failing).toThrow(failure);
    expect(() => store.record({ put: [resource('b')] })).toThrow(failure);
    store.close();
    expect(reopened(path).resources).toEqual([]);
  });

  test('a write that fails takes the transaction of several with it', () => {
    const path = newPath();
    openStateStore(path).close();
    const database = new DatabaseSync(path);
    database.exec(
      `CREATE TRIGGER refusal BEFORE INSERT ON operations BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    database.close();
    const store = openStateStore(path);
    const failing = () =>
      store.together(() => {
        store.record({ put: [resource('a')] });
        expect(() => store.begin({ type: 'creating', resource: resource('b') })).toThrow('refused');
      });
    expect(failing).toThrow('refused');
    store.close();
    expect(reopened(path).resources).toEqual([]);
  });
});
