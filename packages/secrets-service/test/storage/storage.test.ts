import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import { startedForEach } from '../../../../test/harness/started.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { SqliteStorage } from '../../src/storage/sqlite.ts';
import { key, partsOf, type Storage } from '../../src/storage/storage.ts';

const kinds: [string, () => Storage][] = [
  ['memory', () => new MemoryStorage()],
  ['sqlite', () => new SqliteStorage(join(temporaryFolder(), 'store.sqlite'))],
];

describe.each(kinds)('%s storage', (_, openStorage) => {
  const storage = startedForEach(openStorage);

  test('gives back what was put', () => {
    storage().put('a', { deep: [1, null, 'ü', true] });
    expect(storage().get('a')).toEqual({ deep: [1, null, 'ü', true] });
  });

  test('tells a null that was put from nothing', () => {
    storage().put('a', null);
    expect(storage().get('a')).toBeNull();
  });

  test('lists what begins with a prefix, in order', () => {
    for (const name of ['x|b/2', 'x|c', 'x|b', 'x|b/1', 'y|b/3', 'x|b0']) storage().put(name, name);
    expect(
      storage()
        .list('x|b/')
        .map(([found]) => found),
    ).toEqual(['x|b/1', 'x|b/2']);
  });

  test('what was read cannot change what is stored', () => {
    storage().put('a', { list: [1] });
    try {
      (storage().get('a') as { list: number[] }).list.push(2);
    } catch {
      // Writing to a frozen object throws.
    }
    expect(storage().get('a')).toEqual({ list: [1] });
  });

  test('a transaction that throws leaves everything as it was', () => {
    storage().put('a', 1);
    storage().put('b', 1);
    const work = () => {
      storage().put('a', 2);
      storage().put('a', 3);
      storage().delete('b');
      storage().put('c', 1);
      throw new Error('no');
    };
    expect(() => storage().transaction(work)).toThrow('no');
    expect(storage().list('')).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  test('reads in a transaction see what it wrote', () => {
    const seen = storage().transaction(() => {
      storage().put('a', 1);
      return [storage().get('a'), storage().list('')];
    });
    expect(seen).toEqual([1, [['a', 1]]]);
  });

  test('a transaction inside another is undone with it', () => {
    const work = () => {
      storage().transaction(() => storage().put('a', 1));
      throw new Error('no');
    };
    expect(() => storage().transaction(work)).toThrow('no');
    expect(storage().get('a')).toBeUndefined();
  });
});

test('both storages end with the same after any operations', () => {
  const name = fc.constantFrom('a', 'a/b', 'a/c', 'b', 'b/a');
  const step = fc.oneof(
    fc.record({ put: name, value: fc.integer() }),
    fc.record({ remove: name }),
    fc.record({ failing: name, value: fc.integer() }),
  );
  const disk = new SqliteStorage(join(temporaryFolder(), 'any.sqlite'));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      for (const [found] of disk.list('')) disk.delete(found);
      const memory = new MemoryStorage();
      for (const storage of [memory, disk]) {
        for (const one of steps) {
          if ('put' in one) storage.put(one.put, one.value);
          else if ('remove' in one) storage.delete(one.remove);
          else {
            const work = () => {
              storage.put(one.failing, one.value);
              storage.delete('a');
              throw new Error('no');
            };
            expect(() => storage.transaction(work)).toThrow('no');
          }
        }
      }
      expect(disk.list('')).toEqual(memory.list(''));
      expect(disk.list('a/')).toEqual(memory.list('a/'));
    }),
    { numRuns: 50 },
  );
  disk.close();
});

describe('key', () => {
  test('any parts come back, and no two keys are alike', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
        (one, other) => {
          expect(partsOf(key('a/b', ...one))).toEqual(one);
          expect(key('', ...one) === key('', ...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
        },
      ),
    );
  });

  test('a last part of nothing makes a prefix of whole parts', () => {
    expect(key('team', 'role', '')).toBe('team|role/');
  });
});
