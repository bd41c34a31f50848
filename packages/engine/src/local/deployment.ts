import { isDeepStrictEqual } from 'node:util';
import { GatehouseError, type Mask } from '@gatehouse/core/values';
import pLimit from 'p-limit';
import type { DeploymentRequest, DeploymentResult } from '../engine.ts';
import { admissionOf } from '../planned-steps.ts';
import type { PropertyMap } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { createUrn, isDefaultPlugin, isPluginType, packageOf, rootStackType } from '../urn.ts';
import { deleteResources, generateDeletes } from './deletion.ts';
import { referencedUrns } from './dependency-graph.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { DeploymentReport } from './deployment-report.ts';
import { DeploymentState } from './deployment-state.ts';
import { defaultPluginGoal, type Goal, type Registered } from './goal.ts';
import { resolvePendingOperations } from './pending-operations.ts';
import { PluginRegistry, type PluginSources } from './plugin-registry.ts';
import { refreshResources } from './refresh.ts';
import type { StateStore } from './state-store.ts';
import { StepExecutor, StepFailed } from './step-executor.ts';
import { StepGenerator } from './step-generator.ts';

/** Registrations started in one turn of the event loop. */
const perTurn = 8;

export interface LocalDeploymentOptions
  extends Pick<
    DeploymentRequest,
    'dryRun' | 'imports' | 'parallel' | 'continueOnError' | 'reviewed' | 'onEvent'
  > {
  project: string;
  stack: string;
  store: StateStore;
  plugins: PluginSources;
  /** The stack's configuration of a package, for its default plugin. Defaults to none. */
  packageConfig?: (packageName: string) => PropertyMap;
  /** Hides the stack's secrets in messages. Defaults to none. */
  mask?: Mask;
  targets?: readonly string[];
  excludes?: readonly string[];
}

/** The deployment was stopped, or has failed; nothing new may start. */
export class DeploymentCanceled extends Error {
  override readonly name = 'DeploymentCanceled';
}

/**
 * One deployment: takes registrations, executes and records steps, and at the end deletes what the program no longer
 * has. It knows neither gRPC nor how the program runs.
 *
 * After a failure nothing new is begun. A preview, and `continueOnError`, go on with what does not depend on it;
 * nothing is deleted at the end (pulumi/pulumi `pkg/resource/deploy/deployment_executor.go`).
 */
export class Deployment {
  readonly report: DeploymentReport;
  readonly #context: DeploymentContext;
  readonly #options: LocalDeploymentOptions;
  readonly #generator: StepGenerator;
  readonly #executor: StepExecutor;
  readonly #defaultPlugins = new Map<string, Promise<Registered>>();
  readonly #registered = new Map<string, { row: ResourceState; goal: Goal; skippedCreate: boolean }>();
  /** URNs that failed or were skipped. */
  readonly #broken = new Set<string>();
  /** Registrations in progress, by URN. */
  readonly #inProgress = new Map<string, Promise<Registered>>();
  readonly #pace = new RegistrationPace();
  readonly #started = Date.now();
  #stackOutputs: { row: ResourceState; outputs: PropertyMap } | undefined;
  readonly #stopped = new AbortController();
  #canceled = false;

