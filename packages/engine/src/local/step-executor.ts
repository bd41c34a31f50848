import { GatehouseError } from '@gatehouse/core/values';
import type { Step, StepOperation } from '../engine.ts';
import { type DiffResponse, PluginError } from '../plugins/plugin.ts';
import type { PropertyMap } from '../property-value.ts';
import type { PendingOperation, ResourceState } from '../resource-state.ts';
import { isPluginType } from '../urn.ts';
import { checkAdmitted, type DeploymentContext, operationsFor } from './deployment-context.ts';
import { differences, newStep } from './deployment-report.ts';
import { importResource } from './existing-resource.ts';
import type { ResourceOperations } from './plugin-session.ts';
import { mustWrite, overwrite } from './resource-row.ts';
import { markSecretOutputs } from './secret-marks.ts';
import type { StateChange } from './state-store.ts';
import type { StepPlan } from './step-generator.ts';

/** A step failed, and is reported. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

/**
 * Executes and records the steps of a registration: pulumi/pulumi `pkg/resource/deploy/step.go`, `step_executor.go`.
 */
export class StepExecutor {
  readonly #context: DeploymentContext;

  constructor(context: DeploymentContext) {
    this.#context = context;
  }

  /** @returns the row as it is afterwards */
  async apply(plan: StepPlan): Promise<ResourceState> {
    switch (plan.kind) {
      case 'same':
        return this.#same(plan.old, plan.next);
      case 'untargeted':
        return this.#untargeted(plan.old);
      case 'skipped-create':
        return this.#take('same', plan.next, {}, async () => plan.next);
      case 'create':
        return this.#create('create', plan.next, undefined, undefined);
      case 'update':
        return this.#update(plan.old, plan.next, plan.diff);
      case 'replace': {
        const row = await this.#create('create-replacement', plan.next, plan.old, plan.diff);
        this.#announceReplace(plan.old, plan.next, plan.diff);
        return row;
      }
      case 'delete-then-replace':
        await this.#deleted([plan.old, ...plan.doomed]);
        // If a resource was deleted for the sake of another, only the step of the creation says why.
        this.#announceReplace(plan.old, plan.next, plan.diff.changes === 'none' ? undefined : plan.diff);
        return this.#create('create-replacement', plan.next, plan.old, plan.diff);
      case 'import':
        return this.#import(plan.old, plan.next);
    }
  }

