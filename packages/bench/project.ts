import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { LocalEngine } from '../../engine/local/local-engine.ts';
import type { Stack } from '../../engine/stack.ts';
import { readStack } from '../../engine/stack-files/read-stack.ts';
import { type OpenBao, startOpenBao } from '../../test/harness/openbao-server.ts';
import type { AtEnd } from './frame.ts';
import { type ServerProcess, startServer } from './processes.ts';

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const cli = join(root, 'cli', 'gatehouse.mjs');

/** A secrets service and a token for it. */
export interface Service {
  address: string;
  token: string;
}

/** A temporary folder in the checkout, where Node finds node_modules. */
export async function makeScratch(atEnd: AtEnd): Promise<string> {
  const home = join(root, '.gatehouse');
  await mkdir(home, { recursive: true });
  const directory = await mkdtemp(join(home, 'bench-'));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A folder with this project's program, or with one of the official package alone (`plain-program.ts`). */
export async function makeProgram(atEnd: AtEnd, program: 'gatehouse' | 'plain'): Promise<string> {
  const directory = await makeScratch(atEnd);
  const isOwn = program === 'gatehouse';
  const index = await readFile(join(root, isOwn ? 'index.ts' : 'packages/bench/plain-program.ts'), 'utf8');
  await copyFile(join(root, 'Pulumi.yaml'), join(directory, 'Pulumi.yaml'));
  await copyFile(join(root, 'main.mjs'), join(directory, 'main.mjs'));
  await writeFile(join(directory, 'index.ts'), index.replaceAll("from './", `from '${root}`));
  const main = isOwn ? 'main.mjs' : 'index.ts';
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module', main }));
  return directory;
}

/** A program and its stack `bench`. @param environment keys of a `gatehouse:file` */
export async function makeProject(
  atEnd: AtEnd,
  program: 'gatehouse' | 'plain',
  environment: object,
): Promise<Stack> {
  const directory = await makeProgram(atEnd, program);
  const config = 'config:\n  gatehouse:file: environment.yaml\n';
  await writeFile(join(directory, 'Pulumi.bench.yaml'), config);
  await writeFile(join(directory, 'environment.yaml'), stringify(environment));
  return await readStack(directory, 'bench', {});
}

/** An empty OpenBao. */
export async function startService(atEnd: AtEnd): Promise<OpenBao> {
  const service = await startOpenBao({ home: join(root, '.gatehouse') });
  atEnd(() => service.close());
  return service;
}

/** The embedded service in memory, in a process of its own. */
export async function startEmbedded(atEnd: AtEnd): Promise<ServerProcess & Service> {
  const token = 'root-of-the-bench';
  const program = `import { startSecretsService } from '${root}embedded/secrets/server.ts';
    import { MemoryStorage } from '${root}test/harness/memory-storage.ts';
    const { address } = await startSecretsService({ storage: new MemoryStorage(), rootToken: '${token}' });
    console.log(address);`;
  return { ...(await startServer(atEnd, ['--input-type=module', '--eval', program])), token };
}

/** Environment variables that point commands at a service. */
export function environmentOf({ address, token }: Service): NodeJS.ProcessEnv {
  return { ...process.env, VAULT_ADDR: address, VAULT_TOKEN: token, GATEHOUSE_SERVICE_ADDRESS: address };
}

/** Applies a stack. Resolves to the number of its resources. @throws Error with the diagnostics */
export async function apply(stack: Stack, env: NodeJS.ProcessEnv): Promise<number> {
  const request = { stack, dryRun: false, refresh: false, targets: [] };
  const result = await new LocalEngine({ env }).run({ verb: 'up', ...request });
  if (!result.succeeded) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.steps.length;
}