  constructor(options: LocalDeploymentOptions) {
    const { project, stack, store, dryRun, targets = [], excludes = [], parallel = 16 } = options;
    this.#options = options;
    this.report = new DeploymentReport(options.onEvent, options.mask);
    this.#context = {
      project,
      stack,
      dryRun,
      targets: new Set(targets),
      excludes: new Set(excludes),
      state: new DeploymentState(store, dryRun),
      plugins: new PluginRegistry(options.plugins, pLimit(parallel), dryRun),
      report: this.report,
      inProgress: (oldUrn) =>
        this.#inProgress.get(this.#generator.aliased.get(oldUrn) ?? oldUrn)?.then(
          ({ result }) => result === 'done',
          () => false,
        ),
      deletions: new Map(),
      stopping: () => this.#stopping,
      admits: options.reviewed && admissionOf(options.reviewed.steps),
    };
    this.#executor = new StepExecutor(this.#context);
    this.#generator = new StepGenerator(this.#context);
  }

  /**
   * Must come first: settles what an earlier run was interrupted in.
   *
   * @throws GatehouseError `pending_create_ambiguous`, `pending_create_unresolved`
   */
  resolvePending(): Promise<void> {
    return resolvePendingOperations(this.#context);
  }

  urnOf({ parent, type, name }: { parent?: string; type: string; name: string }): string {
    return createUrn(this.#context.stack, this.#context.project, parent, type, name);
  }

  /** Makes a resource what the program asks for. Its failure is a `result`. @throws DeploymentCanceled */
  register(goal: Goal): Promise<Registered> {
    return this.#tracked(goal, (urn) => this.#register(goal, urn));
  }

  /** A resource of this deployment, for `pulumi:pulumi:getResource`. */
  find(urn: string): ResourceState | undefined {
    return this.#registered.get(urn)?.row;
  }

  /** Records a component's outputs. The stack's are recorded by `finish`. */
  async registerOutputs(urn: string, outputs: PropertyMap): Promise<void> {
    const registered = this.#registered.get(urn);
    if (registered === undefined || registered.skippedCreate) return;
    const { row } = registered;
    if (row.type === rootStackType) this.#stackOutputs = { row, outputs };
    else await this.#setOutputs(row, outputs);
  }

  /** Fails a resource that the engine cannot handle. */
  refuse(urn: string, error: unknown): Registered {
    this.report.error(error, isDefaultPlugin(urn) ? undefined : urn);
    return this.#notMade(urn, 'failed');
  }

  /** Brings the state up to date with the service. */
  async refresh(): Promise<void> {
    if (this.#knowsTargets()) await refreshResources(this.#context);
  }

  /** Deletes everything, or the targets. */
  async destroy(): Promise<void> {
    if (this.#knowsTargets()) await this.#deleteUnregistered();
  }

  /** Starts nothing new; finishes and records what is in progress. */
  cancel(): void {
    if (this.#canceled) return;
    this.#canceled = true;
    this.report.error(new GatehouseError('deployment_cancelled'));
    void this.#idle().then(() => this.#stopped.abort());
  }

  /** Aborted once the deployment is canceled and nothing is in progress. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  /**
   * Ends a deployment that ran the program: unless anything failed, deletes what the program no longer has; then
   * records the stack's outputs.
   */
  async finish(programSucceeded: boolean): Promise<void> {
    await this.#idle();
    if (programSucceeded && !this.report.failed) {
      await this.#deleteUnregistered();
      this.#knowsTargets();
      this.#usesImports();
    }
    const { row, outputs } = this.#stackOutputs ?? {};
    if (row === undefined || outputs === undefined) return;
    // After a failure the program may not have reached an output that is missing.
    const isPartial = this.report.failed || !programSucceeded;
    await this.#setOutputs(row, isPartial ? { ...row.outputs, ...outputs } : outputs);
  }

  result(programSucceeded = true): DeploymentResult {
    const { steps, changes, diagnostics, failed } = this.report;
    const { project, stack, state } = this.#context;
    const urn = this.urnOf({ type: rootStackType, name: `${project}-${stack}` });
    const row = this.find(urn) ?? state.live(urn);
    return {
      succeeded: programSucceeded && !failed,
      steps,
      changes,
      outputs: row?.outputs ?? {},
      diagnostics,
      durationMs: Date.now() - this.#started,
      ...(this.#canceled && { canceled: true as const }),
    };
  }

  /** Closes the plugins, but not the store. */
  close(): Promise<void> {
    return this.#context.plugins.close();
  }

  get #stopping(): boolean {
    const { dryRun, continueOnError = false } = this.#options;
    return this.#canceled || (this.report.failed && !dryRun && !continueOnError);
  }

  async #idle(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.allSettled([...this.#inProgress.values()]);
  }

  async #register(goal: Goal, urn: string): Promise<Registered> {
    const provider = await this.#pluginReference(goal);
    if (provider === 'broken') return this.#notMade(urn, 'skipped');
    await this.#generator.turn();
    this.#generator.claim(urn, goal.parent);
    const protect = goal.protect ?? this.#registered.get(goal.parent ?? '')?.goal.protect;
    // Resources in the state were created or imported before.
    const isNew = goal.custom && this.#context.state.live(urn) === undefined;
    const importId = goal.importId ?? (isNew ? this.#options.imports?.[urn] : undefined);
    const whole: Goal = { ...goal, importId, protect, provider };
    if (this.#dependsOnBroken(whole)) return this.#notMade(urn, 'skipped');
    const plan = await this.#generator.generate(whole, urn);
    const row = await this.#executor.apply(plan);
    this.#registered.set(urn, { row, goal: whole, skippedCreate: plan.kind === 'skipped-create' });
    return registered(row);
  }

  #tracked(
    goal: { parent?: string; type: string; name: string },
    work: (urn: string) => Promise<Registered>,
  ): Promise<Registered> {
    const urn = this.urnOf(goal);
    this.report.expect([urn]);
    const attempt = this.#attempt(urn, work);
    // A second registration of a URN is refused at once; others wait for the first.
    if (!this.#inProgress.has(urn)) {
      this.#inProgress.set(urn, attempt);
      const over = () => this.#inProgress.delete(urn);
      attempt.then(over, over);
    }
    return attempt;
  }

  async #attempt(urn: string, work: (urn: string) => Promise<Registered>): Promise<Registered> {
    if (this.#stopping) throw new DeploymentCanceled();
    try {
      await this.#pace.turn();
      return await work(urn);
    } catch (error) {
      if (this.#canceled) throw new DeploymentCanceled();
      if (!(error instanceof StepFailed)) return this.refuse(urn, error);
      return this.#notMade(urn, 'failed');
    }
  }

  #notMade(urn: string, result: 'failed' | 'skipped'): Registered {
    this.#broken.add(urn);
    return { urn, outputs: {}, result };
  }

  #dependsOnBroken(resource: Goal | ResourceState): boolean {
    if (this.#broken.size === 0) return false;
    return [...referencedUrns(resource)].some((urn) => this.#broken.has(urn));
  }

  /** The plugin resource of a resource; the package's default one is registered when first needed. */
  async #pluginReference(
    goal: Pick<Goal, 'type' | 'custom' | 'provider' | 'version'>,
  ): Promise<string | undefined> {
    const { type, custom, provider, version } = goal;
    if (!custom || isPluginType(type)) return undefined;
    if (provider?.includes('::')) return provider;
    const packageName = packageOf(type);
    // Throws here: the error belongs to the resources that need the plugin, not to a plugin resource no one wrote.
    this.#context.plugins.sourceOf(packageName);
    const config = this.#options.packageConfig?.(packageName) ?? {};
    const pluginGoal = defaultPluginGoal(packageName, version, config);
    const key = pluginGoal.type + pluginGoal.name;
    const plugin = this.#defaultPlugins.get(key) ?? this.register(pluginGoal);
    this.#defaultPlugins.set(key, plugin);
    const { urn: pluginUrn, id, result } = await plugin;
    return result === 'done' ? `${pluginUrn}::${id ?? ''}` : 'broken';
  }

  async #deleteUnregistered(): Promise<void> {
    const rows = generateDeletes(this.#context, this.#generator);
    this.report.expect(rows.map(({ urn }) => urn));
    await deleteResources(this.#context, rows, false);
  }

  async #setOutputs(row: ResourceState, outputs: PropertyMap): Promise<void> {
    if (isDeepStrictEqual(row.outputs, outputs)) return;
    row.outputs = outputs;
    await this.#context.state.record({ put: [row] });
  }

  #usesImports(): void {
    const unused = Object.keys(this.#options.imports ?? {}).filter((urn) => !this.#generator.urns.has(urn));
    if (unused.length === 0) return;
    const { message, code } = new GatehouseError('import_unused', { given: unused.join(', ') });
    this.report.diagnose('warning', message, undefined, code);
  }

  /** Reports what is to be worked on, or left out, and is neither in the state nor in the program. */
  #knowsTargets(): boolean {
    const { state, targets, excludes } = this.#context;
    const unknown = [...targets, ...excludes].filter(
      (urn) => state.live(urn) === undefined && !this.#generator.urns.has(urn),
    );
    for (const urn of unknown) {
      const option = targets.has(urn) ? '--target' : '--exclude';
      const text = urn.includes('$') ? 'target_unknown.urn' : 'target_unknown.urn_unquoted';
      this.report.error(new GatehouseError(text, { given: urn, values: { option } }));
    }
    return unknown.length === 0;
  }
}

function registered(row: ResourceState): Registered {
  return {
    urn: row.urn,
    id: row.id,
    // Outputs of a component may refer to resources that are not registered yet (pulumi/pulumi#5978).
    outputs: row.custom ? row.outputs : {},
    result: 'done',
  };
}

/**
 * Starts a few registrations in each turn of the event loop. A program registers a thousand at once, and the service
 * would be idle while all of them are checked (packages/bench/README.md).
 */
export class RegistrationPace {
  readonly #waiting: (() => void)[] = [];
  #inTurn = 0;

  /** Resolves when it is the registration's turn, in order of arrival. */
  turn(): Promise<void> {
    if (this.#inTurn === 0) setImmediate(() => this.#nextTurn());
    if (this.#inTurn < perTurn) {
      this.#inTurn++;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #nextTurn(): void {
    const next = this.#waiting.splice(0, perTurn);
    this.#inTurn = next.length;
    if (next.length > 0) setImmediate(() => this.#nextTurn());
    for (const begin of next) begin();
  }
}
