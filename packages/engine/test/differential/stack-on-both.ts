import { type DevConfig, EnvironmentUnderTest } from '../../../../test/harness/environment-under-test.ts';
import type { PulumiHome } from '../../../../test/harness/pulumi/pulumi-home.ts';
import { PulumiProject } from '../../../../test/harness/pulumi/pulumi-project.ts';
import type { TestedServer } from '../../../../test/harness/two-servers.ts';
import type { ServiceClient } from '../../../service-client/src/service-client.ts';
import { LocalEngine } from '../../src/local/local-engine.ts';
import { VaultPlugin } from '../../src/plugins/vault/vault-plugin.ts';
import { resourceToJson } from '../../src/resource-state.ts';
import type { Stack } from '../../src/stack.ts';
import { MemoryStateStore } from '../local/memory-state-store.ts';
import { type Call, type JsonObject, logged } from './calls.ts';
import { differences, type Ran } from './comparison.ts';
import { Names } from './names.ts';
import type { Verb } from './two-engines.ts';

/** This project's program on both engines, each with a secrets service and an identity provider of its own. */
export class StackOnBoth {
  readonly #real: EnvironmentUnderTest;
  readonly #local: EnvironmentUnderTest;
  readonly #project: PulumiProject;
  readonly #store = new MemoryStateStore();
  readonly #names: Names;

  static async start(
    home: PulumiHome,
    services: [real: TestedServer, local: TestedServer],
  ): Promise<StackOnBoth> {
    const [real, local] = await Promise.all(services.map((service) => EnvironmentUnderTest.start(service)));
    if (real === undefined || local === undefined) throw new Error('two services are needed');
    return new StackOnBoth(real, local, await PulumiProject.make(home, real));
  }

  private constructor(real: EnvironmentUnderTest, local: EnvironmentUnderTest, project: PulumiProject) {
    this.#real = real;
    this.#local = local;
    this.#project = project;
    const addresses = ['GATEHOUSE_SERVICE_ADDRESS', 'GATEHOUSE_IDENTITY_ADDRESS'].map((name) => [
      real.env[name],
      local.env[name],
    ]);
    this.#names = new Names(Object.fromEntries(addresses));
  }

  /** Does the same on both services. */
  async byHand(work: (client: ServiceClient) => Promise<void>): Promise<void> {
    await work(this.#real.client);
    await work(this.#local.client);
  }

  /** Runs the same on both engines. @returns steps of the real one, and what differs */
  async run(verb: Verb, edit: (config: DevConfig) => void, refresh = false) {
    const before = await this.#resources();
    const theirs = await this.#onReal(verb, this.#real.stack(edit), refresh);
    const ours = await this.#onLocal(verb, this.#local.stack(edit), refresh);
    const { steps, changes, diagnostics } = theirs.result;
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    return { steps, changes, errors, found: differences(theirs, ours, before, this.#names) };
  }

  async #onReal(verb: Verb, stack: Stack, refresh: boolean): Promise<Ran> {
    const calls: Call[] = [];
    const result = await this.#project.run(verb, stack, { refresh }, {}, (plugin) => logged(plugin, calls));
    return { result, calls, resources: await this.#resources() };
  }

  async #onLocal(verb: Verb, stack: Stack, refresh: boolean): Promise<Ran> {
    const calls: Call[] = [];
    const { env } = this.#local;
    const engine = new LocalEngine({
      env,
      openStore: () => this.#store,
      plugins: { vault: async () => logged(new VaultPlugin(env), calls) },
    });
    const dryRun = verb === 'preview';
    const result = await engine.run({ verb, stack, dryRun, refresh, targets: [] });
    const resources = this.#store.rows.map((row) => resourceToJson(row, () => 'ciphertext') as JsonObject);
    return { result, calls, resources };
  }

  async #resources(): Promise<JsonObject[]> {
    const { deployment } = await this.#project.exportState(await this.#project.write(this.#real.stack()));
    return deployment.resources ?? [];
  }

  async close(): Promise<void> {
    await this.#real.close();
    await this.#local.close();
  }
}
