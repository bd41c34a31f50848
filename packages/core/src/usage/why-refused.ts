import type { AccessChange } from '../access/access-change.ts';
import { type Graph, type GraphIds, isComplete } from '../graph/graph.ts';
import type { SudoPaths } from '../graph/policies/sudo-paths.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { largestOf } from '../graph/values/sequences.ts';
import type { AuditEntry } from './audit-line.ts';
import type { FoldedLog } from './folded-log.ts';
import { LoggedPrincipals } from './logged-principals.ts';
import { type Because, RequestJudge } from './request-judge.ts';
import { type NoChange, type SmallestChange, smallestChange } from './smallest-change.ts';
import type { UsageReason } from './usage-reason.ts';

/** What a request is compared with. */
export interface RefusingService {
  graph: Graph;
  ids: GraphIds;
  /** Path of the namespace; empty for the root's. */
  namespace: string;
  hashes: ReadonlyMap<string, string>;
  /** Paths that need `sudo`, as the server itself says. Defaults to what is known of servers. */
  sudo?: SudoPaths | undefined;
  /** What could not be read of it, in words. */
  missing: readonly string[];
}

/** Why a request was answered as it was. */
export type RequestCause =
  | Because
  /** A rule allows it. */
  | { kind: 'allowed' }
  /** Policies allowed it, and what is at the path answered with an error. */
  | { kind: 'backend' }
  /** No policy decides such a request. */
  | { kind: 'unchecked' }
  | { kind: 'no-token' }
  /** A sign-in that was refused: the log does not hold the role. */
  | { kind: 'sign-in'; method: string }
  /** The policies as they are now allow what was refused, or refuse what was allowed. */
  | { kind: 'changed'; now: 'allowed' | 'refused' };

/** One request of a log, explained. Names its person: it was asked about by its id. */
export interface RequestExplanation {
  id: string;
  /** RFC 3339. */
  at: string;
  operation: string;
  path: string;
  namespace: string;
  /** The outcome in the log. */
  recorded: 'allowed' | 'refused' | 'failed' | 'unchecked';
  /** Who asked; absent without a valid token. */
  by?: { name: string; entity: string; method?: string; role: string; policies: readonly string[] };
  why: RequestCause;
  /** The pattern that decides, and the policies that name it. */
  pattern?: string;
  policies: string[];
  change?: SmallestChange;
  /** Why there is no change. */
  noChange?: NoChange;
  /** What the reader should know. */
  notes: RequestNote[];
}

/** What limits what is said of a request. Times are RFC 3339. */
export type RequestNote =
  | { kind: 'no-response' }
  /** The service refused it before any policy was asked. */
  | { kind: 'before-policies' }
  | { kind: 'denied-on-purpose' }
  | { kind: 'policy-written'; policy: string; at: string }
  /** The service has no such policies; and what may have become of them. */
  | { kind: 'policies-gone'; policies: string[] }
  | { kind: 'deleted-or-elsewhere' };

/**
 * Explains one request by the policies that its token had, with their texts as they are now.
 *
 * @param now nanoseconds since 1970: rules expire
 */
