import { type AuditEntry, type LoggedPrincipal, readAuditLine, type Unread } from './audit-line.ts';

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
  requests: LoggedRequest[];
  signIns: LoggedSignIn[];
  /** Sign-ins that were refused, by the path of the method: the log does not name the role. */
  refusedSignIns: Record<string, { count: number; last: number }>;
  /** When what is at a path was last written or deleted: `sys/policies/acl/shop`, `auth/ci/role/web`. */
  writes: ReadonlyMap<string, number>;
}

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

/** Folds a log line by line to what differs in it. */
export class LogFold {
  readonly #options: FoldOptions;
  readonly #requests = new Map<string, LoggedRequest>();
  readonly #signIns = new Map<string, LoggedSignIn>();
  readonly #principals = new Map<string, { number: number; principal: LoggedPrincipal }>();
  readonly #writes = new Map<string, number>();
  readonly #folded: Omit<FoldedLog, 'requests' | 'signIns' | 'writes'> = {
    ...{ lines: 0, entries: 0, otherNamespaces: 0, notHeld: 0, withoutToken: 0, backwards: 0, gaps: [] },
    unread: { request: 0, 'not-json': 0, cut: 0, 'other-format': 0, 'in-clear': 0 },
    refusedSignIns: {},
  };

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
      return undefined;
    }
    if (entry.at < (this.#options.since ?? 0)) return undefined;
    folded.entries += 1;
    this.#note(entry.at);
    if (entry.namespace !== (this.#options.namespace ?? '')) {
      folded.otherNamespaces += 1;
      return entry;
    }
    if (
      entry.outcome === 'allowed' &&
      writing.has(entry.operation) &&
      !entry.failed &&
      ofAccess.test(entry.path)
    )
      this.#writes.set(entry.path.toLowerCase(), entry.at);
    if (entry.signIn !== undefined) this.#addSignIn(entry, entry.signIn);
    else if (entry.failed && entry.outcome === 'unchecked' && entry.mount.startsWith('auth/')) {
      const method = entry.mount.slice('auth/'.length);
      const { count = 0 } = folded.refusedSignIns[method] ?? {};
      folded.refusedSignIns[method] = { count: count + 1, last: entry.at };
    } else if (entry.by === undefined && entry.failed) folded.withoutToken += 1;
    if (entry.by !== undefined && entry.outcome !== 'unchecked')
      this.#addRequest(entry, entry.by, entry.outcome);
    return entry;
  }

  result(): FoldedLog {
    return {
      ...this.#folded,
      requests: [...this.#requests.values()],
      signIns: [...this.#signIns.values()],
      writes: this.#writes,
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

  #addSignIn({ at, mount }: AuditEntry, who: LoggedPrincipal): void {
    const { number, principal } = this.#intern(who);
    const method = mount.slice('auth/'.length);
    const key = `${number} ${method}`;
    const there = this.#signIns.get(key);
    if (there === undefined)
      this.#signIns.set(key, { who: principal, method, count: 1, first: at, last: at });
    else count(there, at);
  }

  #addRequest(entry: AuditEntry, by: LoggedPrincipal, outcome: 'allowed' | 'refused'): void {
    const { at, id, operation, path, wrapping } = entry;
    const fields = this.#fieldsOf(entry.fields);
    const { number, principal } = this.#intern(by);
    const key = `${number} ${outcome} ${operation} ${wrapping ?? ''} ${JSON.stringify(fields)} ${path}`;
    const there = this.#requests.get(key);
    if (there !== undefined) {
      if (at >= there.last) there.id = id;
      count(there, at);
    } else if (this.#requests.size >= (this.#options.most ?? 1_000_000)) this.#folded.notHeld += 1;
    else {
      const more = wrapping === undefined ? {} : { wrapping };
      this.#requests.set(key, {
        ...{ by: principal, operation, path, outcome, fields, ...more },
        ...{ count: 1, first: at, last: at, id },
      });
    }
  }

  #fieldsOf(fields: AuditEntry['fields']): LoggedRequest['fields'] {
    const found: Record<string, unknown> = {};
    for (const name of Object.keys(fields).sort()) {
      found[name] = this.#options.watched?.has(name.toLowerCase()) ? fields[name] : null;
    }
    return found;
  }

  #intern(one: LoggedPrincipal): { number: number; principal: LoggedPrincipal } {
    const { name, entity, metadata, tokenPolicies, identityPolicies, isElsewhere } = one;
    const key = JSON.stringify([name, entity, metadata, tokenPolicies, identityPolicies, isElsewhere]);
    const known = this.#principals.get(key);
    if (known !== undefined) return known;
    const added = { number: this.#principals.size, principal: one };
    this.#principals.set(key, added);
    return added;
  }
}

function count(counted: { count: number; first: number; last: number }, at: number): void {
  counted.count += 1;
  counted.first = Math.min(counted.first, at);
  counted.last = Math.max(counted.last, at);
}
