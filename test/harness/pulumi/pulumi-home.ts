import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../fetched.ts';
import { type CliAge, cli, yamlLanguageHost } from './programs.ts';

/** Pulumi's CLI with a backend of its own, in a folder: nothing of the user's login, stacks or plugins is touched. */
export interface PulumiHome {
  /** Variables with which the `pulumi` on the PATH is this CLI, and all of the network is off. */
  env: NodeJS.ProcessEnv;
  /** What a command prints. Rejects with the words of the CLI if it fails. */
  pulumi(directory: string, ...args: string[]): Promise<string>;
  close(): Promise<void>;
}

const nodeLanguageHost = fileURLToPath(new URL('bin/pulumi-language-nodejs', import.meta.url));

export async function startPulumiHome(age: CliAge = 'newest', given = process.env): Promise<PulumiHome> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pulumi-'));
  await mkdir(join(folder, 'backend'));
  const own = Object.entries(given).filter(([name]) => !/^(PULUMI|VAULT|BAO|GATEHOUSE)_/.test(name));
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(own),
    // The language host is a script for the Node.js that runs the tests.
    PATH: [cli(age), yamlLanguageHost, nodeLanguageHost, process.execPath]
      .map((program) => dirname(program))
      .concat(given['PATH'] ?? '')
      .join(delimiter),
    PULUMI_HOME: join(folder, 'home'),
    PULUMI_BACKEND_URL: `file://${join(folder, 'backend')}`,
    PULUMI_CONFIG_PASSPHRASE: 'gatehouse',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
  };
  return {
    env,
    async pulumi(directory, ...args) {
      const options = { cwd: directory, env, maxBuffer: 256 * 1024 * 1024 };
      return (await run('pulumi', [...args, '--non-interactive'], options)).stdout;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
