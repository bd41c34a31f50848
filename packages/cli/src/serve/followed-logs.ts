import { type FileHandle, open, stat } from 'node:fs/promises';
import type { ReviewOptions } from '@gatehouse/core/review';
import { type AuditEntry, AuditLines } from '@gatehouse/core/usage';
import { type Database, keptMs, type Log, repeat, type Sql } from '@gatehouse/run-tasks';

interface FollowedLogsArgs {
  /** Paths of audit logs of one service. */
  files: readonly string[];
  database: Database;
  log: Log;
  now?: () => number;
}

/** How often logs are looked at, in milliseconds. */
const everyMs = 5_000;
/** Most that is read in one transaction, in bytes. */
const most = 8 << 20;
/** The name under which lines are counted that could not be read completely. */
const unreadLines = 'unread lines';
/** Tokens whose renewals count for their roles. */
const mostFollowed = 100_000;

/**
 * Follows audit logs as they grow and are rotated, and counts by day the sign-ins of roles, and the requests with policies of
 * groups; of users, only that some of them signed in. A renewal is use of a role, and a sign-in of a policy: its day is kept
 * without a count. Keeps these counts, for 90 days, and the place up to which it has read: never a line, never a person.
 */
export class FollowedLogs {
  readonly #args: Required<FollowedLogsArgs>;
  readonly #followed = new Map<string, { file: FileHandle; inode: string }>();
  readonly #refused = new Set<string>();
  /** The roles that tokens were signed in by, by their hashed accessors: in memory alone. */
  readonly #roles = new Map<string, string[]>();
  /** By the path of the log. */
  readonly #readers = new Map<string, AuditLines>();
  #stop = async () => {};

  /** Their paths. */
  get files(): readonly string[] {
    return this.#args.files;
  }

  constructor(args: FollowedLogsArgs) {
    this.#args = { now: Date.now, ...args };
  }

  start(): void {
    this.#stop = repeat(() => this.read(), everyMs, this.#args.log, 'an audit log could not be read');
  }

