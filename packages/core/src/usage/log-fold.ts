import { listSegments } from '../graph/resources/method-lists.ts';
import { type AuditEntry, hashed } from './audit-line.ts';
import { seenFrom } from './damaged-line.ts';
import { EntryReader, type LineCounts } from './entry-reader.ts';
import {
  type FoldCounts,
  type FoldedLog,
  type FoldOptions,
  type LoggedSignIn,
  unreadLines,
} from './folded-log.ts';
import { type Interned, InternedPrincipals, type RequestShape } from './interned.ts';
import { isBuiltIn, Lineages } from './lineage.ts';
import { LogTimes } from './log-times.ts';
import type { AskedRequest, Lineage, LoggedPrincipal, LoggedRequest } from './logged-request.ts';
import { MountsSeen, notePresent } from './moved-mounts.ts';
import { PolicyNamespaces } from './policy-namespaces.ts';

/** What decides who may do what: when it was written matters. */
const ofAccess = new RegExp(
  `^(?:sys/(?:policy|policies/acl|auth|mounts)|identity|auth/.+/(?:configs?|${listSegments}))(?:/|$)`,
);
const writing = new Set(['create', 'update', 'patch', 'delete']);

/** Numbers of paths, and of what else differs between requests. */
const mostNumbers = 2 ** 25;
const noFields: LoggedRequest['fields'] = {};

