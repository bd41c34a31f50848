import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type OpenBao, startOpenBao } from '../../test/harness/openbao-server.ts';
import { LocalEngine } from '../engine/src/local/local-engine.ts';
import type { Stack } from '../engine/src/stack.ts';
import { readStack } from '../engine/src/stack-files/read-stack.ts';
import type { AtEnd } from './frame.ts';

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const cli = join(root, 'packages/cli/gatehouse.mjs');

export interface BenchService {
  address: string;
  token: string;
  /** Defaults to the root's. */
  namespace?: string;
}

/** A temporary folder in the checkout, where Node finds node_modules. */
export async function makeScratch(atEnd: AtEnd): Promise<string> {
  const home = join(root, '.gatehouse');
  await mkdir(home, { recursive: true });
  const directory = await mkdtemp(join(home, 'bench-'));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * A stack `bench` of this project's program, or of one of the official package alone (`plain-program.ts`).
 *
 * @param environment keys of a `gatehouse:file`
 */
export async function makeProject(
  atEnd: AtEnd,
  program: 'gatehouse' | 'plain',
  environment: object,
): Promise<Stack> {
  const directory = await makeScratch(atEnd);
  const isOwn = program === 'gatehouse';
  const index = await readFile(join(root, isOwn ? 'index.ts' : 'packages/bench/plain-program.ts'), 'utf8');
  const main = isOwn ? 'main.mjs' : 'index.ts';
  const files = {
    'index.ts': index.replaceAll("from './", `from '${root}`),
    'package.json': JSON.stringify({ type: 'module', main }),
    'Pulumi.bench.yaml': 'config:\n  gatehouse:file: environment.yaml\n',
    // Written out, as people do. JSON is YAML: the plain program spends no time on reading it.
    'environment.yaml': isOwn
      ? stringify(environment, { aliasDuplicateObjects: false })
      : JSON.stringify(environment),
  };
  for (const name of ['Pulumi.yaml', 'main.mjs']) await copyFile(join(root, name), join(directory, name));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return await readStack(directory, 'bench', {});
}

/** An empty OpenBao. */
export async function startService(atEnd: AtEnd): Promise<OpenBao> {
  const service = await startOpenBao();
  atEnd(() => service.close());
  return service;
}

/** Environment variables that point commands at a service. */
export function environmentOf({ address, token }: BenchService): NodeJS.ProcessEnv {
  return { ...process.env, VAULT_ADDR: address, VAULT_TOKEN: token, GATEHOUSE_SERVICE_ADDRESS: address };
}

/** Applies a stack. @throws Error with the diagnostics */
export async function apply(stack: Stack, env: NodeJS.ProcessEnv): Promise<void> {
  const request = { stack, dryRun: false, refresh: false, targets: [] };
  const result = await new LocalEngine({ env }).run({ verb: 'up', ...request });
  if (!result.succeeded) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
}
