import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ListRewriter } from './list-rewriter.ts';

/** A connection as an HTTP server takes it, whose incoming bytes went through a ListRewriter. */
export class FrontedSocket extends Duplex {
  readonly #raw: Socket;
  readonly #rewriter = new ListRewriter();
  readonly #headMs: number;
  #patience: NodeJS.Timeout | undefined;

  /** @param headMs is how many milliseconds the head of a request may take. */
  constructor(raw: Socket, headMs: number) {
    super({ allowHalfOpen: true });
    this.#raw = raw;
    this.#headMs = headMs;
    raw.on('data', (bytes: Buffer) => {
      const passed = this.#rewriter.rewrite(bytes);
      this.#watchHead();
      if (passed.length > 0 && !this.push(passed)) raw.pause();
    });
    raw.on('end', () => {
      const rest = this.#rewriter.rest();
      if (rest.length > 0) this.push(rest);
      this.push(null);
    });
    raw.on('timeout', () => this.emit('timeout'));
    raw.on('error', (error) => this.destroy(error));
    raw.on('close', () => this.destroy());
  }

  /** A head that is held back here is none that the HTTP server could grow impatient about. */
  #watchHead(): void {
    if (this.#rewriter.isHolding) {
      this.#patience ??= setTimeout(() => this.destroy(), this.#headMs).unref();
    } else {
      clearTimeout(this.#patience);
      this.#patience = undefined;
    }
  }

  get remoteAddress(): string | undefined {
    return this.#raw.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#raw.remotePort;
  }

  setTimeout(milliseconds: number, listener?: () => void): this {
    this.#raw.setTimeout(milliseconds);
    if (listener !== undefined) this.once('timeout', listener);
    return this;
  }

  setNoDelay(noDelay?: boolean): this {
    this.#raw.setNoDelay(noDelay);
    return this;
  }

  setKeepAlive(enable?: boolean, initialDelay?: number): this {
    this.#raw.setKeepAlive(enable, initialDelay);
    return this;
  }

  override _read(): void {
    this.#raw.resume();
  }

  override _write(bytes: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#raw.write(bytes, encoding, done);
  }

  override _final(done: () => void): void {
    this.#raw.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#patience);
    this.#raw.destroy();
    done(error);
  }
}