/** Folds a log line by line to what differs in it. */
export class LogFold {
  readonly #options: FoldOptions;
  /** Requests by the number of the principal, then by what is asked. */
  readonly #requests: Map<number, LoggedRequest>[] = [];
  /** Values that are hashed, of the device that writes: whose hashes they are is known at its end. */
  #withHashes: { fields: LoggedRequest['fields'] }[] = [];
  #isKnownDevice = false;
  readonly #hashes: ReadonlySet<string>;
  readonly #all: LoggedRequest[] = [];
  readonly #paths = new Map<string, { number: number; path: string }>();
  readonly #shapes = new Map<string, RequestShape>();
  /** Small numbers of what is asked for: others take memory of their own, once a principal. */
  readonly #asked = new Map<number, number>();
  readonly #signIns = new Map<string, LoggedSignIn>();
  readonly #principals = new InternedPrincipals();
  readonly #lineages: Lineages;
  readonly #namespaces: PolicyNamespaces;
  readonly #writes = new Map<string, number>();
  readonly #found: AuditEntry[] = [];
  readonly #times = new LogTimes();
  readonly #mounts = new MountsSeen();
  readonly #folded: Omit<FoldCounts, keyof LineCounts | 'from' | 'to' | 'gaps' | 'backwards' | 'jumped'> = {
    entries: 0,
    otherNamespaces: 0,
    notHeld: 0,
    unchecked: 0,
    withoutToken: 0,
  };
  readonly #reader: EntryReader;
  readonly #refusedSignIns = new Map<string, { count: number; last: number }>();

  constructor(options: FoldOptions = {}) {
    this.#options = options;
    this.#hashes = new Set(options.hashes?.values());
    this.#lineages = new Lineages(options.namespace ?? '');
    this.#namespaces = new PolicyNamespaces(options.namespace ?? '', this.#lineages);
    const taking = {
      take: (entry: AuditEntry) => this.#fold(entry),
      again: (entry: AuditEntry) => this.#again(entry),
      begin: () => this.#endDevice(),
    };
    this.#reader = new EntryReader(taking, options.since);
  }

  /** @param size bytes of the line, with its end. Defaults to those of its text and a line feed. */
  add(line: string, size?: number): void {
    this.#reader.add(line, size);
  }

  /** Counts the bytes of blank lines. */
  pass(size: number): void {
    this.#reader.pass(size);
  }

  /** Counts a line that is too long to be read. */
  addTooLong(size: number): void {
    this.#reader.addTooLong(size);
  }

  /** Whether a line had a token in clear. */
  get isInClear(): boolean {
    return this.#reader.counts.unread['in-clear'] > 0;
  }

  /** What was counted so far. */
  get counts(): Readonly<FoldCounts> {
    const { from, to, gaps, backwards, jumped } = this.#times;
    const times = {
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      gaps,
      backwards,
      jumped,
    };
    return { ...this.#folded, ...times, ...this.#reader.counts };
  }

  /** Ends a file: the next one may be of another device. */
  endFile(): void {
    this.#reader.endFile();
    this.#times.endFile();
    this.#endDevice();
  }

  result(): FoldedLog {
    this.endFile();
    const ownNamespace = this.#options.namespace ?? '';
    const damaged = this.#reader.end().flatMap((damage) => seenFrom(ownNamespace, damage) ?? []);
    this.#times.endFile();
    this.#endDevice();
    this.#settle();
    this.#clampTimes();
    const requests = this.#all.filter(({ count }) => count > 0);
    const moves = this.#mounts.result(ownNamespace, this.#times.jumped === 0);
    notePresent(requests, moves);
    const signIns = [...this.#signIns.values()];
    const entities = new Set<string>();
    for (const { by } of requests) entities.add(by.entity);
    for (const { who } of signIns) entities.add(who.entity);
    entities.delete('');
    return {
      ...this.counts,
      damaged,
      unreadLines: unreadLines(this.counts),
      refusedSignIns: Object.fromEntries(this.#refusedSignIns),
      requests,
      signIns,
      entities: [...entities],
      writes: this.#writes,
      moves,
      found: this.#found,
    };
  }

  /** Requests and sign-ins that a fast clock dated after the log's end count as last used at its end. */
  #clampTimes(): void {
    const { to, jumped } = this.#times;
    if (to === undefined || jumped === 0) return;
    for (const counted of [...this.#all, ...this.#signIns.values()])
      counted.last = Math.min(counted.last, to);
  }

  /** Gives each token its principal: a later line may say more of a token; others with equal fields are one principal. */
  #settle(): void {
    for (const { token, number, principal } of this.#principals.unplaced) {
      const lineage = this.#lineages.of(token);
      const { unknown, lineage: _, ...unplaced } = principal;
      const settled = this.#principals.intern(unplaced, unknown, lineage, '');
      const requests = this.#requests[settled.number] ?? new Map<number, LoggedRequest>();
      this.#requests[settled.number] = requests;
      for (const [key, request] of this.#requests[number] ?? []) {
        const known = requests.get(key);
        if (known === undefined) {
          request.by = settled.principal;
          requests.set(key, request);
          continue;
        }
        if (request.last >= known.last) known.id = request.id;
        known.count += request.count;
        known.last = Math.max(known.last, request.last);
        request.count = 0;
      }
      this.#requests[number] = new Map();
      Object.assign(principal, lineage && { lineage });
    }
  }

  /** Each device has hashes of its own, for tokens as well. */
  #again(entry: AuditEntry): void {
    if (entry.id !== '' && entry.id === this.#options.id) this.#addFound(entry);
    this.#lineages.note(entry, this.#namespaces.seen(entry), this.#asker(entry));
  }

  #addFound(entry: AuditEntry): void {
    this.#found.push(entry);
    this.#watchHashes(JSON.stringify(entry.fields), entry);
  }

  #fold(entry: AuditEntry): void {
    const folded = this.#folded;
    folded.entries += 1;
    if (entry.id !== '' && entry.id === this.#options.id) this.#addFound(entry);
    this.#times.note(entry.at);
    this.#mounts.note(entry);
    const seen = this.#namespaces.seen(entry);
    const asker = this.#asker(entry);
    const lineage = this.#lineages.note(entry, seen, asker);
    const isHere = entry.namespace === (this.#options.namespace ?? '');
    if (isHere && entry.outcome === 'allowed' && writing.has(entry.operation) && !entry.failed)
      this.#noteWrite(entry);
    const { issued } = entry;
    if (isHere && issued?.by === 'sign-in' && issued.who !== undefined)
      this.#addSignIn(entry, issued.who, issued.role, lineage);
    else if (isHere) this.#noteRefusal(entry);
    if (seen.isOurs && asker !== undefined && entry.outcome !== 'unchecked')
      this.#addRequest(entry, seen, asker, entry.outcome);
    else if (seen.isOurs && asker !== undefined && !entry.failed && issued === undefined)
      folded.unchecked += 1;
    else if (!isHere && !seen.isOurs) folded.otherNamespaces += 1;
  }

  #noteRefusal({ failed, outcome, mount, at, by }: AuditEntry): void {
    if (failed && outcome === 'unchecked' && mount.startsWith('auth/')) {
      const method = mount.slice('auth/'.length);
      const { count = 0, last = at } = this.#refusedSignIns.get(method) ?? {};
      this.#refusedSignIns.set(method, { count: count + 1, last: Math.max(last, at) });
    } else if (by === undefined && failed) this.#folded.withoutToken += 1;
  }

  #addSignIn(
    { at, mount, fields }: AuditEntry,
    who: LoggedPrincipal,
    role: string,
    lineage: Lineage | undefined,
  ): void {
    if (typeof fields['role'] === 'string' && this.#hashes.has(fields['role'])) this.#isKnownDevice = true;
    const { number, principal } = this.#principals.intern(who, who.unknown, lineage, '');
    const method = mount.slice('auth/'.length);
    const key = `${number} ${method}/${role}`;
    const signIn = this.#signIns.get(key);
    if (signIn === undefined) this.#signIns.set(key, { who: principal, method, role, count: 1, last: at });
    else count(signIn, at);
  }

  /** Who asked, with where their token is from. */
  #asker(entry: AuditEntry): Interned | undefined {
    const { by, token } = entry;
    if (by === undefined) return undefined;
    const unknown = by.unknown ?? (this.#namespaces.areElsewhere(entry) ? 'elsewhere' : undefined);
    // Each wrapping token is another one, and all of them are the same.
    if (isBuiltIn(by.policies)) return this.#principals.intern(by, unknown, undefined, '');
    const lineage = this.#lineages.of(token);
    return this.#principals.intern(by, unknown, lineage, lineage === undefined ? token : '');
  }

  #addRequest(
    entry: AuditEntry,
    { path: seenPath, below, pki }: ReturnType<PolicyNamespaces['seen']>,
    { number, principal }: Interned,
    outcome: 'allowed' | 'refused',
  ): void {
    const { at, id, wrapping } = entry;
    const shape = this.#shapeOf(entry);
    const path = this.#paths.get(seenPath) ?? { number: this.#paths.size, path: seenPath };
    const known = this.#requests[number];
    const asking = shape.number * mostNumbers + path.number;
    const key = (this.#asked.get(asking) ?? this.#asked.size) * 2 + Number(outcome === 'refused');
    const counted = known?.get(key);
    if (counted !== undefined) {
      if (at >= counted.last) counted.id = id;
      count(counted, at);
      return;
    }
    if (this.#all.length >= Math.min(this.#options.most ?? 1_000_000, mostNumbers)) {
      this.#folded.notHeld += 1;
      return;
    }
    this.#paths.set(seenPath, path);
    this.#shapes.set(shape.key, shape);
    if (!this.#asked.has(asking)) this.#asked.set(asking, this.#asked.size);
    const { operation, fields } = shape;
    // Written out: an object that is spread takes more memory, and there are many.
    const added: LoggedRequest = {
      by: principal,
      operation,
      path: path.path,
      outcome,
      fields,
      count: 1,
      last: at,
      id,
    };
    if (wrapping !== undefined) added.wrapping = wrapping;
    if (below !== undefined) added.below = below;
    if (pki !== undefined) added.pki = pki;
    this.#all.push(added);
    this.#requests[number] = (known ?? new Map<number, LoggedRequest>()).set(key, added);
    this.#watchHashes(shape.key, added);
  }

  #shapeOf({ operation, fields: all, wrapping }: AskedRequest): RequestShape {
    const fields = this.#fieldsOf(all);
    const key = `${operation} ${wrapping ?? ''} ${fields === noFields ? '{}' : JSON.stringify(fields)}`;
    return this.#shapes.get(key) ?? { number: this.#shapes.size, key, operation, fields };
  }

  #fieldsOf(fields: AuditEntry['fields']): LoggedRequest['fields'] {
    const names = Object.keys(fields).sort();
    if (names.length === 0) return noFields;
    const { watched } = this.#options;
    // As entries: a field may have any name, `__proto__` as well.
    return Object.fromEntries(
      names.map((name) => [name, watched?.has(name.toLowerCase()) ? fields[name] : null]),
    );
  }

  #watchHashes(text: string, held: { fields: LoggedRequest['fields'] }): void {
    if (!text.includes(hashed)) return;
    this.#withHashes.push(held);
    this.#isKnownDevice ||= Object.values(held.fields).some(
      (value) => typeof value === 'string' && this.#hashes.has(value),
    );
  }

  /** Hashes of a device that shows none of those that are known say nothing: their values are not held. */
  #endDevice(): void {
    for (const request of this.#isKnownDevice ? [] : this.#withHashes) {
      request.fields = Object.fromEntries(
        Object.entries(request.fields).map(([name, value]) => [
          name,
          (JSON.stringify(value) ?? '').includes(hashed) ? null : value,
        ]),
      );
    }
    this.#withHashes = [];
    this.#isKnownDevice = false;
  }

  #noteWrite({ path: written, at }: AuditEntry): void {
    if (!ofAccess.test(written)) return;
    const path = written.toLowerCase();
    this.#writes.set(path, Math.max(at, this.#writes.get(path) ?? at));
  }
}

function count(counted: { count: number; last: number }, at: number): void {
  counted.count += 1;
  counted.last = Math.max(counted.last, at);
}