  #same(old: ResourceState, next: ResourceState): Promise<ResourceState> {
    return this.#take('same', next, { oldState: { ...old }, newState: old }, async () => {
      const { state, plugins } = this.#context;
      if (old.id !== undefined) next.id = old.id;
      next.outputs = markSecretOutputs(old.outputs, next.inputs, next.additionalSecretOutputs);
      // The plugin reported no difference from the old inputs, so it is configured with these.
      if (isPluginType(next.type)) await plugins.same(next.urn, next.id ?? '', old.inputs);
      if (!mustWrite(old, next)) return old;
      const referrers = this.#rename(old, next);
      overwrite(old, next);
      await state.record({ put: [old, ...referrers] });
      return old;
    });
  }

  #untargeted(old: ResourceState): Promise<ResourceState> {
    return this.#take('same', old, { oldState: { ...old }, newState: old }, async () => {
      const { plugins } = this.#context;
      if (isPluginType(old.type)) await plugins.same(old.urn, old.id ?? '', old.inputs);
      return old;
    });
  }

  #create(
    op: 'create' | 'create-replacement',
    next: ResourceState,
    old: ResourceState | undefined,
    diff: DiffResponse | undefined,
  ): Promise<ResourceState> {
    const shown = { oldState: old && { ...old }, newState: next, ...differences(diff) };
    return this.#take(op, next, shown, async () => {
      const { state, dryRun } = this.#context;
      const { pending, failure } = await this.#call('creating', next, next, async (operations) => {
        const { id, properties } = await operations.create({
          urn: next.urn,
          properties: next.inputs,
          preview: dryRun,
          timeout: 0,
        });
        if (id !== '') next.id = id;
        return properties;
      });
      next.created = next.modified = new Date().toISOString();
      await state.record({ ...this.#replaced(old, next), end: pending });
      if (failure !== undefined) throw failure;
      return next;
    });
  }

  /** The old copy is marked for deletion at the end, or removed if it is already deleted. */
  #replaced(old: ResourceState | undefined, next: ResourceState): StateChange {
    if (old === undefined) return { put: [next] };
    const referrers = this.#rename(old, next);
    if (old.pendingReplacement) return { put: [next, ...referrers], remove: [old] };
    old.delete = true;
    return { put: [next, old, ...referrers] };
  }

  #update(old: ResourceState, next: ResourceState, diff: DiffResponse): Promise<ResourceState> {
    const shown = { oldState: { ...old }, newState: next, ...differences(diff) };
    return this.#take('update', next, shown, async (step) => {
      const { state, dryRun } = this.#context;
      if (old.id !== undefined) next.id = old.id;
      // A component registers its outputs later.
      next.outputs = old.outputs;
      const { pending, failure } = await this.#call('updating', old, next, async (operations) => {
        const { properties } = await operations.update({
          urn: next.urn,
          id: old.id ?? '',
          olds: old.outputs,
          oldInputs: old.inputs,
          news: next.inputs,
          ignoreChanges: [],
          preview: dryRun,
          timeout: 0,
        });
        return properties;
      });
      if (next.custom) next.modified = new Date().toISOString();
      const referrers = this.#rename(old, next);
      overwrite(old, next);
      // From here on the row is what is applied.
      step.newState = old;
      await state.record({ put: [old, ...referrers], end: pending });
      if (failure !== undefined) throw failure;
      return old;
    });
  }

  async #deleted(rows: readonly ResourceState[]): Promise<void> {
    const results = await Promise.all(rows.map((row) => this.#context.deletions.get(row)));
    if (results.includes(false)) throw new StepFailed();
  }

  async #import(old: ResourceState | undefined, next: ResourceState): Promise<ResourceState> {
    const op = old === undefined ? 'import' : 'import-replacement';
    const row = await this.#take(op, next, { newState: next }, async (step) => {
      const { oldState, diff } = await importResource(this.#context, next);
      Object.assign(step, { oldState, ...differences(diff) });
      next.created = next.modified = new Date().toISOString();
      await this.#context.state.record(this.#replaced(old, next));
      return next;
    });
    if (old !== undefined) this.#announceReplace(old, next, undefined);
    return row;
  }

  /** Reports a replacement as a whole; its parts are separate steps. */
  #announceReplace(old: ResourceState, next: ResourceState, diff: DiffResponse | undefined): void {
    const { report } = this.#context;
    const step = newStep('replace', next, { oldState: { ...old }, newState: next, ...differences(diff) });
    report.started(step);
    report.done(step);
  }

  async #take(
    op: StepOperation,
    resource: ResourceState,
    shown: Partial<Step>,
    work: (step: Step) => Promise<ResourceState>,
  ): Promise<ResourceState> {
    const { report, stopping } = this.#context;
    if (stopping()) throw new StepFailed();
    const step = newStep(op, resource, shown);
    report.started(step);
    try {
      checkAdmitted(this.#context, step, resource);
      const row = await work(step);
      report.done(step);
      return row;
    } catch (error) {
      report.stepFailed(step, error);
      throw new StepFailed();
    }
  }

  /**
   * Calls the plugin as a pending operation on a row and fills in the outputs. `failure`: the resource is incomplete.
   */
  async #call(
    type: PendingOperation['type'],
    row: ResourceState,
    next: ResourceState,
    call: (operations: ResourceOperations) => Promise<PropertyMap>,
  ): Promise<{ pending?: PendingOperation; failure?: unknown }> {
    let pending: PendingOperation | undefined;
    let failure: unknown;
    if (next.custom) {
      const operations = await operationsFor(this.#context, next);
      if (!isPluginType(row.type)) {
        pending = { type, resource: row };
        await this.#context.state.begin(pending);
      }
      try {
        next.outputs = await call(operations);
      } catch (error) {
        failure = await this.#partial(error, next, pending);
      }
    }
    next.outputs = markSecretOutputs(next.outputs, next.inputs, next.additionalSecretOutputs);
    return { pending, failure };
  }

  /** Fills in an incomplete resource and returns its error; rethrows if nothing was created. */
  async #partial(
    error: unknown,
    next: ResourceState,
    pending: PendingOperation | undefined,
  ): Promise<unknown> {
    const partial = error instanceof PluginError ? error.partial : undefined;
    if (partial === undefined || (next.id === undefined && partial.id === '')) {
      if (pending !== undefined) await this.#context.state.record({ end: pending });
      throw error;
    }
    next.id ??= partial.id;
    next.outputs = partial.properties;
    next.initErrors = partial.reasons;
    return new GatehouseError('resource_incomplete', { values: { reason: (error as PluginError).message } });
  }

  #rename(old: ResourceState, next: ResourceState): ResourceState[] {
    return old.urn === next.urn ? [] : this.#context.state.renameReferences(old.urn, next.urn);
  }
}
