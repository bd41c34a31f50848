import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';

/** A stack without a service that answers: what a revision says of it is read, and nothing is planned. */
const stackFile = (settings: string) => `config:
  gatehouse:service: { address: "http://127.0.0.1:8200", features: { messages: false } }
  gatehouse:policies: []
${settings}`;

/** A repository of a project, and a script that must never run. */
export class HostileRepository {
  readonly folder: string;
  /** The script leaves it behind. */
  readonly #mark: string;
  /** A program that leaves the mark, and copies what it is given. */
  readonly script: string;

  constructor(init: readonly string[] = []) {
    const around = temporaryFolder();
    this.folder = join(around, 'clone');
    this.#mark = join(around, 'mark');
    this.script = this.scriptFor('script');
    mkdirSync(this.folder);
    this.git('init', '--quiet', '--initial-branch=main', ...init);
    this.git('config', 'core.logAllRefUpdates', 'false');
    this.write('Pulumi.yaml', 'name: sign-in\nruntime: nodejs\n');
    this.declare('');
  }

  /** Runs git as people do. */
  git(...args: string[]): string {
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    const options = ['-c', 'protocol.file.allow=always', '-c', 'commit.gpgSign=false'];
    return execFileSync('git', [...author, ...options, ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
    chmodSync(join(this.folder, path), mode);
  }

  /** @param settings lines of the stack's configuration */
  declare(settings: string): void {
    this.write('Pulumi.dev.yaml', stackFile(settings));
  }

  commit(): string {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'x');
    return this.git('rev-parse', 'HEAD');
  }

  /** A program of another name, to tell them apart. @returns its path */
  scriptFor(name: string): string {
    const path = join(dirname(this.folder), name.replace(/\W/g, '-'));
    writeFileSync(path, `#!/bin/sh\necho "$0" >> '${this.#mark}'\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** Paths of the scripts that ran since this was asked last. */
  ran(): string[] {
    const paths = existsSync(this.#mark) ? readFileSync(this.#mark, 'utf8').trim().split('\n') : [];
    rmSync(this.#mark, { force: true });
    return [...new Set(paths)];
  }
}

/** Of a stack that asks for signed reviews by these names. */
export const reviewedBy = (...names: string[]) =>
  `  gatehouse:reviews: { signers: [${names.map((name) => `{ name: ${name}, until: 2999-12-31, key: ${JSON.stringify(keyOf(name))} }`).join(', ')}] }\n`;

const publicKeys = new Map<string, string>();
function keyOf(name: string): string {
  const known = publicKeys.get(name);
  if (known !== undefined) return known;
  const pem = execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519']);
  const key = execFileSync('openssl', ['pkey', '-pubout'], { input: pem, encoding: 'utf8' });
  publicKeys.set(name, key);
  return key;
}
