import { maskError, maskOf } from '../../core/model/values/mask.ts';
import type { DeploymentRequest, DeploymentResult, Engine, PolicyPackRequest } from '../engine.ts';
import type { PolicyPack } from '../policies/policy-pack.ts';
import { type PropertyMap, Secret } from '../property-value.ts';
import { environmentUnsupported } from '../secrets-provider.ts';
import { type Stack, secretsIn } from '../stack.ts';
import { readStack } from '../stack-files/read-stack.ts';
import { openStackCrypter } from '../stack-files/write-stack.ts';
import { Deployment } from './deployment.ts';
import { exportDeployment } from './deployment-export.ts';
import { type DeploymentServices, serveDeployment } from './deployment-services.ts';
import type { PluginSources } from './plugin-registry.ts';
import { evaluateProgram, type ProgramOptions, programVariables } from './program.ts';
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
}

/** Applies a stack offline, as Pulumi's engine would. It keeps state in a file and refuses what it does not support. */
export class LocalEngine implements Engine {
  readonly #env: NodeJS.ProcessEnv;
  readonly #openStore: (stack: Stack) => StateStore | Promise<StateStore>;
  readonly #plugins: PluginSources;
  readonly #verbose: boolean;
  readonly #opened = new WeakMap<Stack, Promise<Stack>>();

  constructor({ env = process.env, openStore, plugins, verbose = false }: LocalEngineOptions = {}) {
    this.#env = env;
    this.#openStore =
      openStore ?? (async (stack) => openStateStore(statePath(stack), await openStackCrypter(stack, env)));
    this.#plugins = plugins ?? pluginsAtHand(env);
    this.#verbose = verbose;
  }

  /**
   * @throws GatehouseError those of `openStateStore`, `pending_create_ambiguous`, `pending_create_unresolved`, and of
   *   `readStack` for a stack that is still sealed
   */
  async run(request: DeploymentRequest): Promise<DeploymentResult> {
    const { verb, parallel = 16 } = request;
    const stack = await this.#unsealed(request.stack);
    const dryRun = request.dryRun || verb === 'preview';
    const mask = maskOf(secretsIn(stack));
    const store = await this.#openStore(stack);
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
      const options = { stack, dryRun, parallel, env: this.#env, verbose: this.#verbose };
      services = await serveDeployment(deployment, options);
      const { address } = services;
      return await stoppable(deployment, () => deploy(deployment, request, address, options));
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
    const crypter = await openStackCrypter(stack, this.#env);
    const store = await this.#openStore(stack);
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
  { verb, refresh, policyPacks = [] }: DeploymentRequest,
  address: string,
  options: ProgramOptions,
): Promise<DeploymentResult> {
  try {
    // First: what cannot be judged is not begun.
    const isJudged = (verb === 'preview' || verb === 'up') && policyPacks.length > 0;
    if (isJudged) deployment.judgeBy(await startPacks(policyPacks, address, options));
    await deployment.resolvePending();
    if (refresh || verb === 'refresh') await deployment.refresh();
    if (verb === 'refresh' || deployment.report.failed) return deployment.result();
    // As the CLI counts: what follows looks at the same resources.
    deployment.report.countAnew();
    if (verb !== 'destroy') return deployment.result(await evaluateProgram(deployment, address, options));
    await deployment.destroy();
    return deployment.result();
  } finally {
    await deployment.close();
  }
}

/** @throws GatehouseError what `PolicyPack.start` throws */
async function startPacks(
  requests: PolicyPackRequest[],
  engineAddress: string,
  { stack, dryRun, env }: ProgramOptions,
): Promise<PolicyPack[]> {
  const { PolicyPack } = await import('../policies/policy-pack.ts');
  const variables = {
    ...programVariables(stack),
    // A pack runs in its own folder: this is how it finds the project's.
    PWD: stack.directory,
    PULUMI_NODEJS_PROJECT: stack.project,
    PULUMI_NODEJS_STACK: stack.name,
    PULUMI_NODEJS_DRY_RUN: String(dryRun),
  };
  const started = await Promise.allSettled(
    requests.map((request) =>
      PolicyPack.start(request, { stack, engineAddress, env: { ...env, ...variables } }),
    ),
  );
  const packs = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed === undefined) return packs;
  await Promise.all(packs.map((pack) => pack.close()));
  throw failed.reason;
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

/** Our own plugins, in this process. They are loaded when a deployment needs them. */
export function pluginsAtHand(env: NodeJS.ProcessEnv): PluginSources {
  return {
    async vault() {
      const { VaultPlugin } = await import('../plugins/vault/vault-plugin.ts');
      return new VaultPlugin(env);
    },
    async kubernetes() {
      const { KubernetesPlugin } = await import('../plugins/kubernetes/kubernetes-plugin.ts');
      return new KubernetesPlugin(env);
    },
  };
}
