import { PassThrough, Writable } from 'node:stream';
import { ExitCode, type Terminal } from '../src/terminal/terminal.ts';

class Collector extends Writable {
  isTTY = false;
  columns = 80;
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** A terminal in memory. With `typed`, a person sits at it who types these lines. */
export class FakeTerminal implements Terminal {
  stdin = new PassThrough() as PassThrough & { isTTY?: boolean };
  stdout = new Collector();
  stderr = new Collector();
  env: NodeJS.ProcessEnv = { NO_COLOR: '1' };
  cwd: string;
  exitCode: ExitCode = ExitCode.ok;

  constructor(cwd: string, typed?: string[]) {
    this.cwd = cwd;
    if (typed === undefined) {
      this.stdin.end();
      return;
    }
    this.stdin.isTTY = true;
    this.stdout.isTTY = true;
    this.stderr.isTTY = true;
    // Each line when it is asked for, as a person would: what readline has not asked for yet, it would drop.
    const waiting = [...typed];
    this.stderr.write = ((chunk: string | Buffer) => {
      this.stderr.text += chunk.toString();
      if (/[:)] $/.test(chunk.toString()) || /: $/.test(chunk.toString())) {
        const line = waiting.shift();
        setImmediate(() => (line === undefined ? this.stdin.end() : this.stdin.write(`${line}\n`)));
      }
      return true;
    }) as typeof this.stderr.write;
  }

  /** Another program's output is its input. */
  pipe(text: string): void {
    this.stdin = new PassThrough().end(text);
  }
}
