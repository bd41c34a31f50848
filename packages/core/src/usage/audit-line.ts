import { createHash } from 'node:crypto';
import { namesPeople, signedInBy } from '../graph/resources/other-methods.ts';
import { isObject } from '../graph/values/json.ts';
import { AuditBlocks, type Block, type EntryParts } from './audit-blocks.ts';
import type { LoggedPrincipal } from './logged-request.ts';
import { isOtherLine } from './other-lines.ts';

/** What a request gave out: a token. */
export interface Issued {
  /** Absent where the answer was wrapped. */
  who?: LoggedPrincipal;
  /** The key of the token, as in `AuditEntry.token`; empty if the log has none. */
  token: string;
  by: 'sign-in' | 'renewal' | 'token';
  /** The role, user or certificate of a sign-in; of a token by another one, the token role. */
  role: string;
  /** Whether the role names a person. */
  isPerson?: true;
}

/** One request with its answer. Holds no token; hashed values as the log has them. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  at: number;
  id: string;
  operation: string;
  /** As it was asked for, below the namespace; a list has a slash at its end. A token in it is masked. */
  path: string;
  /** Path of the namespace; empty for the root's. */
  namespace: string;
  /** The namespaces whose policies granted it, by id, with their paths where the log has those; empty without any. */
  grantedIn: readonly { id: string; path?: string }[];
  /** Id of the namespace. */
  namespaceId: string;
  /** Path of the mount that answered, without a slash at its end: `auth/staff`. */
  mount: string;
  /** Its type, as `approle`; empty where the log leaves it out. */
  mountType: string;
  /** What stays the same when the mount is moved; empty where the log leaves it out. */
  accessor: string;
  /** Undefined where no valid token came along. */
  by: LoggedPrincipal | undefined;
  /** By what tokens of one device are told apart: the hashed accessor, or of batch tokens the hashed token; empty for none. */
  token: string;
  /** `unchecked`: no policy decided it, as for a sign-in. */
  outcome: 'allowed' | 'refused' | 'unchecked';
  /** Fields of the body or the query. */
  fields: Readonly<Record<string, unknown>>;
  /** Time to live of the wrapped response that was asked for, in seconds. */
  wrapping?: number;
  issued?: Issued;
  /** The service, or the backend, answered with an error. */
  failed: boolean;
  /** The log has its request alone: how it was answered is not known. */
  isUnanswered?: true;
}

/** Why a line is not an entry. `request`: its response has all that it has, and the outcome. */
export type Unread = 'request' | 'not-json' | 'cut' | 'other-format' | 'in-clear';

/** What hashed values begin with. */
export const hashed = 'hmac-sha256:';

const requestHead = /^\{"time":"[^"]*","type":"request","(?:auth|request)":/;
/** Servers that write the fields in another order have the type at the end. */
const requestTail = /"type":"request"\}\s*$/;

/**
 * Reads one line of an audit log of OpenBao or Vault, with text before the brace or without
 * (docs/inside/measured/audit-logs.md#format). A log in clear (`log_raw`) has tokens in it and is not read.
 *
 * @param type of the entries that are read: those of requests have no answer. Defaults to `response`.
 * @param blocks of lines of the same log. Defaults to none: each line is read as a whole.
 */
export function readAuditLine(
  line: string,
  type: 'request' | 'response' = 'response',
  blocks: Pick<AuditBlocks<Asker>, 'partsOf'> = noBlocks,
): AuditEntry | Unread {
  const start = line.indexOf('{');
  // Half of an entry may stand before a whole entry.
  if (start > 0 && isOfEntry(line.slice(0, start))) return 'cut';
  if (start === -1) return line.trimStart().startsWith('<') ? 'other-format' : 'not-json';
  // Before the log's own text is read as JSON: half of the lines.
  if (type === 'response' && isRequestLine(line, start)) return 'request';
  const whole = start === 0 ? line : line.slice(start);
  const parts = type === 'response' ? blocks.partsOf(whole) : undefined;
  const read = parts && entryOf(parts);
  if (read !== undefined) return read;
  const parsed = parsedFrom(line, whole);
  if (parsed === undefined) return line.trimEnd().endsWith('}') ? 'not-json' : 'cut';
  const { type: typeOfEntry, time, auth, ...rest } = blockIn(parsed);
  const { operation } = blockIn(rest['request']);
  if (typeOfEntry === 'request' && type === 'response' && typeof operation === 'string') return 'request';
  if (typeOfEntry !== type || typeof time !== 'string') return 'other-format';
  const { request, response, error } = rest;
  // Two lines that ran into each other may be JSON.
  if (type === 'request' && response !== undefined) return 'other-format';
  return entryOf({ time, asker: askerOf(auth), request, response, error }) ?? 'other-format';
}

