import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchOpenBao } from '../harness/openbao-server.ts';

/** What the command line printed, and how it ended. */
export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** OpenBao's command line, at work on a server. It keeps the token of a login in a folder of its own. */
export class Bao {
  readonly #binary: string;
  readonly #folder: string;
  readonly #env: Record<string, string>;

  private constructor(binary: string, folder: string, env: Record<string, string>) {
    this.#binary = binary;
    this.#folder = folder;
    this.#env = { HOME: folder, PATH: process.env['PATH'] ?? '', ...env };
  }

  static async at(address: string): Promise<Bao> {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bao-'));
    return new Bao(await fetchOpenBao(), folder, { BAO_ADDR: address });
  }

  /** Runs `bao` to its end. @param onOutput is told all that it printed so far, on either stream */
  run(args: string[], { input = '', onOutput = (_: string) => {} } = {}): Promise<Ran> {
    const child = spawn(this.#binary, args, { env: this.#env, stdio: 'pipe' });
    const ran: Ran = { code: null, stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        ran[stream] += text;
        onOutput(ran.stdout + ran.stderr);
      });
    }
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ ...ran, code }));
    });
  }

  /** Runs `bao` and reads the JSON it prints. @throws Error with what it said when it does not end well */
  async json(...args: string[]): Promise<any> {
    const [command, ...rest] = args;
    const isTwoWords = ['auth', 'policy', 'token', 'namespace'].includes(command ?? '');
    const words = isTwoWords ? [command ?? '', rest.shift() ?? ''] : [command ?? ''];
    const { code, stdout, stderr } = await this.run([...words, '-format=json', ...rest]);
    if (code !== 0) throw new Error(`bao ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout === '' ? undefined : JSON.parse(stdout);
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
