import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunView } from '@gatehouse/core/run-task';
import { isObject } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { stateDigest, statePath } from '@gatehouse/engine/local';
import { replaceFile } from '@gatehouse/engine/stack-files';
import { baseRevision } from '../open/at-revision.ts';
import { type FileMarks, fileMarks } from '../open/file-marks.ts';
import { openNamespaces } from '../open/open-environment.ts';
import { documentsOf } from '../open/provider-documents.ts';

/** What the outcome of a start depends on. */
interface StartCircumstances {
  stack: Stack;
  /** Variables of the program. */
  env: NodeJS.ProcessEnv;
  /** A digest of the service's configuration. */
  configured: () => string;
  /** Origin of the embedded identity provider. What it publishes follows from its files and its address. */
  identityOrigin: string;
  /** Gatehouse's own folder. Defaults to where this file is. */
  ownFolder?: string;
  /** Milliseconds since 1970. Defaults to the system's clock. */
  now?: () => number;
}

/**
 * The last start that left nothing to apply: its run, and a digest of all that it depended on. While that stays the same, a
 * start need not run the program, plan, and ask the run tasks. It depends on files, packages, variables, the base revision, what
 * issuers elsewhere publish, the engine's state, what the service has, this Node.js, and the day, as exceptions end.
 */
export class LastStart {
  readonly #circumstances: StartCircumstances;
  readonly #path: string;
  /** Files as they were before the program could run. */
  readonly #files: FileMarks | undefined;

  constructor(circumstances: StartCircumstances) {
    this.#circumstances = circumstances;
    const { stack } = circumstances;
    this.#path = join(stack.home, 'dev', 'last-start.json');
    this.#files = this.#marks();
  }

  /**
   * The run of the last start, if nothing that it depended on has changed.
   *
   * @param onDamaged called if what is kept of the last start cannot be read
   */
  async unchanged(onDamaged: () => void): Promise<RunView | undefined> {
    const kept = this.#read(onDamaged);
    if (kept === undefined || kept.key !== (await this.#key(this.#files))) return undefined;
    return kept.run;
  }

  /** Keeps the run of this start, which left nothing to apply. Keeps none if a file may have changed while the program ran. */
  async keep(run: RunView): Promise<void> {
    const after = this.#marks();
    const isSteady = after !== undefined && after.digest === this.#files?.digest && !this.#files.isFresh;
    const key = isSteady ? await this.#key(after) : undefined;
    if (key === undefined) await rm(this.#path, { force: true });
    else await replaceFile(this.#path, `${JSON.stringify({ key, run })}\n`);
  }

  #marks(): FileMarks | undefined {
    const {
      stack,
      ownFolder = join(import.meta.dirname, '../../../..'),
      now = Date.now,
    } = this.#circumstances;
    return fileMarks(stack.directory, ownFolder, now());
  }

  #read(onDamaged: () => void): { key: string; run: RunView } | undefined {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      if (isObject(kept) && typeof kept['key'] === 'string' && isObject(kept['run'])) {
        // A run that another version wrote is never used, as the key depends on Gatehouse's own files.
        return { key: kept['key'], run: kept['run'] as RunView };
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    }
    onDamaged();
    return undefined;
  }

  /** A digest of all that a start depends on; undefined where something of it cannot be read. */
  async #key(files: FileMarks | undefined): Promise<string | undefined> {
    const { stack, env, configured, now = Date.now } = this.#circumstances;
    if (files === undefined) return undefined;
    try {
      const parts = {
        files: files.digest,
        variables: Object.entries(env)
          .filter(([name]) => !isOfShell(name))
          .sort(),
        base: (await baseRevision(stack.directory, env)) ?? null,
        declared: await this.#declared(),
        state: stateDigest(statePath(stack)) ?? null,
        service: configured(),
        node: [process.version, process.arch, process.execPath],
        day: new Date(now()).toISOString().slice(0, 'YYYY-MM-DD'.length),
      };
      return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    } catch {
      // A start that runs the program reports the problem better.
      return undefined;
    }
  }

  /** What is declared, with what clusters and issuers elsewhere publish. */
  async #declared(): Promise<unknown> {
    const { stack, env, identityOrigin } = this.#circumstances;
    const namespaces = await openNamespaces(stack, env);
    return await Promise.all(
      namespaces.map(async ({ path, graph }) => {
        const elsewhere = [...documentsOf(graph)].filter(
          ([, { hasDiscovery, discoveryUrl }]) =>
            hasDiscovery && URL.parse(discoveryUrl)?.origin !== identityOrigin,
        );
        const published = elsewhere.map(async ([method, documents]) => [
          method,
          (await documents.discovery()).document,
        ]);
        return { path, graph, published: await Promise.all(published) };
      }),
    );
  }
}

/** Variables that shells and npm set anew for each command, and that tell programs nothing. */
function isOfShell(name: string): boolean {
  return ['_', 'SHLVL', 'OLDPWD', 'COLUMNS', 'LINES', 'INIT_CWD'].includes(name) || name.startsWith('npm_');
}
