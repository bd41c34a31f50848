import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import type { DeploymentResult } from '../engine/engine.ts';
import { LocalEngine } from '../engine/local/local-engine.ts';
import type { Stack } from '../engine/stack.ts';
import { readStack } from '../engine/stack-files/read-stack.ts';
import { type OpenBao, startOpenBao } from '../test/harness/openbao-server.ts';

/** The checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** A temporary folder in the checkout, where Node finds node_modules. */
interface Scratch {
  directory: string;
  remove(): Promise<void>;
}

export async function makeScratch(name: string): Promise<Scratch> {
  const home = join(root, '.gatehouse');
  await mkdir(home, { recursive: true });
  const directory = await mkdtemp(join(home, `bench-${name}-`));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** A project with the stack `bench` and its state. */
export interface BenchProject extends Scratch {
  stack: Stack;
}

/**
 * @param program `gatehouse`: this project's. `plain`: the same resources with only the official package.
 * @param environment keys of a `gatehouse:file`
 */
export async function makeProject(
  program: 'gatehouse' | 'plain',
  environment: object,
): Promise<BenchProject> {
  const scratch = await makeScratch(program);
  const { directory } = scratch;
  const write = (name: string, text: string) => writeFile(join(directory, name), text);
  await copyFile(join(root, 'Pulumi.yaml'), join(directory, 'Pulumi.yaml'));
  await write('Pulumi.bench.yaml', 'config:\n  gatehouse:file: environment.yaml\n');
  await write('environment.yaml', stringify(environment));
  if (program === 'gatehouse') {
    await write('package.json', '{ "type": "module", "main": "main.mjs" }');
    await copyFile(join(root, 'main.mjs'), join(directory, 'main.mjs'));
    await write('index.ts', await withImportsFrom(root, 'index.ts'));
  } else {
    await write('package.json', '{ "type": "module", "main": "index.ts" }');
    await copyFile(join(root, 'bench', 'plain-program', 'index.ts'), join(directory, 'index.ts'));
  }
  return { ...scratch, stack: await readStack(directory, 'bench', {}) };
}

/** An empty OpenBao. */
export function startService(): Promise<OpenBao> {
  return startOpenBao({ home: join(root, '.gatehouse') });
}

/** Environment variables that point commands at a service. */
export function environmentOf({ address, token }: { address: string; token: string }): NodeJS.ProcessEnv {
  return { ...process.env, VAULT_ADDR: address, VAULT_TOKEN: token, GATEHOUSE_SERVICE_ADDRESS: address };
}

/** Applies a stack. @throws Error with the diagnostics */
export async function apply(stack: Stack, env: NodeJS.ProcessEnv): Promise<DeploymentResult> {
  const request = { stack, dryRun: false, refresh: false, targets: [] };
  const result = await new LocalEngine({ env }).run({ verb: 'up', ...request });
  if (!result.succeeded) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result;
}

async function withImportsFrom(folder: string, file: string): Promise<string> {
  return (await readFile(join(folder, file), 'utf8')).replaceAll("from './", `from '${folder}`);
}
