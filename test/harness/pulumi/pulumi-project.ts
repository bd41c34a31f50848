import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeploymentRequest, DeploymentResult } from '../../../packages/engine/src/engine.ts';
import { openCrypter } from '../../../packages/engine/src/passphrase.ts';
import type { Plugin } from '../../../packages/engine/src/plugins/plugin.ts';
import { servePlugin } from '../../../packages/engine/src/plugins/serve.ts';
import { VaultPlugin } from '../../../packages/engine/src/plugins/vault/vault-plugin.ts';
import { PulumiEngine, type PulumiEngineOptions } from '../../../packages/engine/src/pulumi/pulumi-engine.ts';
import type { Stack } from '../../../packages/engine/src/stack.ts';
import { type EnvironmentUnderTest, passphrase, root } from '../environment-under-test.ts';
import type { PulumiHome } from './pulumi-home.ts';

/** This project's program and a stack of it, run by the real CLI with our vault plugin. */
export class PulumiProject {
  /** As a user has it: `Pulumi.yaml`, the stack's file, the program. */
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #home: PulumiHome;
  readonly #known = new Set<string>();

  static async make(home: PulumiHome, environment: EnvironmentUnderTest): Promise<PulumiProject> {
    const directory = await environment.writeProject();
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    return new PulumiProject(directory, home, environment);
  }

  private constructor(directory: string, home: PulumiHome, environment: EnvironmentUnderTest) {
    this.directory = directory;
    this.#home = home;
    const {
      VAULT_TOKEN,
      GATEHOUSE_SERVICE_ADDRESS,
      GATEHOUSE_IDENTITY_ADDRESS,
      NODE_OPTIONS,
      NODE_COMPILE_CACHE,
    } = environment.env;
    this.env = {
      ...home.env,
      VAULT_TOKEN,
      GATEHOUSE_SERVICE_ADDRESS,
      GATEHOUSE_IDENTITY_ADDRESS,
      NODE_OPTIONS,
      NODE_COMPILE_CACHE,
    };
  }

  /** Writes a stack's file, and has the backend know the stack. */
  async write(stack: Stack): Promise<Stack> {
    const { encryptionSalt: salt = '' } = stack;
    const crypter = await openCrypter(passphrase, salt);
    const config = Object.fromEntries(
      [...stack.config].map(([key, { value, secret }]) => [
        key,
        secret ? { secure: crypter.encrypt(value) } : value,
      ]),
    );
    // JSON is YAML.
    const text = JSON.stringify({ encryptionsalt: salt, config });
    await writeFile(join(this.directory, `Pulumi.${stack.name}.yaml`), text);
    if (!this.#known.has(stack.name)) {
      await this.#home.pulumi(this.directory, 'stack', 'init', stack.name);
      this.#known.add(stack.name);
    }
    return { ...stack, directory: this.directory };
  }

  /** @param wrap around our plugin, for tests that look at its calls */
  async run(
    verb: DeploymentRequest['verb'],
    stack: Stack,
    fields: Partial<DeploymentRequest> = {},
    options: PulumiEngineOptions = {},
    wrap: (plugin: Plugin) => Plugin = (plugin) => plugin,
  ): Promise<DeploymentResult> {
    const env = { ...this.env, ...options.env };
    const engine = new PulumiEngine({
      attachEmbeddedPlugin: () => servePlugin(() => wrap(new VaultPlugin(env)), 'vault', '7.8.0'),
      ...options,
      env,
    });
    const request = { dryRun: verb === 'preview', refresh: false, targets: [], ...fields };
    return engine.run({ verb, stack: await this.write(stack), ...request });
  }

  async exportState(stack: Stack): Promise<any> {
    return JSON.parse(await this.#home.pulumi(this.directory, 'stack', 'export', '--stack', stack.name));
  }
}
