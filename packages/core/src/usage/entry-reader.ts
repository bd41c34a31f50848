import { jsonIn } from '../graph/values/json.ts';
import { type AuditEntry, auditBlocks, isOfEntry, readAuditLine, type Unread } from './audit-line.ts';
import { type Damage, damageIn, mergedDamage, nothingKnown, takenApart } from './damaged-line.ts';
import { LineParts } from './line-parts.ts';
import { isOtherLine, isOtherRecord } from './other-lines.ts';
import { isSameRequest } from './request-pair.ts';
import { SeenIds } from './seen-ids.ts';
import { cellsIn, isEntry, isOfOthers, type UnwrappedLine, unwrapped } from './wrappers.ts';

/** Requests that wait for their responses: one that waits longer has none. */
const mostWaiting = 20_000;
/** How many damaged entries are kept separately. Nothing is known of further ones. */
const mostDamaged = 10_000;
/** A line that was broken into pieces is put together up to this length. */
const longest = 4 << 20;
/** An upper limit for the line that a device writes when it begins. */
const longestStart = 400;
const deviceStart = /"path":"sys\/audit\/test"/;
/** Collectors split what is longer; a shorter line is cut for another reason, and the next one is no part of it. */
const shortestSplit = 4_000;
const idStart = '"request":{"id":"';
/** The id of a request, from servers that write other fields before it. */
const anyId = /"request":\{.*?"id":"([^"]+)"/;
/** Records of collectors within each other that are unwrapped. */
const deepest = 4;
/** A line that begins so is read as an entry at once; another one may be the record of a collector. */
const timeHead = '{"time":"';
const entryHead = /^\{"(?:type":"re|auth":\{|request":\{|response":\{|error":)/;

/** Where the bytes of a log went: each byte counts once. */
export interface ByteCounts {
  /** Lines with entries. */
  entries: number;
  /** Lines of something else that is known by its form, and blank ones. */
  otherLines: number;
  /** Lines of which something was not read: what they used is not known. */
  unread: number;
}

/** The result of lines that are no entries by themselves. */
export interface LineCounts {
  lines: number;
  bytes: ByteCounts;
  unread: Record<Unread, number>;
  /** Lines of servers and collectors that hold no entry. */
  otherLines: number;
  /** Damaged lines whose entries are there whole on another line. */
  repaired: number;
  /** Requests without a response: the log ends, or lacks a line. They count as they were asked. */
  unanswered: number;
  /** Responses without a request: the log begins, or lacks a line. */
  unasked: number;
  /** Requests that are in the logs twice, as those of two devices: they count once. */
  repeated: number;
}

interface Taking {
  /** An entry that counts. */
  take(entry: AuditEntry): void;
  /** One that does not count: it was read before, as of another device, or is too old. */
  again(entry: AuditEntry): void;
  /** A device begins to write. */
  begin(): void;
}

/** Makes entries of lines, each once: of responses, and of requests that have none. */
export class EntryReader {
  readonly counts: LineCounts = {
    lines: 0,
    bytes: { entries: 0, otherLines: 0, unread: 0 },
    unread: { request: 0, 'not-json': 0, cut: 0, 'other-format': 0, 'in-clear': 0 },
    otherLines: 0,
    repaired: 0,
    unanswered: 0,
    unasked: 0,
    repeated: 0,
  };
  readonly #taking: Taking;
  /** Milliseconds since 1970: what is older does not count. */
  readonly #since: number;
  readonly #seen = new SeenIds();
  readonly #blocks = auditBlocks();
  readonly #parts = new LineParts();
  /** Lines of requests by their ids, until their responses come. */
  readonly #waiting = new Map<string, string>();
  /** Damaged entries by their ids, or by what is known of them. */
  readonly #damaged = new Map<string, { damage: Damage; size: number }>();
  /** A line that begins an entry and does not end it, with what is left of it. */
  #unfinished: { text: string; damage: Damage; size: number } | undefined;
  /** The line that is being read: its bytes, and what they are. */
  #size = 0;
  #kind: keyof ByteCounts | 'pending' = 'otherLines';

  constructor(taking: Taking, since = 0) {
    this.#taking = taking;
    this.#since = since;
  }

  /** @param size bytes of the line, with its end */
  add(line: string, size: number = Buffer.byteLength(line) + 1): void {
    this.counts.lines += 1;
    this.#begin(size);
    const part = line.startsWith('{') ? undefined : this.#parts.ofRuntime(line);
    if (part === undefined) this.#addText(line, 0);
    else this.#addPart(part, 0);
    this.#countBytes(this.#kind);
  }

  /** Counts bytes that hold no line: blanks. */
  pass(size: number): void {
    this.counts.bytes.otherLines += size;
  }

  /** Counts a line that is too long to be read. */
  addTooLong(size: number): void {
    this.counts.lines += 1;
    this.#begin(size);
    this.#addDamage(nothingKnown);
    this.#countBytes(this.#kind);
  }

  /** Entries that no line completed stay damaged. */
  endFile(): void {
    for (const { text, size } of this.#parts.rest()) {
      this.#begin(size);
      this.#addText(text, 0);
      this.#countBytes(this.#kind);
    }
    this.#endUnfinished();
  }

  /** @returns what is left of entries that are not there whole */
  end(): Damage[] {
    this.endFile();
    for (const line of this.#waiting.values()) this.#takeUnanswered(line);
    this.#waiting.clear();
    return [...this.#damaged.values()].map(({ damage }) => damage);
  }

  #begin(size: number): void {
    this.#size = size;
    this.#kind = 'otherLines';
  }

  #countBytes(kind: keyof ByteCounts | 'pending'): void {
    if (kind !== 'pending') this.counts.bytes[kind] += this.#size;
  }

  #addText(text: string, depth: number): void {
    const isPlain = text.startsWith(timeHead) || entryHead.test(text);
    if (!isPlain && depth < deepest && /^\s*[{[]/.test(text) && this.#addRecord(jsonIn(text), depth)) return;
    const read = readAuditLine(text, 'response', this.#blocks);
    if (typeof read !== 'string') this.#take(read);
    else if (read === 'request') this.#addRequest(text);
    else if (read === 'cut' || read === 'not-json') this.#addPieces(text);
    else if (read === 'in-clear') this.counts.unread[read] += 1;
    else if (depth >= deepest || !this.#addRecord(jsonIn(text.slice(text.indexOf('{'))), depth))
      this.#addForeign(read, text);
  }

  /** Counts a line that is no entry, and of no known form. */
  #addForeign(why: 'not-json' | 'other-format', text: string): void {
    if (isOtherLine(text)) {
      this.#addOther();
      return;
    }
    this.counts.unread[why] += 1;
    this.#keepDamage(nothingKnown);
  }

  #addOther(): void {
    this.counts.otherLines += 1;
  }

  /** @returns whether a value of JSON is what some collector makes of a line, or is known to be none */
  #addRecord(record: unknown, depth: number): boolean {
    if (record === undefined || isEntry(record)) return false;
    if (isOtherRecord(record)) {
      this.#addOther();
      return true;
    }
    const lines = unwrapped(record);
    for (const line of lines ?? []) this.#addPart(line, depth + 1);
    return lines !== undefined;
  }

  #addPart(line: UnwrappedLine, depth: number): void {
    const whole = this.#parts.joined(line, this.#size);
    if (whole === undefined) {
      if (this.#kind === 'otherLines') this.#kind = 'pending';
      return;
    }
    this.#size += whole.size;
    if (this.#kind === 'pending') this.#kind = 'otherLines';
    if (isOfOthers(whole.text)) this.#addOther();
    else this.#addText(whole.text, depth);
  }

  #addRequest(line: string): void {
    const isEnded = line.endsWith('}') || line.trimEnd().endsWith('}');
    // Other entries may be glued to it.
    const isAlone = line.startsWith(timeHead) && line.indexOf(timeHead, 1) === -1;
    if (isEnded && (isAlone || typeof readAuditLine(line, 'request') !== 'string')) this.#wait(line);
    else this.#addPieces(line);
  }

  #wait(line: string): void {
    this.counts.unread.request += 1;
    this.#raise('entries');
    if (line.length < longestStart && deviceStart.test(line)) this.#taking.begin();
    const start = line.indexOf(idStart);
    const idAt = start + idStart.length;
    const id = start === -1 ? (anyId.exec(line)?.[1] ?? '') : line.slice(idAt, line.indexOf('"', idAt));
    if (id === '') {
      this.#takeUnanswered(line);
      return;
    }
    this.#waiting.set(id, line);
    if (this.#waiting.size <= mostWaiting) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting.delete(first[0]);
    this.#takeUnanswered(first[1]);
  }

  /** A request counts as it was asked. What a sign-in gave, its response alone says. */
  #takeUnanswered(line: string): void {
    const entry = readAuditLine(line, 'request');
    if (entry === 'in-clear') {
      this.counts.unread['in-clear'] += 1;
      return;
    }
    if (typeof entry === 'string') {
      const size = Buffer.byteLength(line) + 1;
      this.counts.bytes.entries -= size;
      this.counts.bytes.unread += size;
      this.counts.unread.cut += 1;
      this.#keepDamage(damageIn(line), size);
      return;
    }
    this.#repair(entry.id);
    if (entry.at < this.#since) return;
    if (!this.#seen.add(entry.id)) {
      this.counts.unasked -= 1;
      return;
    }
    this.counts.unanswered += 1;
    const { mount, mountType, by, outcome, path, namespace, id } = entry;
    const isSignIn = mount.startsWith('auth/') && mountType !== 'token' && mountType !== 'ns_token';
    if (isSignIn && by === undefined && outcome === 'unchecked') {
      const method = mount.slice('auth/'.length);
      this.#keepDamage({ id, path, namespace, method, isRequest: true });
    }
    this.#taking.take({ ...entry, isUnanswered: true });
  }

  /** A line that is no entry may hold several, or a part of one that the next line ends. */
  #addPieces(line: string): void {
    if (isOtherLine(line)) {
      this.#addOther();
      return;
    }
    const cells = cellsIn(line);
    if (cells !== undefined) {
      for (const text of cells) this.#addText(text, deepest);
      return;
    }
    const before = this.#unfinished;
    const isNext =
      before !== undefined && !/^\s*\{"/.test(line) && (isOfEntry(line) || line.length >= shortestSplit);
    if (isNext && before.text.length + line.length < longest) {
      const joined = before.text + line;
      const read = readAuditLine(joined);
      const isOpen = read === 'cut' || (read === 'request' && !joined.trimEnd().endsWith('}'));
      if (isOpen) {
        before.text = joined;
        before.damage = damageIn(joined);
        before.size += this.#size;
        this.#kind = 'pending';
        return;
      }
      if (read !== 'not-json') {
        this.#unfinished = undefined;
        this.#size += before.size;
        this.#addText(joined, deepest);
        return;
      }
    }
    this.#endUnfinished();
    const { whole, damaged } = takenApart(line);
    if (whole.length === 0 && damaged.length === 0) {
      this.#addForeign('not-json', line);
      return;
    }
    for (const text of whole) {
      if (readAuditLine(text) === 'request') this.#wait(text);
      else this.#addText(text, deepest);
    }
    const last = damaged.at(-1);
    const isOpen =
      line.length >= shortestSplit && last !== undefined && whole.length === 0 && /^[^{]*\{"/.test(line);
    for (const damage of isOpen ? damaged.slice(0, -1) : damaged) this.#addDamage(damage);
    if (!isOpen) return;
    this.#unfinished = { text: line, damage: last, size: this.#size };
    this.#kind = 'pending';
  }

  #endUnfinished(): void {
    const left = this.#unfinished;
    this.#unfinished = undefined;
    if (left === undefined) return;
    this.counts.bytes.unread += left.size;
    this.counts.unread.cut += 1;
    this.#keepDamage(left.damage, left.size);
  }

  #addDamage(damage: Damage): void {
    this.counts.unread.cut += 1;
    this.#keepDamage(damage, this.#kind === 'unread' ? 0 : this.#size);
    this.#raise('unread');
  }

  /** @param size bytes that are accounted for once the entry is there whole. Defaults to none. */
  #keepDamage(damage: Damage, size = 0): void {
    if (size === 0) this.#raise('unread');
    const { id, ...rest } = damage;
    const key = id === '' ? JSON.stringify(rest) : id;
    const known = this.#damaged.get(key);
    if (known !== undefined) {
      known.damage = mergedDamage(known.damage, damage);
      known.size += size;
    } else if (this.#damaged.size < mostDamaged) this.#damaged.set(key, { damage, size });
    else this.#damaged.set(JSON.stringify(nothingKnown), { damage: nothingKnown, size: 0 });
  }

  /** The entry of a damaged line was found whole. */
  #repair(id: string): void {
    const damaged = this.#damaged.size === 0 ? undefined : this.#damaged.get(id);
    if (damaged === undefined) return;
    this.#damaged.delete(id);
    this.counts.repaired += 1;
    this.counts.bytes.unread -= damaged.size;
    this.counts.bytes.entries += damaged.size;
  }

  #raise(kind: keyof ByteCounts): void {
    if (this.#kind !== 'unread') this.#kind = kind;
  }

  #take(entry: AuditEntry): void {
    const { id } = entry;
    const requestLine = this.#waiting.get(id);
    this.#raise('entries');
    this.#repair(id);
    if (requestLine !== undefined) {
      this.#waiting.delete(id);
      // One of the two lines lost a part and is still JSON.
      if (!isSameRequest(requestLine, entry, this.#blocks.last)) this.#addDamage(nothingKnown);
    }
    // A token that is older than the period still belongs to its sign-in.
    if (entry.at < this.#since) this.#taking.again(entry);
    else if (this.#seen.add(id)) {
      if (requestLine === undefined) this.counts.unasked += 1;
      this.#taking.take(entry);
    } else {
      this.counts.repeated += 1;
      this.#taking.again(entry);
    }
  }
}
