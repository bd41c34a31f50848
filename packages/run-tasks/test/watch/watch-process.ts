// A process that watches stacks, to be killed: it writes each reading to a journal when it begins and when it ends.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { silent } from '../../src/log.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { makeTables } from '../../src/store/tables.ts';
import { Watch } from '../../src/watch/watch.ts';
import { WatchStore } from '../../src/watch/watch-store.ts';

export interface WatchProcessArgs {
  url?: string;
  home: string;
  /** Its name in the journal. */
  name: string;
  ids: string[];
  /** How long a reading takes, and the pause to the next one. */
  readMs: number;
  everyMs: number;
  journal: string;
}

const { url, home, name, ids, readMs, everyMs, journal }: WatchProcessArgs = JSON.parse(
  process.argv[2] ?? '',
);
const write = (what: string, id: string) => appendFileSync(journal, `${Date.now()} ${name} ${what} ${id}\n`);
const database = await openDatabase(url, home);
await makeTables(database);
const watch = new Watch({
  database,
  store: new WatchStore(database),
  everyMs,
  log: silent,
  listStacks: async () => ids,
  comparedWith: async () => 'commit 1',
  async readStack(id) {
    write('begins', id);
    await sleep(readMs);
    write('ends', id);
    return { outcome: 'ok', summary: 'no drift', findings: [], unread: [], comparedWith: 'commit 1' };
  },
});
await watch.start();
console.log('started');
