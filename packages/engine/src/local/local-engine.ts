import { GatehouseError, maskError, maskOf } from '@gatehouse/core/values';
import type { DeploymentRequest, DeploymentResult, Engine } from '../engine.ts';
import { type PropertyMap, Secret } from '../property-value.ts';
import { environmentUnsupported } from '../secrets-provider.ts';
import { type Stack, secretsIn } from '../stack.ts';
import { readStack } from '../stack-files/read-stack.ts';
import { openStackCrypter } from '../stack-files/write-stack.ts';
import type { Contained } from './containment.ts';
import { Deployment } from './deployment.ts';
import { exportDeployment } from './deployment-export.ts';
import { type DeploymentServices, serveDeployment } from './deployment-services.ts';
import type { PluginSources } from './plugin-registry.ts';
import { evaluateProgram, type ProgramOptions } from './program.ts';
import { openStateStore, type StateStore, statePath } from './state-store.ts';

export interface LocalEngineOptions {
  /** For the passphrase and service token, and passed to the program. Defaults to this process's. */
  env?: NodeJS.ProcessEnv;
  /** Opens a stack's state. Defaults to its SQLite file. */
  openStore?: (stack: Stack) => StateStore | Promise<StateStore>;
  /** Defaults to `pluginsAtHand`. */
  plugins?: PluginSources;
  /** Keep stack traces and debug messages of the program. Defaults to false. */
  verbose?: boolean;
  /** Programs are not trusted: they run apart (containment.ts). Defaults to trusted. */
  contained?: Contained | undefined;
}

/** Applies a stack offline, as Pulumi's engine would. It keeps state in a file and refuses what it does not support. */
export class LocalEngine implements Engine {
  readonly #env: NodeJS.ProcessEnv;
  readonly #openStore: (stack: Stack, isApplying: boolean) => StateStore | Promise<StateStore>;
  readonly #plugins: PluginSources;
  readonly #verbose: boolean;
  readonly #contained: Contained | undefined;
  readonly #opened = new WeakMap<Stack, Promise<Stack>>();

  constructor({
    env = process.env,
    openStore,
    plugins,
    verbose = false,
    contained,
  }: LocalEngineOptions = {}) {
    this.#env = env;
    this.#openStore =
      openStore ??
      (async (stack, isApplying) =>
        openStateStore(statePath(stack), await openStackCrypter(stack, env, isApplying)));
    this.#plugins = plugins ?? pluginsAtHand(env, contained?.services);
    this.#verbose = verbose;
    this.#contained = contained;
  }

  /**
   * @throws GatehouseError `option_conflict`, those of `openStateStore`, `pending_create_ambiguous`,
   *   `pending_create_unresolved`, and of `readStack` for a stack that is still sealed
   */
  async run(request: DeploymentRequest): Promise<DeploymentResult> {
    const { verb, parallel = 16, policyPacks = [] } = request;
    if (policyPacks.length > 0) {
      throw new GatehouseError('option_conflict.policy_packs');
    }
    const stack = await this.#unsealed(request.stack);
    const dryRun = request.dryRun || verb === 'preview';
    const mask = maskOf(secretsIn(stack));
    const store = await this.#openStore(stack, !dryRun);
    let services: DeploymentServices | undefined;
    try {
      const deployment = new Deployment({
        ...request,
        project: stack.project,
        stack: stack.name,
        store,
        plugins: this.#plugins,
        packageConfig: (name) => packageConfig(stack, name),
        mask,
        dryRun,
        parallel,
      });
      const options = {
        stack,
        dryRun,
        parallel,
        env: this.#env,
        verbose: this.#verbose,
        contained: this.#contained,
      };
      services = await serveDeployment(deployment, options);
      const { programAddress } = services;
      return await stoppable(deployment, () => deploy(deployment, request, programAddress, options));
    } catch (error) {
      throw maskError(error, mask);
    } finally {
      services?.close();
      store.close();
    }
  }

  /** The program and the plugins get the secrets themselves. Read once, so that what is planned is what is applied. */
  #unsealed(stack: Stack): Promise<Stack> {
    const opened = this.#opened.get(stack) ?? unsealed(stack, this.#env);
    this.#opened.set(stack, opened);
    return opened;
  }

  async exportState(stack: Stack): Promise<unknown> {
    const crypter = await openStackCrypter(stack, this.#env, false);
    const store = await this.#openStore(stack, false);
    try {
      return exportDeployment(store.load(), crypter);
    } finally {
      store.close();
    }
  }
}

async function unsealed(stack: Stack, env: NodeJS.ProcessEnv): Promise<Stack> {
  if (stack.importsAt !== undefined) throw environmentUnsupported(stack.importsAt);
  if (!stack.isSealed) return stack;
  return { ...(await readStack(stack.directory, stack.name, env)), home: stack.home };
}

async function deploy(
  deployment: Deployment,
  { verb, refresh }: DeploymentRequest,
  address: string,
  options: ProgramOptions,
): Promise<DeploymentResult> {
  try {
    await deployment.resolvePending();
    if (refresh || verb === 'refresh') await deployment.refresh();
    if (verb === 'refresh' || deployment.report.failed) return deployment.result();
    // The CLI does not count a refresh either: the steps that follow are of the same resources.
    deployment.report.countAnew();
    if (verb !== 'destroy') return deployment.result(await evaluateProgram(deployment, address, options));
    await deployment.destroy();
    return deployment.result();
  } finally {
    await deployment.close();
  }
}

/** The first Ctrl-C lets operations in progress finish; the second ends the process as usual. */
async function stoppable<T>(deployment: Deployment, work: () => Promise<T>): Promise<T> {
  const stop = () => deployment.cancel();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return await work();
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

/** The stack's configuration of a package (`vault:address`), for its default plugin resource. */
function packageConfig({ config }: Stack, packageName: string): PropertyMap {
  const result: PropertyMap = {};
  for (const [key, { value, secret }] of config) {
    if (!key.startsWith(`${packageName}:`)) continue;
    result[key.slice(packageName.length + 1)] = secret ? new Secret(value) : value;
  }
  return result;
}

/** Our own plugin, in this process. It is loaded when a deployment needs it. */
export function pluginsAtHand(env: NodeJS.ProcessEnv, services?: readonly string[]): PluginSources {
  return {
    async vault() {
      const { VaultPlugin } = await import('../plugins/vault/vault-plugin.ts');
      return new VaultPlugin(env, undefined, services);
    },
  };
}
