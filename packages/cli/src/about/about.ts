import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { GatehouseError } from '@gatehouse/core/values';
import { askService, type ServiceAnswers } from '../open/ask-service.ts';
import { isPulumiInstalled } from '../open/engines.ts';
import { describeStacks, type ListedStack } from '../stack/stacks.ts';

/** What the report of a bug needs. It holds no secret. */
export interface About {
  node: string;
  platform: string;
  /** Package → version, or undefined where it is not installed. */
  packages: Record<string, string | undefined>;
  /** Plugins that Pulumi has installed for its user, as `vault 7.8.0`. */
  plugins: string[];
  /** Version of the Pulumi CLI; undefined where it is not on PATH. */
  pulumi?: string;
  folder: string;
  stacks: ListedStack[];
  /** Why there are no stacks. */
  problem?: string;
  /** Each address of a stack, and what answers there. */
  services: ServiceAnswers[];
}

const packages = ['@pulumi/pulumi', '@pulumi/vault', '@pulumi/kubernetes', '@pulumi/azuread'];

export async function about(folder: string, env: NodeJS.ProcessEnv): Promise<About> {
  const { stacks, problem } = await stacksIn(folder, env);
  const addresses = [...new Set(stacks.flatMap(({ address }) => address ?? []))];
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    packages: Object.fromEntries(packages.map((name) => [name, installedVersion(name)])),
    plugins: installedPlugins(env),
    ...(isPulumiInstalled(env) && { pulumi: pulumiCliVersion(env) }),
    folder,
    stacks,
    ...(problem !== undefined && { problem }),
    services: await Promise.all(addresses.map((address) => askService(address, env))),
  };
}

/** What `pulumi plugin install` has put on this machine. */
function installedPlugins(env: NodeJS.ProcessEnv): string[] {
  const home = env['PULUMI_HOME'] || join(env['HOME'] ?? homedir(), '.pulumi');
  try {
    return readdirSync(join(home, 'plugins'))
      .flatMap((name) => /^resource-(.+)-v(\d[^-]*)$/.exec(name)?.slice(1).join(' ') ?? [])
      .sort();
  } catch {
    // The folder does not exist before the first plugin is installed.
    return [];
  }
}

async function stacksIn(folder: string, env: NodeJS.ProcessEnv) {
  try {
    return { stacks: await describeStacks(folder, env) };
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    return { stacks: [], problem: error.message.split('\n')[0] };
  }
}

function installedVersion(name: string): string | undefined {
  try {
    return createRequire(import.meta.url)(`${name}/package.json`).version;
  } catch {
    return undefined;
  }
}

function pulumiCliVersion(env: NodeJS.ProcessEnv): string {
  const { stdout } = spawnSync('pulumi', ['version'], { env, encoding: 'utf8', timeout: 10_000 });
  return stdout?.trim() || 'does not start';
}