/** Reads lines of one log: what stands in many of them alike is read once. */
export const auditBlocks = (): AuditBlocks<Asker> => new AuditBlocks(askerOf);
const noBlocks: Pick<AuditBlocks<Asker>, 'partsOf'> = { partsOf: () => undefined };

/** Who asks, and what policies said to it: what a line has in `auth`. */
interface Asker {
  auth: Block;
  by: LoggedPrincipal | undefined;
  /** As `AuditEntry.token`. */
  token: string;
  grantedIn: AuditEntry['grantedIn'];
  allowed: unknown;
  isInClear: boolean;
  isBroken: boolean;
}

function askerOf(block: unknown): Asker {
  const auth = blockIn(block);
  const results = blockIn(auth['policy_results']);
  const { allowed, granting_policies: granting } = results;
  return {
    // A field whose name lost a letter is still JSON.
    isBroken: Object.keys(results).length > 0 && allowed === undefined && granting === undefined,
    auth,
    allowed,
    by: principalOf(auth, granting),
    token: tokenIn(auth),
    grantedIn: namespacesIn(granting),
    isInClear: hasToken(auth),
  };
}

/** @returns undefined for what is no entry */
function entryOf({
  time,
  asker,
  request,
  response,
  error,
}: EntryParts<Asker>): AuditEntry | 'in-clear' | undefined {
  const asked = blockIn(request);
  const { operation, path } = asked;
  const at = Date.parse(time);
  if (typeof operation !== 'string' || typeof path !== 'string' || Number.isNaN(at)) return undefined;
  // A hashed path says nothing of the request.
  if (path.startsWith(hashed) || operation.startsWith(hashed) || asker.isBroken) return undefined;
  const answered = blockIn(response);
  if (asker.isInClear || hasToken(request) || hasToken(answered['auth'])) return 'in-clear';
  const place = placeOf(asked, answered, path);
  const outcome = outcomeOf(asker, error);
  const issued = issuedBy({
    mount: place.mount,
    mountType: place.mountType,
    path: place.path,
    asker: asker.auth,
    authGiven: answered['auth'],
    wrapInfo: answered['wrap_info'],
    allowed: asker.allowed,
  });
  // The response to a sign-in has the new token there, which did not ask.
  const isNew = issued?.by === 'sign-in' && asker.allowed === undefined && outcome !== 'allowed';
  const entry: AuditEntry = {
    // The service's own requests have none.
    id: textIn(asked['id']),
    at,
    operation,
    mountType: place.mountType,
    accessor: place.accessor,
    grantedIn: asker.grantedIn,
    path: masked(place.path),
    mount: withoutLastSlash(place.mount),
    namespace: withoutLastSlash(place.namespace),
    namespaceId: place.namespaceId,
    by: isNew ? undefined : asker.by,
    token: isNew ? '' : asker.token,
    outcome,
    fields: blockIn(asked['data']),
    failed: hasFailed(error, answered, place.mount),
  };
  const wrapping = asked['wrap_ttl'];
  if (typeof wrapping === 'number' && wrapping > 0) entry.wrapping = wrapping;
  if (issued !== undefined) entry.issued = issued;
  return entry;
}

