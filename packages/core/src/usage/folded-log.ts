import type { AuditEntry } from './audit-line.ts';
import type { Damage } from './damaged-line.ts';
import type { LineCounts } from './entry-reader.ts';
import type { LoggedPrincipal, LoggedRequest } from './logged-request.ts';
import type { MountMoves } from './moved-mounts.ts';

/** Sign-ins of one principal by one method. */
export interface LoggedSignIn {
  who: LoggedPrincipal;
  /** Path of the auth method, without `auth/`. */
  method: string;
  /** The role, user or certificate, as the method wrote it; empty where it names none. */
  role: string;
  count: number;
  last: number;
}

/** Lines of which something was not read, and is not there on another line. */
export const unreadLines = ({ unread, repaired }: LineCounts): number =>
  unread.cut - repaired + unread['not-json'] + unread['other-format'];

/** What a log holds, folded. Everything that is kept is bounded by what differs, not by lines. */
export interface FoldedLog extends LineCounts {
  /** Requests that were read: with their responses, or alone. */
  entries: number;
  /** Lines of which something was not read, and is not there on another line. */
  unreadLines: number;
  /** The rest of a damaged entry, which may have used anything that the rest does not rule out. */
  damaged: Damage[];
  /** Requests in other namespaces, by tokens that are not of the one that is asked about. */
  otherNamespaces: number;
  /** Requests whose principals, operation and path are not held, because there were too many that differ. */
  notHeld: number;
  /** Requests by tokens that no policy decided, as the log has it, and that did not fail. */
  unchecked: number;
  /** Requests without a valid token that were refused. */
  withoutToken: number;
  /** Milliseconds since 1970 of the first and the last entry; undefined without entries. */
  from?: number;
  to?: number;
  /** Times without entries, the longest first: a log may lack a file. */
  gaps: { from: number; to: number }[];
  /** Entries that are older than one before by more than a minute: files out of order, or a clock that jumped. */
  backwards: number;
  /** Entries whose time is far from those around them: a clock jumped, and came back. They do not stretch the time of the log. */
  jumped: number;
  requests: LoggedRequest[];
  signIns: LoggedSignIn[];
  /** Ids of the entities of both. */
  entities: string[];
  /** Sign-ins that were refused, by the path of the method: the log does not name the role. */
  refusedSignIns: Record<string, { count: number; last: number }>;
  /** When what is at a path was last written or deleted: `sys/policies/acl/shop`, `auth/ci/role/web`. */
  writes: ReadonlyMap<string, number>;
  /** Mounts that were moved: writes, requests and damage have the paths of then. */
  moves: MountMoves;
  /** The entries with the requested id. */
  found: AuditEntry[];
}

/** The parts of a folded log that are only counted. */
export type FoldCounts = Omit<
  FoldedLog,
  | 'requests'
  | 'signIns'
  | 'entities'
  | 'writes'
  | 'refusedSignIns'
  | 'found'
  | 'damaged'
  | 'unreadLines'
  | 'moves'
>;

/** Which entries of a log count, and which values are held. */
export interface FoldOptions {
  /** Path of the namespace. Defaults to the root's. */
  namespace?: string;
  /** Milliseconds since 1970: what is older does not count. */
  since?: number;
  /** Names of fields whose values policies limit, in lower case. */
  watched?: ReadonlySet<string>;
  /** What an audit device makes of texts: values of other devices are not held. Defaults to none. */
  hashes?: ReadonlyMap<string, string>;
  /** Id of a request to be found. Defaults to none. */
  id?: string;
  /** Most requests that differ. Defaults to 1,000,000. */
  most?: number;
}
