import { isObject } from '../graph/values/json.ts';

/** What is written before a line by what passes it on. Nothing in an entry looks like one of these. */
const heads: readonly RegExp[] = [
  // Containers' runtimes, as Kubernetes has them.
  /^\d{4}-\d\d-\d\dT\S+ std(?:out|err) [FP] /,
  // `kubectl logs --timestamps`, `aws logs tail`, and servers themselves.
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*(?:Z|[+-]\d\d:?\d\d)?\s/,
  // `kubectl logs --prefix`
  /^\[pod\/[\w./-]+\] /,
  // `docker compose logs`
  /^[\w.-]+\s+\| /,
  // Syslog, RFC 5424 and RFC 3164.
  /^<\d{1,3}>(?:1 \S+ |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )/,
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^\s:]+: /,
];

/** Lines that have no head and are no entry: of servers when they start, of journals, and of tables. */
const unheaded: readonly RegExp[] = [
  /^==> .*$/,
  // What a server says of its configuration, and errors of several lines.
  /^\s+[A-Z][\w ().-]*: .*$/,
  /^\s+(?:\| |\w+=$)/,
  // `journalctl -o export`, and what it says of boots.
  /^_*[A-Z][A-Z0-9_]*=/,
  /^-- (?:Logs begin|Journal begins|Boot|No entries|Reboot) ?.*$/,
  // The header of a table.
  /^"?(?:@?timestamp|_time|_raw|time|message|log)"?(?:,"?[@\w. -]+"?)*$/i,
];

/** What a piece of an entry has that ran into a line of a server. */
const piece =
  /hmac-sha256:|\{"time":"|\\?"(?:auth|request|response|policy_results|granting_policies|mount_point|client_token|display_name|remote_address|token_policies)\\?"\s*:/;

/** A line that is longer may hold anything. */
const longest = 4_000;

/** Whether a text is a line of something else, which is known by its form, and has no piece of an entry in it. */
export function isOtherLine(line: string): boolean {
  const text = line.trimEnd();
  if (text.trim() === '') return true;
  const isKnown = text.length < longest && [...heads, ...unheaded].some((form) => form.test(text));
  return isKnown && !piece.test(text) && isBalanced(text);
}

/** Servers write JSON in their own lines. An entry that ran into one has lost its beginning or its end. */
function isBalanced(text: string): boolean {
  return text.split('{').length === text.split('}').length;
}

/** Whether JSON is no entry, as its form says: a line of a server that writes JSON, or a collector's word about itself. */
export function isOtherRecord(record: unknown): boolean {
  if (!isObject(record) || piece.test(JSON.stringify(record))) return false;
  const hasText = (name: string) => typeof record[name] === 'string';
  return (hasText('@level') && hasText('@message')) || record['messageType'] === 'CONTROL_MESSAGE';
}