/** Where a request was asked: paths with their last slash, as lines have them. */
type EntryPlace = Pick<AuditEntry, 'path' | 'mount' | 'mountType' | 'accessor' | 'namespace' | 'namespaceId'>;

function placeOf(asked: Block, answered: Block, path: string): EntryPlace {
  const { path: namespacePath, id } = blockIn(asked['namespace']);
  const namespace = textIn(namespacePath);
  const mount = belowNamespace(namespace, textIn(asked['mount_point']));
  return {
    namespace,
    namespaceId: textIn(id),
    mount,
    mountType: textIn(asked['mount_type']) || textIn(answered['mount_type']),
    accessor: textIn(asked['mount_accessor']) || textIn(answered['mount_accessor']),
    path: fullPath(path, mount),
  };
}

const withoutLastSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** A backend answers a sign-in with an error in its data. */
function hasFailed(error: unknown, answered: Block, mount: string): boolean {
  if (error !== undefined && error !== '') return true;
  return mount.startsWith('auth/') && blockIn(answered['data'])['error'] !== undefined;
}

/** Whether policies allowed or refused a request, or none was asked. */
function outcomeOf({ by, allowed, grantedIn }: Asker, error: unknown): AuditEntry['outcome'] {
  if (grantedIn.length > 0 && allowed !== false) return 'allowed';
  const isRefused =
    allowed === false || (allowed === undefined && by !== undefined && isDenial.test(textIn(error)));
  return isRefused ? 'refused' : 'unchecked';
}

/** A device that leaves out whether policies allowed a request has the error. */
const isDenial = /permission denied/;

/** Pieces of JSON. */
const ofJson = /"\s*[:,}\]]|[}\]]\s*[}\],]|[{[]"|hmac-sha256:/;

/** Whether a text may be a piece of an entry. */
export const isOfEntry = (text: string): boolean => ofJson.test(text) && !isOtherLine(text);

function isRequestLine(line: string, start: number): boolean {
  const head = start === 0 ? line.slice(0, 90) : line.slice(start, start + 90);
  return requestHead.test(head) || (!head.startsWith('{"time":"') && requestTail.test(line.slice(-40)));
}

/** Text before an entry may have a brace, too. */
function parsedFrom(line: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const later = line.indexOf('{"time":"', line.length - text.length + 1);
    if (later === -1 || isOfEntry(line.slice(0, later))) return undefined;
    try {
      return JSON.parse(line.slice(later));
    } catch {
      return undefined;
    }
  }
}

interface IssuingAnswer {
  mount: string;
  mountType: string;
  path: string;
  asker: Block;
  authGiven: unknown;
  wrapInfo: unknown;
  allowed: unknown;
}

/** The token that an answer has, or wraps. */
function issuedBy({
  mount,
  mountType,
  path,
  asker,
  authGiven,
  wrapInfo,
  allowed,
}: IssuingAnswer): Issued | undefined {
  if (!mount.startsWith('auth/')) return undefined;
  const auth = blockIn(authGiven);
  const wrapped = textIn(blockIn(wrapInfo)['wrapped_accessor']);
  const isWrapped = Object.keys(auth).length === 0;
  if (isWrapped && wrapped === '') return undefined;
  const below = path.slice(mount.length);
  const token = isWrapped ? tokenIn({ accessor: wrapped }) : tokenIn(auth);
  const who = isWrapped ? undefined : principalOf(auth);
  if (ofTokens.has(mountType) || mount === 'auth/token/') {
    if (below.startsWith('renew')) return { ...(who && { who }), token, by: 'renewal', role: '' };
    const role = /^create\/([^/]+)/.exec(below)?.[1] ?? '';
    return { ...(who && { who }), token, by: 'token', role };
  }
  // In a wrapped sign-in, the new token stands where others have the asking one.
  const signedIn = who ?? (allowed === undefined ? principalOf(asker) : undefined);
  const role = signedInBy(mountType, below, signedIn?.metadata ?? {});
  const isPerson = role !== '' && namesPeople(mountType);
  return {
    ...(signedIn && { who: signedIn }),
    token,
    by: 'sign-in',
    role,
    ...(isPerson && { isPerson }),
  };
}

