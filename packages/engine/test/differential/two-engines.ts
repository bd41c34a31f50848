import type { PulumiHome } from '../../../../test/harness/pulumi/pulumi-home.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import type { DeploymentRequest } from '../../src/engine.ts';
import { Deployment } from '../../src/local/deployment.ts';
import { serveDeployment } from '../../src/local/deployment-services.ts';
import { type ServedPlugin, servePlugin } from '../../src/plugins/serve.ts';
import { PulumiEngine } from '../../src/pulumi/pulumi-engine.ts';
import { resourceToJson } from '../../src/resource-state.ts';
import { MemoryStateStore } from '../local/memory-state-store.ts';
import { TestPlugin, TestService } from '../local/test-plugin.ts';
import { stackOf } from '../stack-of.ts';
import { type Call, type JsonObject, logged } from './calls.ts';
import type { Ran } from './comparison.ts';
import { type Program, type ProgramHost, startProgramHost } from './program-host.ts';

/** How a program is run. */
export type Verb = DeploymentRequest['verb'];

/** An engine with a stack `dev` and a service of its own, for programs that use the test plugin. */
export interface Side {
  service: TestService;
  run(verb: Verb, program: Program, refresh?: boolean): Promise<Ran>;
  /** Everything is gone, as for a new stack. */
  forget(): Promise<void>;
}

/** The same name gets the same ids on both sides. */
function newService(): TestService {
  const service = new TestService();
  const counts = new Map<string, number>();
  service.idOf = (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name}#${count}`;
  };
  return service;
}

export class RealSide implements Side {
  service = newService();
  readonly #home: PulumiHome;
  readonly #host: ProgramHost;
  readonly #plugin: ServedPlugin;
  readonly #calls: Call[] = [];
  readonly #engine: PulumiEngine;
  readonly #directory: string;
  #stacks = 0;

  static async start(home: PulumiHome): Promise<RealSide> {
    const side: { of?: RealSide } = {};
    const plugin = await servePlugin(() => side.of?.newPlugin() as TestPlugin, 'test', '1.2.3');
    side.of = new RealSide(home, await startProgramHost(), plugin);
    await side.of.forget();
    return side.of;
  }

  private constructor(home: PulumiHome, host: ProgramHost, plugin: ServedPlugin) {
    this.#home = home;
    this.#host = host;
    this.#plugin = plugin;
    this.#directory = temporaryFolder({ 'Pulumi.yaml': 'name: project\nruntime: nodejs\n' });
    this.#engine = new PulumiEngine({
      env: {
        ...home.env,
        PULUMI_DEBUG_LANGUAGES: `nodejs:${host.port}`,
        PULUMI_DEBUG_PROVIDERS: `test:${plugin.port}`,
      },
    });
  }

  newPlugin() {
    return logged(new TestPlugin(this.service), this.#calls);
  }

  async run(verb: Verb, program: Program, refresh = false): Promise<Ran> {
    this.#calls.length = 0;
    this.#host.program = program;
    const stack = stackOf({ directory: this.#directory, project: 'project' });
    const result = await this.#engine.run({
      verb,
      stack,
      dryRun: verb === 'preview',
      refresh,
      targets: [],
    });
    return { result, calls: [...this.#calls], resources: await this.resources() };
  }

  async resources(): Promise<JsonObject[]> {
    const { deployment } = JSON.parse(
      await this.#home.pulumi(this.#directory, 'stack', 'export', '--stack', 'dev'),
    );
    return deployment.resources ?? [];
  }

  async forget(): Promise<void> {
    if (this.#stacks++ > 0)
      await this.#home.pulumi(this.#directory, 'stack', 'rm', 'dev', '--force', '--yes');
    await this.#home.pulumi(this.#directory, 'stack', 'init', 'dev');
    this.service = newService();
  }

  async close(): Promise<void> {
    this.#host.close();
    await this.#plugin.close();
  }
}

export class LocalSide implements Side {
  service = newService();
  store = new MemoryStateStore();

  async run(verb: Verb, program: Program, refresh = false): Promise<Ran> {
    const calls: Call[] = [];
    const dryRun = verb === 'preview';
    const deployment = new Deployment({
      project: 'project',
      stack: 'dev',
      store: this.store,
      dryRun,
      plugins: { test: async () => logged(new TestPlugin(this.service), calls) },
    });
    const stack = stackOf({ directory: '/project', project: 'project' });
    const services = await serveDeployment(deployment, {
      stack,
      dryRun,
      parallel: 16,
      env: {},
      verbose: false,
    });
    try {
      await deployment.resolvePending();
      if (refresh || verb === 'refresh') await deployment.refresh();
      if (verb === 'destroy') await deployment.destroy();
      else if (verb !== 'refresh') {
        if (refresh) deployment.report.countAnew();
        await deployment.finish(await program(services.address));
      }
      return { result: deployment.result(), calls, resources: this.resources() };
    } finally {
      services.close();
      await deployment.close();
    }
  }

  resources(): JsonObject[] {
    return this.store.rows.map((row) => resourceToJson(row, () => 'ciphertext') as JsonObject);
  }

  async forget(): Promise<void> {
    this.service = newService();
    this.store = new MemoryStateStore();
  }
}
