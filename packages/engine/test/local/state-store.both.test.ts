import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { longTest } from '../../../../test/harness/long-run.ts';
import { openStateStore, type StateStore, statePath } from '../../src/local/state-store.ts';
import { createCrypter } from '../../src/passphrase.ts';
import { Secret } from '../../src/property-value.ts';
import { operations, resource, resources } from '../arbitraries.ts';
import { stackOf } from '../stack-of.ts';

const crypter = await createCrypter('crash');
const newPath = (): string =>
  join(mkdtempSync(join(tmpdir(), 'gatehouse-state-')), 'state', 'house', 'dev.sqlite');
const refused = (code: string, message = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

function startRecording(path: string) {
  const script = join(import.meta.dirname, 'recording-process.ts');
  return spawn(process.execPath, [script, path, crypter.salt], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Opens the file, does something with what is in it, and closes it. */
function opened<T>(
  path: string,
  work: (store: StateStore) => T,
  key: typeof crypter | undefined = crypter,
): T {
  const store = openStateStore(path, key);
  try {
    return work(store);
  } finally {
    store.close();
  }
}
const reopened = (path: string) => opened(path, (store) => store.load());

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe('what is recorded', () => {
  longTest('is there when the file is opened again, in the order in which it was first put', () => {
    fc.assert(
      fc.property(
        fc.array(resources, { maxLength: 4 }),
        fc.array(operations, { maxLength: 2 }),
        (states, started) => {
          const path = newPath();
          opened(path, (store) => {
            for (const operation of started) store.begin(operation);
            store.record({ put: states });
          });
          expect(reopened(path)).toEqual({ resources: states, pendingOperations: started });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('a resource put again keeps its place', () => {
    const path = newPath();
    const [a, b] = [resource('a'), resource('b')];
    opened(path, (store) => {
      store.record({ put: [a, b] });
      a.outputs = { changed: true };
      store.record({ put: [a] });
    });
    expect(reopened(path).resources).toEqual([a, b]);
  });

  test('what was loaded can be put again, removed and ended', () => {
    const path = newPath();
    opened(path, (store) => {
      store.record({ put: [resource('a'), resource('b')] });
      store.begin({ type: 'deleting', resource: resource('b') });
    });
    opened(path, (store) => {
      const { resources: found, pendingOperations } = store.load();
      const [a, b] = found;
      a!.protect = true;
      store.record({ put: [a!], remove: [b!], end: pendingOperations[0] });
    });
    const kept = resource('a', { protect: true });
    expect(reopened(path)).toEqual({ resources: [kept], pendingOperations: [] });
  });

  test('a change is one transaction: one that fails can be made again', () => {
    const path = newPath();
    const [a, b] = [resource('a'), resource('b')];
    const operation = { type: 'creating' as const, resource: a };
    opened(path, (store) => {
      store.record({ put: [b] });
      store.begin(operation);
      const broken = { put: [a], remove: [b, resource('never recorded')], end: operation };
      expect(() => store.record(broken)).toThrow();
    });
    expect(reopened(path)).toEqual({ resources: [b], pendingOperations: [operation] });
    opened(path, (store) => {
      const { resources: found, pendingOperations } = store.load();
      expect(() => store.record({ put: [a], remove: [resource('never recorded')] })).toThrow();
      store.record({ put: [a], remove: found, end: pendingOperations[0] });
    });
    expect(reopened(path)).toEqual({ resources: [a], pendingOperations: [] });
  });

  test('two resources of one URN are two', () => {
    const path = newPath();
    const [old, current] = [resource('a', { delete: true }), resource('a')];
    opened(path, (store) => {
      store.record({ put: [old, current] });
      store.record({ remove: [old] });
    });
    expect(reopened(path).resources).toEqual([current]);
  });
});

describe('what is recorded together', () => {
  test('is one transaction, of which a change that cannot be written fails by itself', () => {
    const path = newPath();
    const [a, b] = [resource('a'), resource('b')];
    const creating = { type: 'creating' as const, resource: b };
    const store = openStateStore(path);
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
    const failure = new Error('the disk is full');
    opened(path, (store) => {
      const failing = () =>
        store.together(() => {
          store.record({ put: [resource('a')] });
          throw failure;
        });
      expect(failing).toThrow(failure);
      expect(() => store.record({ put: [resource('b')] })).toThrow(failure);
    });
    expect(reopened(path).resources).toEqual([]);
  });

  test('a write that fails takes the transaction of several with it', () => {
    const path = newPath();
    openStateStore(path).close();
    change(
      path,
      `CREATE TRIGGER refusal BEFORE INSERT ON operations BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    opened(path, (store) => {
      const failing = () =>
        store.together(() => {
          store.record({ put: [resource('a')] });
          expect(() => store.begin({ type: 'creating', resource: resource('b') })).toThrow('refused');
        });
      expect(failing).toThrow('refused');
    });
    expect(reopened(path).resources).toEqual([]);
  });
});

describe('secrets', () => {
  const hidden = resource('a', {
    inputs: { a: new Secret('needle') },
    outputs: { b: [new Secret({ c: 'needle' })] },
  });

  test('are nowhere on the disk in clear, not in the log either; files are for their owner alone', () => {
    const path = newPath();
    const folder = dirname(path);
    opened(path, (store) => {
      store.begin({ type: 'creating', resource: hidden });
      store.record({ put: [hidden] });
      const files = readdirSync(folder).map((file) => join(folder, file));
      expect(files).toContain(`${path}-wal`);
      for (const file of files) expect(readFileSync(file, 'latin1')).not.toContain('needle');
      const modes = [...files, folder].map((file) => statSync(file).mode & 0o777);
      expect([new Set(modes.slice(0, -1)), modes.at(-1)]).toEqual([new Set([0o600]), 0o700]);
    });
  });

  test('without a passphrase can be neither recorded nor read; a state without secrets can', () => {
    const path = newPath();
    const store = openStateStore(path);
    expect(() => store.record({ put: [hidden] })).toThrow(refused('passphrase_missing'));
    store.record({ put: [resource('b')] });
    expect(store.load().resources).toEqual([resource('b')]);
    store.close();
    opened(path, (withKey) => withKey.record({ put: [hidden] }));
    const without = openStateStore(path);
    expect(() => without.load()).toThrow(refused('passphrase_missing'));
    without.close();
  });

  test('encrypted under another salt are told at once; a state without secrets takes a new salt', async () => {
    const path = newPath();
    const other = await createCrypter('other');
    opened(path, (store) => store.record({ put: [resource('b')] }), other);
    opened(path, (store) => store.record({ put: [hidden] }));
    expect(() => openStateStore(path, other)).toThrow(refused('passphrase_wrong'));
  });
});

describe('the lock', () => {
  test('refuses a second run and names the first, until it closes the state', () => {
    const path = newPath();
    opened(path, () => {
      expect(() => openStateStore(path, crypter)).toThrow(
        refused('state_locked', `process ${process.pid}, since 2`),
      );
    });
    openStateStore(path, crypter).close();
  });

  test('holds between processes, and ends with the one that has it', async () => {
    const path = newPath();
    const child = startRecording(path);
    const exit = once(child, 'exit');
    for await (const line of createInterface({ input: child.stdout })) if (line === 'open') break;
    expect(() => openStateStore(path, crypter)).toThrow(
      refused('state_locked', `process ${child.pid}, since `),
    );
    child.kill('SIGKILL');
    await exit;
    openStateStore(path, crypter).close();
  });
});

describe('a file that cannot be used', () => {
  test.each<[string, (path: string) => void]>([
    ['text', (path) => writeFileSync(path, 'this is no database, whatever its name says'.repeat(50))],
    ['empty', (path) => truncateSync(path, 0)],
    ['cut off', (path) => truncateSync(path, 3000)],
    [
      'overwritten in the middle',
      (path) => {
        const bytes = readFileSync(path);
        bytes.fill(0xff, 4096, 8192 + 500);
        writeFileSync(path, bytes);
      },
    ],
    [
      "another program's database",
      (path) => {
        writeFileSync(path, '');
        change(path, 'CREATE TABLE a (b)');
      },
    ],
    ['without a table', (path) => change(path, 'DROP TABLE operations')],
    ['of rows that are no JSON', (path) => change(path, "UPDATE resources SET state = '{'")],
    ['of rows that are no resources', (path) => change(path, "UPDATE resources SET state = '{}'")],
    ['of changed secrets', (path) => change(path, "UPDATE resources SET state = replace(state, ':', ':A')")],
    ['of no format', (path) => change(path, 'DELETE FROM encryption')],
  ])('%s: state_damaged', (_, damage) => {
    const path = newPath();
    const inputs = { a: new Secret('b') };
    const put = Array.from({ length: 50 }, (_, i) => resource(`urn:${i}`, { inputs }));
    opened(path, (store) => store.record({ put }));
    damage(path);
    expect(() => reopened(path)).toThrow(refused('state_damaged'));
  });

  test('of a newer format: state_newer', () => {
    const path = newPath();
    openStateStore(path, crypter).close();
    change(path, 'PRAGMA user_version = 2');
    expect(() => openStateStore(path, crypter)).toThrow(refused('state_newer'));
  });

  test('in a folder that cannot be made: state_unwritable', () => {
    const path = newPath();
    openStateStore(path, crypter).close();
    expect(() => openStateStore(join(path, 'below', 'a.sqlite'), crypter)).toThrow(
      refused('state_unwritable'),
    );
  });
});

test("a stack's state has its place by project and stack", () => {
  const stack = stackOf({ project: 'house', home: '/p/.gatehouse' });
  expect(statePath(stack)).toBe('/p/.gatehouse/state/house/dev.sqlite');
});

describe('a process killed while it records', () => {
  longTest.each([1, 2, 3, 4, 5])(
    'loses nothing that it acknowledged, and its lock is gone (seed %i)',
    async (seed) => {
      const path = newPath();
      // Lines of acknowledgement until the kill: anything from the first to some hundreds.
      const patience = [1, 7, 40, 113, 301][seed - 1]! + ((seed * 7919) % 13);
      const acknowledged = await recordUntilKilled(path, patience);
      expect(acknowledged.length).toBeGreaterThanOrEqual(patience);

      const { resources: states, pendingOperations } = reopened(path);
      const there = new Map(states.map((state) => [state.urn, state]));
      const last = acknowledged.at(-1);
      for (const line of acknowledged) {
        const [what, number] = line.split(' ');
        const removed = acknowledged.includes(`removed ${number}`);
        // Every fifth is removed again, which may have been done and not yet said.
        const perhapsRemoved = line === last && Number(number) % 5 === 4;
        if (what === 'put' && !removed && !perhapsRemoved) {
          expect(there.get(`urn:${number}`)?.inputs).toEqual({
            number: Number(number),
            secret: new Secret(`hidden ${number}`),
          });
        }
        if (what === 'removed') expect(there.has(`urn:${number}`)).toBe(false);
      }
      // At most the operation under way is pending.
      expect(pendingOperations.length).toBeLessThanOrEqual(1);
      if (last?.startsWith('begun')) {
        const urn = `urn:${last.split(' ')[1]}`;
        expect(there.has(urn) || pendingOperations[0]?.resource.urn === urn).toBe(true);
      }
    },
  );

  async function recordUntilKilled(path: string, patience: number): Promise<string[]> {
    const child = startRecording(path);
    const exit = once(child, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (lines.length === patience + 1) child.kill('SIGKILL');
    }
    await exit;
    return lines.slice(1);
  }
});
