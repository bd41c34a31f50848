// `npm run record`: makes the recordings of test/recorded/ anew, with the `pulumi` on the PATH. `-- --to FOLDER`: elsewhere.
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { ServiceClient } from '../../client/service-client.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { startIdentity } from '../../embedded/identity/identity.ts';
import { startSecretsService } from '../../embedded/secrets/server.ts';
import { SqliteStorage } from '../../embedded/secrets/storage/sqlite.ts';
import { servePlugin } from '../../engine/plugins/serve.ts';
import { VaultPlugin } from '../../engine/plugins/vault/vault-plugin.ts';
import { cliArguments, onStack, runPulumi } from '../../engine/pulumi/pulumi-cli.ts';
import { readStack } from '../../engine/stack-files/read-stack.ts';
import { clientsOf, declaredBy } from '../../operations/dev/provider-clients.ts';
import { conciseLog, conciseState } from './grpc-log.ts';
import { exportedAfter, type Recording, runs } from './runs.ts';
import { type Machine, scrub } from './scrub.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const stack = { name: 'dev' };
const passphrase = 'gatehouse';

/** In recordings, whatever the system gave. */
const addresses = { service: 'http://127.0.0.1:18900', identity: 'http://127.0.0.1:18960' };

export interface RecordOptions {
  /** Folder of the recordings. Files of the same names are replaced, once all are made. */
  to: string;
  /** With the CLI on its PATH. */
  env: NodeJS.ProcessEnv;
  onRun?: (recording: Recording | undefined) => void;
}

/**
 * Makes the recordings of `test/recorded/` with the `pulumi` on the PATH: the dev stack by a backend in a temporary folder,
 * with the embedded service, identity provider and plugin. Nothing of the user's login or stacks is touched.
 *
 * @returns names of the files
 * @throws GatehouseError `pulumi_cli_missing`, `recording_failed`, `recording_private`
 */
export async function record({ to, env, onRun }: RecordOptions): Promise<string[]> {
  await runPulumi({ args: ['version'], directory: root, env, onLine: () => {} });
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-record-')));
  const closing: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const directory = await writeProject(join(folder, 'project'));
    const service = await startSecretsService({ storage: new SqliteStorage(join(folder, 'service.sqlite')) });
    closing.unshift(() => service.close());
    const token = service.rootToken ?? '';
    const declared = await readStack(root, stack.name, { PULUMI_CONFIG_PASSPHRASE: passphrase });
    const clients = clientsOf(declaredBy(declared, { GATEHOUSE_SERVICE_ADDRESS: service.address }), declared);
    const identity = await startIdentity({ clients });
    closing.unshift(() => identity.close());
    const plugin = await servePlugin(() => new VaultPlugin({ VAULT_TOKEN: token }), 'vault', '7.8.0');
    closing.unshift(() => plugin.close());
    const client = new ServiceClient({ address: service.address, token });
    closing.unshift(() => client.close());
    const machine: Machine = {
      places: {
        ...{ [directory]: '/project', [root]: '/project', [folder]: '/project', [homedir()]: '/home/user' },
        ...{ [service.address]: addresses.service, [identity.address]: addresses.identity },
      },
      secrets: [token],
      names: { [userName()]: 'user', [hostname()]: 'host' },
    };
    const ownEnv = {
      ...withoutOwn(env),
      PULUMI_HOME: join(folder, 'home'),
      PULUMI_BACKEND_URL: `file://${await made(join(folder, 'backend'))}`,
      PULUMI_CONFIG_PASSPHRASE: passphrase,
      // The CLI would look for the plugins of all that is in node_modules.
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      PULUMI_ENABLE_STREAMING_JSON_PREVIEW: 'true',
      PULUMI_DEBUG_PROVIDERS: `vault:${plugin.port}`,
      GATEHOUSE_SERVICE_ADDRESS: service.address,
      GATEHOUSE_IDENTITY_ADDRESS: identity.address,
    };
    const pulumi = async (args: string[], log?: string) => {
      const lines: string[] = [];
      const run = { args, directory, onLine: (line: string) => lines.push(line) };
      const { code, stderr } = await runPulumi({
        ...run,
        env: { ...ownEnv, ...(log && { PULUMI_DEBUG_GRPC: log }) },
      });
      if (code === 0) return lines;
      throw new GatehouseError({
        code: 'recording_failed',
        what: `\`pulumi ${args[0]}\` failed: ${stderr || lines.slice(-5).join('\n')}`,
        fix: 'Fix what it says. Nothing was written.',
      });
    };

    const files = new Map<string, string>();
    const file = join(directory, 'Pulumi.dev.yaml');
    await pulumi(['stack', 'init', stack.name, '--non-interactive']);
    // As the CLI has left it, which may write to it.
    const yaml = await readFile(file, 'utf8');
    for (const { recording, verb, refresh = false, edit = (text: string) => text, byHand } of runs) {
      onRun?.(recording);
      await byHand?.(client);
      await writeFile(file, edit(yaml));
      const log = join(folder, 'grpc.jsonl');
      await rm(log, { force: true });
      const lines = await pulumi(
        cliArguments({ verb, stack, dryRun: verb === 'preview', refresh, targets: [] }),
        log,
      );
      if (recording === undefined) continue;
      const events = lines.filter((line) => line.startsWith('{'));
      files.set(`${recording}.stream.jsonl`, events.map((line) => `${line}\n`).join(''));
      files.set(`${recording}.grpc.jsonl`, conciseLog(await readFile(log, 'utf8')));
      if (recording !== exportedAfter.recording) continue;
      const exported = await pulumi(['stack', 'export', ...onStack(stack)]);
      files.set(exportedAfter.file, conciseState(exported.join('\n')));
    }
    const clean = [...files].map(([name, text]): [string, string] => [`${name}.gz`, scrub(text, machine)]);
    await made(to);
    for (const [name, text] of clean) await writeFile(join(to, name), gzipSync(text, { level: 9 }));
    return clean.map(([name]) => name);
  } finally {
    for (const close of closing) await close();
  }
}

/** The project as a user has it, whose stack file may be edited. */
async function writeProject(directory: string): Promise<string> {
  await made(directory);
  for (const name of ['Pulumi.yaml', 'Pulumi.dev.yaml'])
    await copyFile(join(root, name), join(directory, name));
  for (const name of ['node_modules', 'policies']) await symlink(join(root, name), join(directory, name));
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module', main: 'main.mjs' }));
  const program = JSON.stringify(join(root, 'main.mjs'));
  await writeFile(join(directory, 'main.mjs'), `export * from ${program};\n`);
  return directory;
}

/** Without what is for the user's own stacks and services. */
function withoutOwn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(PULUMI|VAULT|BAO|GATEHOUSE)_/.test(name)),
  );
}

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

/** In a container the user may have none. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { to: { type: 'string', default: 'test/recorded' } } });
  try {
    const onRun = (recording = 'the first up') => process.stderr.write(`${recording} …\n`);
    const files = await record({ to: values.to, env: process.env, onRun });
    process.stdout.write(`${files.length} files in ${values.to}\n`);
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    process.exitCode = 1;
  }
}