/** Types of the mount of tokens: its own, and that in a namespace. */
const ofTokens = new Set(['token', 'ns_token']);

/** Batch tokens have no accessor. */
function tokenIn({ accessor, client_token: token }: Block): string {
  const identifier = textIn(accessor) || textIn(token);
  // A device with `hmac_accessor` off has accessors in clear.
  return identifier === '' || identifier.startsWith(hashed)
    ? identifier
    : `${hashed}${createHash('sha256').update(identifier).digest('hex')}`;
}

/** The path of a mount has that of its namespace before it, other than the path of a request. */
export function belowNamespace(namespace: string, mount: string): string {
  return mount.startsWith(namespace) ? mount.slice(namespace.length) : mount;
}

/** A request that the router refuses, as of a batch token's cubbyhole, is logged with its path below the mount. */
export function fullPath(path: string, mount: string): string {
  return path.startsWith(mount) || `${path}/` === mount ? path : mount + path;
}

/** Tokens and accessors, as people paste them behind paths that took them once. */
const inPath =
  /(?<=(?:^|\/)auth\/token\/(?:lookup|renew|revoke|revoke-orphan|lookup-accessor|renew-accessor|revoke-accessor)\/)[^/]+|(?<=^|\/)(?:hv[sbr]|[sbr])\.[\w-]{20,}(?:\.\w+)?(?=\/|$)/g;

function masked(path: string): string {
  return path.includes('.') || path.includes('auth/token/') ? path.replace(inPath, '[token]') : path;
}

function principalOf(auth: Block, granting?: unknown): LoggedPrincipal | undefined {
  const policies = textsIn(auth['policies']);
  if (policies.length === 0 && auth['display_name'] === undefined) return undefined;
  const metadata = Object.fromEntries(
    Object.entries(blockIn(auth['metadata'])).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
  const tokenPolicies = textsIn(auth['token_policies']);
  const identityPolicies = textsIn(auth['identity_policies']);
  const all = [...new Set([...policies, ...tokenPolicies, ...identityPolicies])].sort();
  const granted =
    all.length > 0 || !Array.isArray(granting)
      ? []
      : granting.map((policy) => textIn(blockIn(policy)['name']));
  const isElsewhere = Object.keys(blockIn(auth['external_namespace_policies'])).length > 0;
  const unknown = all.length === 0 ? 'left-out' : isElsewhere ? 'elsewhere' : undefined;
  return {
    metadata,
    tokenPolicies,
    identityPolicies,
    name: textIn(auth['display_name']),
    entity: textIn(auth['entity_id']),
    policies: all.length === 0 ? granted.filter((name) => name !== '') : all,
    ...(unknown !== undefined && { unknown }),
  };
}

/** Each namespace of policies that grant paths once: most requests are granted by those of one. */
function namespacesIn(granting: unknown): AuditEntry['grantedIn'] {
  if (!Array.isArray(granting) || granting.length === 0) return none;
  const namespaces: { id: string; path?: string }[] = [];
  for (const policy of granting) {
    const { namespace_id: id, namespace_path: path, type = 'acl' } = blockIn(policy);
    // Vault Enterprise names policies of other kinds as well, and says by one without a name that it has none of these.
    if (type !== 'acl') continue;
    const named = textIn(id) || 'root';
    if (namespaces.some((other) => other.id === named)) continue;
    namespaces.push({ id: named, ...(typeof path === 'string' && { path: path.replace(/\/$/, '') }) });
  }
  return namespaces;
}
const none: AuditEntry['grantedIn'] = [];

/** Whether a token is there in clear, as `log_raw` has it. Accessors are, with `hmac_accessor` off. */
function hasToken(block: unknown): boolean {
  const { client_token: token } = blockIn(block);
  return typeof token === 'string' && token !== '' && !token.startsWith(hashed);
}

const nothing: Block = {};

const blockIn = (value: unknown): Block => (isObject(value) ? value : nothing);
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
