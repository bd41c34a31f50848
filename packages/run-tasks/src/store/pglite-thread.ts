// The thread of PGlite, which a statement blocks until it ends: each message is a `PgliteCall`, the replies are
// `PgliteNews`.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';
import type { DatabaseRow } from './database.ts';

export interface PgliteCall {
  id: number;
  method: keyof PgliteMethods;
  args: unknown[];
}
export type PgliteMethods = typeof methods;

export type PgliteNews =
  /** The first message has the id 0: the database is open, or cannot be opened. */
  | { id: number; result: unknown }
  | { id: number; error: { message: string; fields: object } }
  | { channel: string; payload: string };

/**
 * Small buffers: with the default of 128 MB the database takes 280 MB of memory, with 8 MB it takes 80 MB
 * (packages/bench/README.md). The system caches the files in any case.
 */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'];

// Optimizing the WebAssembly code would keep a core busy for a while, and take half a gigabyte.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');

const send = (news: PgliteNews) => parentPort?.postMessage(news);
const answer = async (id: number, work: () => Promise<unknown>) => {
  try {
    send({ id, result: await work() });
  } catch (error) {
    // Other fields of an error are lost on the way.
    const { message, ...fields } = { ...(error as Error), message: (error as Error).message };
    send({ id, error: { message, fields: JSON.parse(JSON.stringify(fields)) } });
  }
};

let pglite: PGlite;
await answer(0, async () => {
  pglite = await openDatabase(workerData as string);
});

const methods = {
  query: async (text: string, values?: unknown[]) => ({
    rows: (await pglite.query<DatabaseRow>(text, values)).rows,
  }),
  /** Several statements without values. */
  exec: async (text: string) => (await pglite.exec(text)).map(({ rows }) => ({ rows })),
  listen: async (channel: string) =>
    void (await pglite.listen(channel, (payload) => send({ channel, payload }))),
  close: () => pglite.close(),
};

parentPort?.on('message', ({ id, method, args: [text, values] }: PgliteCall) =>
  answer(id, () => (methods[method] as (text: unknown, values: unknown) => Promise<unknown>)(text, values)),
);

async function openDatabase(data: string): Promise<PGlite> {
  if (!existsSync(data)) await makeData(data);
  const opened = new PGlite(data, { startParams });
  await opened.waitReady;
  return opened;
}

/**
 * Makes the folder under another name and renames it once it is complete, because the process may be killed meanwhile. It is
 * unpacked without PGlite, which would start PostgreSQL for it.
 */
async function makeData(data: string): Promise<void> {
  const draft = `${data}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft);
  const [archive, { extract }] = await Promise.all([dataDir(), import('tar')]);
  extract({ cwd: draft, sync: true }).end(Buffer.from(await archive.arrayBuffer()));
  await rename(draft, data);
}
