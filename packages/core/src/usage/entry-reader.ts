import { type AuditEntry, auditBlocks, isOfEntry, readAuditLine, type Unread } from './audit-line.ts';
import { type Damage, damageIn, takenApart } from './damaged-line.ts';
import { SeenIds } from './seen-ids.ts';

/** Requests that wait for their responses: one that waits longer has none. */
const mostWaiting = 20_000;
/** A line that was broken into pieces is put together up to this length. */
const longest = 4 << 20;
/** The line that a device writes when it begins is shorter. */
const longestStart = 400;
const deviceStart = /"path":"sys\/audit\/test"/;
/** What a container's runtime writes before a line, or a part of one. */
const runtimeHead = /^\S+ std(?:out|err) [FP] /;
const partHead = /^\S+ std(?:out|err) P /;
/** Collectors split what is longer; a shorter line is cut for another reason, and the next one is no part of it. */
const shortestSplit = 4_000;
const idStart = '"request":{"id":"';
/** The same for servers that write it behind other fields. */
const anyId = /"request":\{.*?"id":"([^"]+)"/;

/** The result of lines that are no entries by themselves. */
export interface LineCounts {
  lines: number;
  unread: Record<Unread, number>;
  /** Requests without a response: the log ends, or lacks a line. They count as they were asked. */
  unanswered: number;
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
    ...{ lines: 0, unanswered: 0, repeated: 0 },
    unread: { request: 0, 'not-json': 0, cut: 0, 'other-format': 0, 'in-clear': 0 },
  };
  readonly #taking: Taking;
  /** Milliseconds since 1970: what is older does not count. */
  readonly #since: number;
  readonly #seen = new SeenIds();
  readonly #blocks = auditBlocks();
  /** Lines of requests by their ids, until their responses come. */
  readonly #waiting = new Map<string, string>();
  readonly #damaged = new Map<string, Damage>();
  /** A line that begins an entry and does not end it, with what was counted for it. */
  #unfinished: { text: string; damage: Damage } | undefined;

  constructor(taking: Taking, since = 0) {
    this.#taking = taking;
    this.#since = since;
  }

  add(line: string): void {
    this.counts.lines += 1;
    this.#addText(line);
  }

  /** What no line ended stays damaged. */
  endFile(): void {
    const left = this.#unfinished;
    this.#unfinished = undefined;
    if (left !== undefined) this.#addDamage(left.damage);
  }

  /** @returns what is left of entries that are not there whole */
  end(): Damage[] {
    this.endFile();
    for (const line of this.#waiting.values()) this.#takeUnanswered(line);
    this.#waiting.clear();
    return [...this.#damaged.values()];
  }

  #addText(line: string): void {
    const read = readAuditLine(line, 'response', this.#blocks);
    if (typeof read !== 'string') this.#take(read);
    else if (read === 'request') this.#wait(line);
    else if (read === 'cut' || read === 'not-json') this.#addPieces(line);
    else this.counts.unread[read] += 1;
  }

  #wait(line: string): void {
    this.counts.unread.request += 1;
    if (line.length < longestStart && deviceStart.test(line)) this.#taking.begin();
    const start = line.indexOf(idStart);
    const from = start + idStart.length;
    const id = start === -1 ? (anyId.exec(line)?.[1] ?? '') : line.slice(from, line.indexOf('"', from));
    if (id === '') return;
    this.#damaged.delete(id);
    this.#waiting.set(id, line);
    if (this.#waiting.size <= mostWaiting) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#waiting.delete(first[0]);
    this.#takeUnanswered(first[1]);
  }

  #takeUnanswered(line: string): void {
    const entry = readAuditLine(line, 'request');
    if (typeof entry === 'string' || entry.at < this.#since) return;
    if (!this.#seen.add(entry.id)) return;
    this.counts.unanswered += 1;
    this.#taking.take(entry);
  }

  /** A line that is no entry may hold several, or a part of one that the next line ends. */
  #addPieces(line: string): void {
    const text = line.replace(runtimeHead, '');
    const isPart = partHead.test(line);
    const before = this.#unfinished;
    const isNext = before !== undefined && !/^\s*\{"/.test(text) && isOfEntry(text);
    if (isNext && before.text.length + text.length < longest) {
      const joined = before.text + text;
      const read = readAuditLine(joined);
      if (read !== 'cut' && read !== 'not-json') {
        this.#unfinished = undefined;
        this.#addText(joined);
        return;
      }
      if (read === 'cut') {
        this.#unfinished = { text: joined, damage: damageIn(joined) };
        return;
      }
    }
    this.endFile();
    const { whole, damaged } = takenApart(text);
    if (whole.length === 0 && damaged.length === 0) this.counts.unread['not-json'] += 1;
    for (const one of whole) this.#addText(one);
    const last = damaged.at(-1);
    const isSplit = isPart || text.length >= shortestSplit;
    const isOpen = isSplit && last !== undefined && whole.length === 0 && /^[^{]*\{"/.test(text);
    for (const one of isOpen ? damaged.slice(0, -1) : damaged) this.#addDamage(one);
    if (isOpen) this.#unfinished = { text, damage: last };
  }

  #addDamage(one: Damage): void {
    this.counts.unread.cut += 1;
    // Its request is there whole, and stands for it.
    if (one.id !== '' && !one.isRequest && this.#waiting.has(one.id)) return;
    const { id, ...rest } = one;
    this.#damaged.set(id === '' ? JSON.stringify(rest) : id, one);
  }

  #take(entry: AuditEntry): void {
    const { id } = entry;
    this.#waiting.delete(id);
    if (this.#damaged.size > 0) this.#damaged.delete(id);
    // A token that is older than what counts is of its sign-in all the same.
    if (entry.at < this.#since) this.#taking.again(entry);
    else if (this.#seen.add(id)) this.#taking.take(entry);
    else {
      this.counts.repeated += 1;
      this.#taking.again(entry);
    }
  }
}
