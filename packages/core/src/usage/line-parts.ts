import type { UnwrappedLine } from './wrappers.ts';

/** What a container's runtime writes before a line (`F`), or before a part of one (`P`). */
const runtimeHead = /^\S+ (std(?:out|err)) ([FP]) /;
/** A line is put together up to this length. */
const longest = 4 << 20;
/** Streams whose lines are put together at the same time. */
const mostStreams = 256;

interface JoinedLine {
  text: string;
  /** Bytes of the parts before the last one. */
  size: number;
}

/** Puts lines together that a collector has split, where its records say that they are parts. */
export class LineParts {
  readonly #unfinished = new Map<string, JoinedLine>();

  /** A line of a container's runtime that is a part, or that ends one; undefined for any other line. */
  ofRuntime(line: string): UnwrappedLine | undefined {
    const [head, stream = '', flag] = runtimeHead.exec(line) ?? [];
    if (head === undefined || (flag === 'F' && !this.#unfinished.has(stream))) return undefined;
    return { text: line.slice(head.length), isPart: flag === 'P', stream };
  }

  /**
   * @param size bytes of the record
   * @returns the line, with the bytes of the parts before; undefined until its last part comes
   */
  joined({ text, isPart, stream }: UnwrappedLine, size: number): JoinedLine | undefined {
    const before = this.#unfinished.get(stream);
    if (!isPart && before === undefined) return { text, size: 0 };
    const joined = { text: (before?.text ?? '') + text, size: before?.size ?? 0 };
    this.#unfinished.delete(stream);
    const isFull = joined.text.length > longest || this.#unfinished.size >= mostStreams;
    if (!isPart || isFull) return joined;
    joined.size += size;
    this.#unfinished.set(stream, joined);
    return undefined;
  }

  /** The parts of lines that no last part ended. */
  rest(): JoinedLine[] {
    const left = [...this.#unfinished.values()];
    this.#unfinished.clear();
    return left;
  }
}
