import { type AuditEntry, hashed, type LoggedPrincipal, readAuditLine, type Unread } from './audit-line.ts';

/** Equal requests of equal principals, counted. */
export interface LoggedRequest {
  by: LoggedPrincipal;
  operation: string;
  path: string;
  outcome: 'allowed' | 'refused';
  /** Its fields by name, with the values of those that are watched; of others, null. */
  fields: Readonly<Record<string, unknown>>;
  wrapping?: number;
  count: number;
  /** Milliseconds since 1970. */
  first: number;
  last: number;
  /** Id of the last one. */
  id: string;
}

/** Sign-ins of one principal by one method. */
export interface LoggedSignIn {
  who: LoggedPrincipal;
  /** Path of the auth method, without `auth/`. */
  method: string;
  count: number;
  first: number;
  last: number;
}

/** What a log holds, folded. Everything that is kept is bounded by what differs, not by lines. */
export interface FoldedLog {
  lines: number;
  /** Responses that were read. */
  entries: number;
  unread: Record<Unread, number>;
  /** Requests in other namespaces than the one that is asked about. */
  otherNamespaces: number;
  /** The namespaces below the one that is asked about with requests, seen from it: its policies may decide there. */
  namespacesBelow: string[];
  /** Requests whose principals, operation and path are not held, because there were too many that differ. */
  notHeld: number;
  /** Requests without a valid token that were refused. */
  withoutToken: number;
  /** Milliseconds since 1970 of the first and the last entry; undefined without entries. */
  from?: number;
  to?: number;
  /** Times without entries, the longest first: a log may lack a file. */
  gaps: { from: number; to: number }[];
  /** Entries that are older than one before by more than a minute: files out of order, or a clock that jumped. */
  backwards: number;
  /** When a device began to write last. Hashes of one before it may be of another salt: their values are not held. */
  device?: number;
  /** What the device made of the role of the last sign-in that names one: it shows which salt it has. */
  roleHash?: string;
  requests: LoggedRequest[];
  signIns: LoggedSignIn[];
  /** Sign-ins that were refused, by the path of the method: the log does not name the role. */
  refusedSignIns: Record<string, { count: number; last: number }>;
  /** When what is at a path was last written or deleted: `sys/policies/acl/shop`, `auth/ci/role/web`. */
  writes: ReadonlyMap<string, number>;
}

/** What is only counted. */
export type FoldCounts = Omit<
  FoldedLog,
  'requests' | 'signIns' | 'writes' | 'refusedSignIns' | 'namespacesBelow'
>;

/** What of a log counts. */
export interface FoldOptions {
  /** Path of the namespace. Defaults to the root's. */
  namespace?: string;
  /** Milliseconds since 1970: what is older does not count. */
  since?: number;
  /** Names of fields whose values policies limit, in lower case. */
  watched?: ReadonlySet<string>;
  /** Most requests that differ. Defaults to 1,000,000. */
  most?: number;
}

/** Times without entries are gaps from this on, in milliseconds. */
const gap = 3_600_000;
/** Gaps that are kept. */
const mostGaps = 10;
/** Entries of several processes are not written in order. */
const disorder = 60_000;
/** What decides who may do what: when it was written matters. */
const ofAccess =
  /^(?:sys\/(?:policy|policies\/acl|auth|mounts)|identity|auth\/.+\/(?:role|user|group|cert|map|config)s?)(?:\/|$)/;
const writing = new Set(['create', 'update', 'patch', 'delete']);

/** Numbers of paths, and of what else differs between requests. */
const mostNumbers = 2 ** 25;
const noFields: LoggedRequest['fields'] = {};
/** The line that a device writes when it begins is shorter. */
const longestStart = 400;
const deviceStart = /"time":"([^"]*)".*"path":"sys\/audit\/test"/;

/** What requests of the same kind have in common. */
interface RequestShape {
  number: number;
  key: string;
  operation: string;
  fields: LoggedRequest['fields'];
}