  async stop(): Promise<void> {
    await this.#stop();
    for (const { file } of this.#followed.values()) await file.close();
    this.#followed.clear();
  }

  /** Reads what is new. Public for tests, which have their own clock. */
  async read(): Promise<void> {
    const { files, database, now } = this.#args;
    for (const path of files) {
      while (!this.#refused.has(path) && (await database.transaction((sql) => this.#readSome(sql, path))));
    }
    await database.query('DELETE FROM used WHERE day < $1', [dayOf(now() - keptMs)]);
  }

  async lastUsed(): Promise<NonNullable<ReviewOptions['lastUsed']>> {
    const rows = await this.#args.database.query(
      'SELECT namespace, name, max(day) AS day, sum(count)::int AS count FROM used GROUP BY namespace, name',
    );
    const byNamespace = [...Map.groupBy(rows, ({ namespace }) => String(namespace))];
    return Object.fromEntries(
      byNamespace.map(([namespace, names]) => [
        namespace,
        Object.fromEntries(
          names.map(({ name, day, count }) => [name, { day: String(day), count: Number(count) }]),
        ),
      ]),
    );
  }

  /** @returns whether there may be more */
  async #readSome(sql: Sql, path: string): Promise<boolean> {
    // One process at a time reads a file, where several share the store.
    await sql.query('INSERT INTO followed (path) VALUES ($1) ON CONFLICT DO NOTHING', [path]);
    const [row] = await sql.query('SELECT inode, position FROM followed WHERE path = $1 FOR UPDATE', [path]);
    const place = { inode: String(row?.['inode']), position: Number(row?.['position']) };
    const opened = await this.#opened(path, place.inode);
    if (opened === undefined) return false;
    const { file, inode, isRotated } = opened;
    const { size } = await file.stat();
    // Another file, or one that was emptied: it begins anew.
    const from = inode === place.inode && size >= place.position ? place.position : 0;
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(most, size - from)),
      0,
      undefined,
      from,
    );
    const lines = buffer.subarray(0, bytesRead);
    const end = lines.lastIndexOf(10) + 1;
    const counts = this.#countsIn(path, lines.toString('utf8', 0, end));
    if (counts === undefined) return false;
    await keep(sql, counts);
    // A line that is longer than all that is read at once is passed over.
    const read = end === 0 && bytesRead === most ? bytesRead : end;
    await sql.query('UPDATE followed SET inode = $2, position = $3 WHERE path = $1', [
      path,
      inode,
      from + read,
    ]);
    const isDone = from + read >= size || read === 0;
    if (isDone && isRotated) {
      await file.close();
      this.#followed.delete(path);
    }
    return !isDone || isRotated;
  }

  /** The counts of some lines of a log; undefined if it has tokens in clear, and is no longer followed. */
  #countsIn(path: string, lines: string): Map<string, number> | undefined {
    const { log } = this.#args;
    const counts = new Map<string, number>();
    const reader = this.#readers.get(path) ?? new AuditLines();
    this.#readers.set(path, reader);
    let unread = 0;
    const entries = lines.split('\n').flatMap((line) => reader.entriesIn(line));
    for (const entry of entries) {
      if (entry === 'unread') unread += 1;
      if (entry === 'in-clear') {
        this.#refused.add(path);
        log.error({ path }, 'the audit log has tokens in clear (log_raw); it is not followed');
        return undefined;
      }
      if (typeof entry !== 'string') this.#count(entry, counts);
    }
    if (unread > 0) {
      counts.set(JSON.stringify(['', unreadLines, dayOf(this.#args.now())]), unread);
      log.warn(
        { path, lines: unread },
        'lines of the audit log could not be read: what they used is not counted',
      );
    }
    return counts;
  }

  /** The file that was read up to its end, though it was renamed; else the one that has the name now. */
  async #opened(
    path: string,
    last: string,
  ): Promise<{ file: FileHandle; inode: string; isRotated: boolean } | undefined> {
    const stats = await stat(path, { bigint: true }).catch(() => undefined);
    const inode = stats === undefined ? undefined : String(stats.ino);
    const known = this.#followed.get(path);
    if (known !== undefined) return { ...known, isRotated: inode !== undefined && inode !== known.inode };
    if (inode === undefined) return undefined;
    if (last !== '' && last !== inode)
      this.#args.log.warn({ path }, 'the audit log was rotated meanwhile: what came before is not counted');
    const opened = { file: await open(path), inode };
    this.#followed.set(path, opened);
    return { ...opened, isRotated: false };
  }

  #count(entry: AuditEntry, counts: Map<string, number>): void {
    const { at, namespace, namespaceId, grantedIn, issued, by } = entry;
    if (at < this.#args.now() - keptMs) return;
    const principal = issued?.by === 'sign-in' ? issued.who : by;
    // Policies of a token from the namespace above are different ones here.
    const isOwn = principal?.unknown === undefined && grantedIn.every(({ id }) => id === namespaceId);
    const policies = isOwn ? (principal?.identityPolicies ?? []) : [];
    const add = (name: string, isCounted: boolean) => {
      const key = JSON.stringify([namespace, name, dayOf(at)]);
      counts.set(key, (counts.get(key) ?? 0) + (isCounted ? 1 : 0));
    };
    const isSignIn = issued?.by === 'sign-in';
    for (const name of this.#rolesIn(entry)) add(name, isSignIn);
    for (const policy of policies) add(`policy ${policy}`, !isSignIn);
  }

  /** The role of a sign-in, and of a renewal of its token; of users, who are people, the method alone. */
  #rolesIn({ issued, mount }: AuditEntry): string[] {
    if (issued === undefined) return [];
    const { by, token, role, isPerson } = issued;
    if (by !== 'sign-in') return by === 'renewal' ? (this.#roles.get(token) ?? []) : [];
    const names = role === '' ? [] : [isPerson ? `role ${mount}` : `role ${mount}/${role}`];
    if (token !== '') this.#roles.set(token, names);
    if (this.#roles.size > mostFollowed) this.#roles.delete(this.#roles.keys().next().value ?? '');
    return names;
  }
}

async function keep(sql: Sql, counts: ReadonlyMap<string, number>): Promise<void> {
  for (const [key, count] of counts) {
    await sql.query(
      `INSERT INTO used (namespace, name, day, count) VALUES ($1, $2, $3, $4)
        ON CONFLICT (namespace, name, day) DO UPDATE SET count = used.count + excluded.count`,
      [...JSON.parse(key), count],
    );
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