export function whyRefused(
  entry: AuditEntry,
  log: Pick<FoldedLog, 'signIns' | 'writes' | 'moves'>,
  service: RefusingService,
  now: bigint,
): RequestExplanation {
  const { namespace, by, outcome, failed } = entry;
  const base = recordOf(entry);
  const ending = base.notes;
  if (by === undefined) return { ...base, why: withoutToken(entry) };
  // Where the asker signed in, if the log tells.
  const at = new LoggedPrincipals(service, service.graph, log).signedInAt(by);
  const explained = {
    ...base,
    by: {
      name: by.name,
      entity: by.entity,
      role: at?.role ?? '',
      policies: by.policies,
      ...(at && { method: at.method }),
    },
  };
  if (outcome === 'unchecked') {
    const notes = failed ? [{ kind: 'before-policies' as const }] : [];
    return { ...explained, notes: [...ending, ...notes], why: { kind: 'unchecked' } };
  }
  const missing = unknownPolicies(by, namespace, service);
  if (missing !== undefined) return { ...explained, why: { kind: 'unknown', missing } };
  const judge = new RequestJudge(service, now);
  const { answer, because, ...decided } = judge.judge(by.policies, by.entity, entry);
  const notes = [...ending, ...notesOn(entry, by.policies, log, service.graph)];
  const judged = { ...explained, ...decided, notes };
  if (because?.kind === 'unknown') return { ...judged, why: because };
  if (answer !== outcome) {
    // A pattern of today did not decide then.
    return { ...judged, why: { kind: 'changed', now: answer === 'allowed' ? 'allowed' : 'refused' } };
  }
  if (because === undefined) return { ...judged, why: { kind: failed ? 'backend' : 'allowed' } };
  const { policies, entity } = by;
  const { missing: unread } = service;
  const change = smallestChange(
    { policies, entity, request: entry, deciding: decided.policies, missing: unread },
    service,
    now,
  );
  return {
    ...judged,
    why: because,
    ...(typeof change === 'string' ? { noChange: change } : { change }),
    notes: [...notes, ...(because.kind === 'denied' ? [{ kind: 'denied-on-purpose' as const }] : [])],
  };
}

/** What the log itself says of a request. */
function recordOf(entry: AuditEntry): Omit<RequestExplanation, 'why' | 'by'> {
  const { id, operation, path, namespace, outcome, failed } = entry;
  return {
    id,
    at: instant(entry.at),
    operation,
    path,
    namespace,
    recorded: outcome === 'unchecked' && failed ? 'failed' : outcome,
    policies: [],
    notes: entry.isUnanswered ? [{ kind: 'no-response' }] : [],
  };
}

/** Why the policies that a request was judged by are not known here; undefined where they are. */
function unknownPolicies(
  by: NonNullable<AuditEntry['by']>,
  namespace: string,
  service: RefusingService,
): UsageReason | undefined {
  if (namespace !== service.namespace) return { kind: 'policies-of-namespace', namespace };
  return by.unknown === undefined ? undefined : { kind: 'policies-of-token', which: by.unknown };
}

/** Whether principals are those of the role that a request was asked by. */
export function isAsker(
  { kind, method, name, ownName }: AccessChange['principals'],
  by: RequestExplanation['by'],
): boolean {
  if (by?.method === undefined || by.role === '' || method !== by.method) return false;
  const roleName = kind === 'role' ? name : ownName;
  return roleName !== undefined && nameKey(roleName) === nameKey(by.role);
}

function withoutToken({ mount, failed, path }: AuditEntry): RequestCause {
  if (!failed) return { kind: 'unchecked' };
  const method = mount.startsWith('auth/') && mount !== 'auth/token' ? mount.slice('auth/'.length) : '';
  const isSignIn = method !== '' && path.startsWith(`${mount}/`);
  return isSignIn ? { kind: 'sign-in', method } : { kind: 'no-token' };
}

/** Whether the policies are those of the time of the request, as far as the log tells. */
function notesOn(
  { at }: AuditEntry,
  policies: readonly string[],
  { writes }: Pick<FoldedLog, 'writes'>,
  graph: Graph,
): RequestNote[] {
  const held = [...new Set(policies.map(policyKey))].filter((name) => name !== 'root');
  const known = new Set(graph.policies.map(({ name }) => policyKey(name)));
  const written = held.flatMap((policy): RequestNote[] => {
    const times = ['sys/policies/acl/', 'sys/policy/'].flatMap((start) => writes.get(start + policy) ?? []);
    const last = largestOf(times);
    return last <= at ? [] : [{ kind: 'policy-written', policy, at: instant(last) }];
  });
  const gone = held.filter((name) => name !== 'default' && !known.has(name));
  if (!isComplete(graph, 'policies') || gone.length === 0) return written;
  return [...written, { kind: 'policies-gone', policies: gone }, { kind: 'deleted-or-elsewhere' }];
}

const instant = (at: number): string => new Date(at).toISOString();