/** Folds a log line by line to what differs in it. */
export class LogFold {
  readonly #options: FoldOptions;
  /** By the number of the principal, then by what is asked. */
  readonly #requests: Map<number, LoggedRequest>[] = [];
  /** Those with hashed values since the device began to write. */
  #withHashes: LoggedRequest[] = [];
  readonly #all: LoggedRequest[] = [];
  readonly #paths = new Map<string, { number: number; path: string }>();
  readonly #shapes = new Map<string, RequestShape>();
  readonly #signIns = new Map<string, LoggedSignIn>();
  readonly #principals = new Map<string, { number: number; principal: LoggedPrincipal }>();
  readonly #writes = new Map<string, number>();
  readonly #namespaces = new Set<string>();
  readonly #folded: FoldCounts = {
    ...{ lines: 0, entries: 0, otherNamespaces: 0, notHeld: 0, withoutToken: 0, backwards: 0, gaps: [] },
    unread: { request: 0, 'not-json': 0, cut: 0, 'other-format': 0, 'in-clear': 0 },
  };
  readonly #refusedSignIns = new Map<string, { count: number; last: number }>();

  constructor(options: FoldOptions = {}) {
    this.#options = options;
  }

  /** @returns the entry, where the line is one and counts */
  add(line: string): AuditEntry | undefined {
    const folded = this.#folded;
    folded.lines += 1;
    const entry = readAuditLine(line);
    if (typeof entry === 'string') {
      folded.unread[entry] += 1;
      if (entry === 'request' && line.length < longestStart) this.#noteDevice(line);
      return undefined;
    }
    if (entry.at < (this.#options.since ?? 0)) return undefined;
    folded.entries += 1;
    this.#note(entry.at);
    const { namespace = '' } = this.#options;
    if (entry.namespace !== namespace) {
      folded.otherNamespaces += 1;
      const above = namespace === '' ? '' : `${namespace}/`;
      if (entry.namespace.startsWith(above)) this.#namespaces.add(entry.namespace.slice(above.length));
      return entry;
    }
    if (
      entry.outcome === 'allowed' &&
      writing.has(entry.operation) &&
      !entry.failed &&
      ofAccess.test(entry.path)
    )
      this.#noteWrite(entry.path.toLowerCase(), entry.at);
    if (entry.signIn !== undefined) this.#addSignIn(entry, entry.signIn);
    else if (entry.failed && entry.outcome === 'unchecked' && entry.mount.startsWith('auth/')) {
      const method = entry.mount.slice('auth/'.length);
      const { count = 0, last = entry.at } = this.#refusedSignIns.get(method) ?? {};
      this.#refusedSignIns.set(method, { count: count + 1, last: Math.max(last, entry.at) });
    } else if (entry.by === undefined && entry.failed) folded.withoutToken += 1;
    if (entry.by !== undefined && entry.outcome !== 'unchecked')
      this.#addRequest(entry, entry.by, entry.outcome);
    return entry;
  }

  /** What was counted so far. */
  get counts(): Readonly<FoldCounts> {
    return this.#folded;
  }

  result(): FoldedLog {
    return {
      ...this.#folded,
      refusedSignIns: Object.fromEntries(this.#refusedSignIns),
      requests: [...this.#all],
      signIns: [...this.#signIns.values()],
      writes: this.#writes,
      namespacesBelow: [...this.#namespaces].sort(),
    };
  }

  #note(at: number): void {
    const folded = this.#folded;
    const { to = at } = folded;
    if (at - to > gap) {
      folded.gaps = [...folded.gaps, { from: to, to: at }]
        .sort((one, other) => other.to - other.from - (one.to - one.from))
        .slice(0, mostGaps);
    }
    if (to - at > disorder) folded.backwards += 1;
    folded.from = Math.min(at, folded.from ?? at);
    folded.to = Math.max(at, to);
  }

  #addSignIn({ at, mount, fields }: AuditEntry, who: LoggedPrincipal): void {
    const { role } = fields;
    if (typeof role === 'string' && role.startsWith(hashed)) this.#folded.roleHash = role;
    const { number, principal } = this.#intern(who);
    const method = mount.slice('auth/'.length);
    const key = `${number} ${method}`;
    const there = this.#signIns.get(key);
    if (there === undefined)
      this.#signIns.set(key, { who: principal, method, count: 1, first: at, last: at });
    else count(there, at);
  }

  #addRequest(entry: AuditEntry, by: LoggedPrincipal, outcome: 'allowed' | 'refused'): void {
    const { at, id, wrapping } = entry;
    const { number, principal } = this.#intern(by);
    const shape = this.#shapeOf(entry);
    const path = this.#paths.get(entry.path) ?? { number: this.#paths.size, path: entry.path };
    const asked = this.#requests[number];
    const key = (shape.number * mostNumbers + path.number) * 2 + Number(outcome === 'refused');
    const there = asked?.get(key);
    if (there !== undefined) {
      if (at >= there.last) there.id = id;
      count(there, at);
      return;
    }
    if (this.#all.length >= Math.min(this.#options.most ?? 1_000_000, mostNumbers)) {
      this.#folded.notHeld += 1;
      return;
    }
    this.#paths.set(entry.path, path);
    this.#shapes.set(shape.key, shape);
    const { operation, fields } = shape;
    // Written out: an object that is spread takes more memory, and there are many.
    const added: LoggedRequest = {
      by: principal,
      operation,
      path: path.path,
      outcome,
      fields,
      count: 1,
      first: at,
      last: at,
      id,
    };
    if (wrapping !== undefined) added.wrapping = wrapping;
    this.#all.push(added);
    this.#requests[number] = (asked ?? new Map<number, LoggedRequest>()).set(key, added);
    if (shape.key.includes(hashed)) this.#withHashes.push(added);
  }

  #shapeOf({ operation, fields: all, wrapping }: AuditEntry): RequestShape {
    const fields = this.#fieldsOf(all);
    const key = `${operation} ${wrapping ?? ''} ${JSON.stringify(fields)}`;
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

  /** A device writes a test when it begins: values that were hashed before cannot be compared any more. */
  #noteDevice(line: string): void {
    const time = deviceStart.exec(line)?.[1];
    if (time === undefined) return;
    this.#folded.device = Date.parse(time);
    for (const one of this.#withHashes) {
      one.fields = Object.fromEntries(
        Object.entries(one.fields).map(([name, value]) => [
          name,
          (JSON.stringify(value) ?? '').includes(hashed) ? null : value,
        ]),
      );
    }
    this.#withHashes = [];
  }

  #noteWrite(path: string, at: number): void {
    this.#writes.set(path, Math.max(at, this.#writes.get(path) ?? at));
  }

  #intern(one: LoggedPrincipal): { number: number; principal: LoggedPrincipal } {
    const { name, entity, metadata, tokenPolicies, identityPolicies, isElsewhere } = one;
    const key = JSON.stringify([name, entity, metadata, tokenPolicies, identityPolicies, isElsewhere]);
    const known = this.#principals.get(key);
    if (known !== undefined) return known;
    const added = { number: this.#principals.size, principal: this.#shared(one) };
    this.#principals.set(key, added);
    return added;
  }

  /** People who sign in by one role hold equal lists. */
  #shared(one: LoggedPrincipal): LoggedPrincipal {
    const share = (list: readonly string[]): readonly string[] => {
      const key = JSON.stringify(list);
      const known = this.#lists.get(key);
      if (known === undefined) this.#lists.set(key, list);
      return known ?? list;
    };
    const { policies, tokenPolicies, identityPolicies } = one;
    return {
      ...one,
      policies: share(policies),
      tokenPolicies: share(tokenPolicies),
      identityPolicies: share(identityPolicies),
    };
  }
  readonly #lists = new Map<string, readonly string[]>();
}

function count(counted: { count: number; first: number; last: number }, at: number): void {
  counted.count += 1;
  counted.first = Math.min(counted.first, at);
  counted.last = Math.max(counted.last, at);
}

/**
 * Hashes of the device that wrote a log. One that was made anew has another salt, and says nothing of an older log: where the
 * log shows none of the hashes, there are none.
 */
export function hashesOf(
  { roleHash = '', requests }: FoldedLog,
  hashes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const known = new Set(hashes.values());
  const isShown = (value: unknown) => typeof value === 'string' && known.has(value);
  const isOfLog = isShown(roleHash) || requests.some(({ fields }) => Object.values(fields).some(isShown));
  return isOfLog ? hashes : new Map();
}
