import { type AuditEntry, readAuditLine } from './audit-line.ts';

const requestType = '","type":"request","auth":';
const timeStart = '{"time":"';
const requestStart = ',"request":';
/** A response always names the mount that answered; some requests are written before that is known. */
const accessorStart = '"mount_accessor":"';

/**
 * Whether the line of a request asks for what its response says. A line that lost some bytes may be JSON all the same, and then
 * only the other line of the pair shows it.
 *
 * @param texts what both lines have alike, as the response has it; undefined where that was not told apart
 */
export function isSameRequest(
  line: string,
  answered: AuditEntry,
  texts: { auth: string; request: string } | undefined,
): boolean {
  if (texts !== undefined && hasTexts(line, answered, texts)) return true;
  const requested = readAuditLine(line, 'request');
  // A request that is cut says nothing against its response.
  if (typeof requested === 'string') return true;
  const isSame =
    requested.operation === answered.operation &&
    requested.namespace === answered.namespace &&
    (isSamePlace(requested, answered) || isOfOwnNamespace(requested, answered));
  const isOfToken = requested.outcome === answered.outcome && isSameAsker(requested.by, answered.by);
  return isSame && (isOfSignIn(answered) || isOfToken);
}

function isSamePlace(requested: AuditEntry, answered: AuditEntry): boolean {
  return requested.path === answered.path && requested.mount === answered.mount;
}

/**
 * What a token asks of itself in a namespace below its own is answered in its own. OpenBao 2.7.2 writes the request then with both
 * places, `a/auth/token/auth/token/lookup-self`, and the response with its own (measured).
 */
function isOfOwnNamespace(requested: AuditEntry, answered: AuditEntry): boolean {
  const { mount = '' } = requested;
  return mount.endsWith(`/${answered.mount}`) && requested.path === `${mount}/${answered.path}`;
}

/** Letter by letter, which is quicker than to read the request. */
function hasTexts(
  line: string,
  answered: AuditEntry,
  { auth, request }: { auth: string; request: string },
): boolean {
  const start = line.indexOf(timeStart);
  const afterTime = line.indexOf('"', start + timeStart.length);
  if (start === -1 || !line.startsWith(requestType, afterTime)) return false;
  const authAt = afterTime + requestType.length;
  const isSignIn = isOfSignIn(answered);
  if (!isSignIn && !hasAt(line, auth, authAt)) return false;
  const requestAt = isSignIn ? line.indexOf(requestStart, authAt) : authAt + auth.length;
  if (!line.startsWith(requestStart, requestAt)) return false;
  const bodyAt = requestAt + requestStart.length;
  if (hasAt(line, request, bodyAt)) return true;
  const accessorAt = request.indexOf(accessorStart);
  if (accessorAt === -1) return false;
  const behind = request.indexOf('",', accessorAt + accessorStart.length) + 2;
  return (
    hasAt(line, request.slice(0, accessorAt), bodyAt) &&
    hasAt(line, request.slice(behind), bodyAt + accessorAt)
  );
}

/** As `startsWith`, which is many times slower for long texts. */
const hasAt = (line: string, text: string, at: number): boolean => line.slice(at, at + text.length) === text;

/** The response to a sign-in has the new token where others have the asking one. */
const isOfSignIn = ({ issued }: AuditEntry): boolean => issued?.by === 'sign-in';

function isSameAsker(requested: AuditEntry['by'], answered: AuditEntry['by']): boolean {
  if (requested === undefined || answered === undefined) return requested === answered;
  const listOf = ({ policies }: NonNullable<AuditEntry['by']>) => JSON.stringify(policies);
  return (
    requested.name === answered.name &&
    requested.entity === answered.entity &&
    listOf(requested) === listOf(answered)
  );
}
