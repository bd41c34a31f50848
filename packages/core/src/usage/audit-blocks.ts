/** An object of JSON. */
export type Block = Readonly<Record<string, unknown>>;

/** The parts of an entry, as they stand in its line. */
export interface EntryParts<Asker> {
  time: string;
  asker: Asker;
  request: unknown;
  response: unknown;
  error: unknown;
}

/** Askers that are kept: a token asks again soon, or not for long. */
const most = 1_024;
/** Longer texts belong to few principals, and take memory. */
const longest = 8_000;
const shortAnswer = 400;
const head = '{"time":"';
const afterTime = '","type":"response","auth":';
const beforeRequest = ',"request":{';
const beforeResponse = ',"response":{';
const beforeError = '},"error":"';

/**
 * Reads lines of responses whose parts stand in the order of OpenBao and Vault. What a line says of who asks is the same in each line
 * of a token, but for the rule that decided: it is read once. The parts together are the line, and each is read as JSON: so a line
 * is read here as it is as a whole, or not at all.
 */
export class AuditBlocks<Asker> {
  readonly #askers = new Map<string, Asker>();
  readonly #responses = new Map<string, unknown>();
  readonly #askerOf: (auth: unknown) => Asker;
  /** The parts that the line of the request has as well, of the line that was read last; undefined where it was read as a whole. */
  last: { auth: string; request: string } | undefined;

  constructor(askerOf: (auth: unknown) => Asker) {
    this.#askerOf = askerOf;
  }

  /** @returns undefined where the line is to be read as a whole */
  partsOf(line: string): EntryParts<Asker> | undefined {
    this.last = undefined;
    const timeEnd = line.indexOf('"', head.length);
    if (!line.startsWith(head) || !line.startsWith(afterTime, timeEnd)) return undefined;
    const auth = timeEnd + afterTime.length;
    const request = line.indexOf(beforeRequest, auth);
    const response = request === -1 ? -1 : line.indexOf(beforeResponse, request);
    if (response === -1) return undefined;
    const isError = !line.endsWith('}}');
    const end = isError ? line.lastIndexOf(beforeError) + 1 : line.length - 1;
    const responseAt = response + beforeResponse.length - 1;
    if (end <= responseAt) return undefined;
    const authText = line.slice(auth, request);
    const requestText = line.slice(request + beforeRequest.length - 1, response);
    try {
      const parts = {
        time: line.slice(head.length, timeEnd),
        asker: this.#asker(authText),
        request: JSON.parse(requestText),
        response: this.#response(line.slice(responseAt, end)),
        error: isError ? errorIn(line, end + beforeError.length - 2) : undefined,
      };
      this.last = { auth: authText, request: requestText };
      return parts;
    } catch {
      // A field of a request has the name of a part, or the line is damaged.
      return undefined;
    }
  }

  #asker(text: string): Asker {
    return known(this.#askers, text, longest, () => this.#askerOf(JSON.parse(text)));
  }

  /** Most answers are like others: those without data, and refusals. */
  #response(text: string): unknown {
    return known(this.#responses, text, shortAnswer, () => JSON.parse(text));
  }
}

function known<Value>(all: Map<string, Value>, text: string, longest: number, read: () => Value): Value {
  if (text.length > longest) return read();
  const kept = all.get(text);
  if (kept !== undefined) return kept;
  const value = read();
  if (all.size >= most) all.clear();
  // A copy: a piece of a line keeps all of it.
  all.set(` ${text}`.slice(1), value);
  return value;
}

/** @throws SyntaxError unless nothing but the entry's end is behind the error */
function errorIn(line: string, start: number): unknown {
  if (!line.endsWith('"}')) throw new SyntaxError();
  return JSON.parse(line.slice(start, -1));
}
