import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { replaceFile } from '@gatehouse/engine/stack-files';
import { stateDigest, statePath } from '@gatehouse/engine/state';
import { type FileMarks, fileMarks } from './file-marks.ts';

/** What an outcome of a stack's program is kept by. */
export interface OutcomeCircumstances {
  stack: Stack;
  /** Variables of the program. */
  env: NodeJS.ProcessEnv;
  /** Path of the file that keeps it. */
  path: string;
  /** What else it depends on, as it is now. A failure to read it leaves the outcome unknown. */
  dependsOn(): Promise<object>;
  /** Gatehouse's own folder. Defaults to where this file is. */
  ownFolder?: string | undefined;
  /** Milliseconds since 1970. Defaults to the system's clock. */
  now?: (() => number) | undefined;
}

/**
 * The last outcome of a stack's program, and a digest of all that it depended on: files, packages, variables, the engine's state,
 * this Node.js, the day, as exceptions end, and what else the caller names. While that stays the same, the program need not run.
 */
export class KeptOutcome<Outcome extends object> {
  readonly #circumstances: OutcomeCircumstances;
  readonly #now: () => number;
  /** Files as they were before the program could run. */
  readonly #files: FileMarks | undefined;

  constructor(circumstances: OutcomeCircumstances) {
    this.#circumstances = circumstances;
    this.#now = circumstances.now ?? Date.now;
    this.#files = this.#marks();
  }

  /**
   * The outcome, if nothing that it depended on has changed.
   *
   * @param onDamaged called if what is kept cannot be read
   */
  async unchanged(onDamaged: () => void = () => {}): Promise<Outcome | undefined> {
    const kept = this.#read(onDamaged);
    if (kept === undefined || kept.key !== (await this.#key(this.#files))) return undefined;
    return kept.outcome;
  }

  /** Keeps an outcome. Keeps none if a file may have changed while the program ran. */
  async keep(outcome: Outcome): Promise<void> {
    const { path } = this.#circumstances;
    const after = this.#marks();
    const isSteady = after !== undefined && after.digest === this.#files?.digest && !this.#files.isFresh;
    const key = isSteady ? await this.#key(after) : undefined;
    if (key === undefined) {
      await this.forget();
      return;
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, `${JSON.stringify({ key, outcome })}\n`);
  }

  async forget(): Promise<void> {
    await rm(this.#circumstances.path, { force: true });
  }

  #marks(): FileMarks | undefined {
    const { stack, ownFolder = join(import.meta.dirname, '../../../..') } = this.#circumstances;
    return fileMarks(stack.directory, ownFolder, this.#now());
  }

  #read(onDamaged: () => void): { key: string; outcome: Outcome } | undefined {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#circumstances.path, 'utf8'));
      if (isObject(kept) && typeof kept['key'] === 'string' && isObject(kept['outcome'])) {
        // What another version wrote is never used, as the key depends on Gatehouse's own files.
        return { key: kept['key'], outcome: kept['outcome'] as Outcome };
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    }
    onDamaged();
    return undefined;
  }

  /** A digest of all that the outcome depends on; undefined where something of it cannot be read. */
  async #key(files: FileMarks | undefined): Promise<string | undefined> {
    const { stack, env, dependsOn } = this.#circumstances;
    if (files === undefined) return undefined;
    try {
      const parts = {
        files: files.digest,
        variables: Object.entries(env)
          .filter(([name]) => !isOfShell(name))
          .sort(),
        ...(await dependsOn()),
        state: stateDigest(statePath(stack)) ?? null,
        node: [process.version, process.arch, process.execPath],
        day: new Date(this.#now()).toISOString().slice(0, 'YYYY-MM-DD'.length),
      };
      return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    } catch {
      // Running the program reports the problem better.
      return undefined;
    }
  }
}

/** Variables that shells and npm set anew for each command, and that tell programs nothing. */
function isOfShell(name: string): boolean {
  return ['_', 'SHLVL', 'OLDPWD', 'COLUMNS', 'LINES', 'INIT_CWD'].includes(name) || name.startsWith('npm_');
}
