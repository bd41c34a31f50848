import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { GatehouseError } from '@gatehouse/core/values';
import type { DiffResponse } from '../plugins/plugin.ts';
import type { ResourceState } from '../resource-state.ts';
import { isPluginType, qualifiedType, rootStackType } from '../urn.ts';
import { aliasUrns } from './alias-names.ts';
import { triggersReplacement, withReplaceOnChanges } from './change-options.ts';
import { deleteResources } from './deletion.ts';
import { referencedUrns } from './dependency-graph.ts';
import { type DeploymentContext, isChosen, operationsFor } from './deployment-context.ts';
import { checkError, protectedError } from './deployment-report.ts';
import type { Goal } from './goal.ts';
import { DiffUnavailable, type ResourceOperations } from './plugin-session.ts';
import { dependentReplacements, providerChanged } from './replacement.ts';
import { newRow } from './resource-row.ts';
import { mapKept } from './withheld.ts';

const noDiff: DiffResponse = { changes: 'none', replaces: [], diffs: [], deleteBeforeReplace: false };
const triggered: DiffResponse = { ...noDiff, changes: 'some' };

/**
 * Decides on the steps of each registration. Fields are named as in pulumi/pulumi
 * `pkg/resource/deploy/step_generator.go`. Pulumi handles registrations one by one; here they run concurrently, and
 * `#exclusive` separates them where needed.
 */
export class StepGenerator {
  /** URNs registered or read so far. */
  readonly urns = new Set<string>();
  /** URNs that have a step, and so are not deleted at the end. */
  readonly kept = new Set<string>();
  /** URN → properties, of resources deleted before a dependency is replaced; registering them creates them again. */
  readonly deletes = new Map<string, string[]>();
  /** Resources whose deletion is already decided. */
  readonly pendingDeletes = new Set<ResourceState>();
  /** Old URN → new URN of resources found by an alias; `#aliases` is the reverse. */
  readonly aliased = new Map<string, string>();
  readonly #aliases = new Map<string, string>();
  readonly #skippedCreates = new Set<string>();
  readonly #context: DeploymentContext;
  #exclusive: Promise<unknown> = Promise.resolve();

  constructor(context: DeploymentContext) {
    this.#context = context;
  }

  /** Waits while `#exclusively` runs. Every registration must begin with it. */
  async turn(): Promise<void> {
    for (let current: unknown; current !== this.#exclusive; ) {
      current = this.#exclusive;
      await this.#exclusive;
    }
  }

  /** Claims a URN. @throws GatehouseError `urn_duplicate`, `parent_unknown` */
  claim(urn: string, parent: string | undefined): void {
    if (parent !== undefined && parent !== '' && !this.urns.has(parent)) {
      throw new GatehouseError('parent_unknown', { given: parent });
    }
    if (this.urns.has(urn)) {
      throw new GatehouseError('urn_duplicate');
    }
    this.urns.add(urn);
  }

  async generate(goal: Goal, urn: string): Promise<StepPlan> {
    const old = this.#findOld(goal, urn);
    const wasDeleted = this.deletes.get(urn);
    // Pulumi records deletions by the new URN, so an aliased resource is still compared: wait until it is deleted.
    if (old !== undefined && old.urn !== urn) await this.#context.deletions.get(old);
    const oldInputs = old?.inputs ?? {};
    // The settings of a plugin say where it connects, so values of the last deployment must not replace them.
    const keeps = this.#context.dryRun && !isPluginType(goal.type);
    const inputs = keeps ? mapKept(goal.inputs, oldInputs) : goal.inputs;
    const next = plannedRow(urn, goal, inputs, old);
    const implicit = isPluginType(goal.type) || qualifiedType(urn) === rootStackType;
    const targeted = implicit || isChosen(this.#context, urn);
    if (targeted) this.#refuseUntargetedDependencies(next);

    if (isImport(goal, old)) {
      this.kept.add(urn);
      next.id = goal.importId as string;
      next.importId = goal.importId as string;
      const replaced = wasDeleted === undefined ? old : undefined;
      return { kind: 'import', old: replaced, next };
    }

    const operations = goal.custom ? await operationsFor(this.#context, next) : undefined;
    const fresh = old === undefined || wasDeleted !== undefined;
    if (!targeted) next.inputs = oldInputs;
    else if (operations !== undefined) {
      next.inputs = await check(operations, urn, fresh ? {} : oldInputs, inputs);
    }

    if (wasDeleted !== undefined && old !== undefined) {
      this.deletes.delete(old.urn);
      this.kept.add(urn);
      const diff = { ...noDiff, replaces: wasDeleted };
      return { kind: 'delete-then-replace', old, next, diff, doomed: [] };
    }
    if (old !== undefined) {
      this.kept.add(urn);
      if (!targeted) {
        this.keepWithDependencies(old);
        return { kind: 'untargeted', old };
      }
      return this.#compare(goal, old, next, operations);
    }
    this.kept.add(urn);
    if (targeted) return { kind: 'create', next };
    this.#skippedCreates.add(urn);
    return { kind: 'skipped-create', next };
  }

  #findOld(goal: Goal, urn: string): ResourceState | undefined {
    const { state, project, stack } = this.#context;
    const taken = this.aliased.get(urn);
    if (taken !== undefined) throw aliasTaken(urn, taken);
    const live = state.live(urn);
    if (live !== undefined) return live;
    const scope = { project, stack, formerUrn: (known: string) => this.#aliases.get(known) };
    for (const alias of aliasUrns(goal, scope)) {
      const old = state.live(alias);
      if (old === undefined) continue;
      if (alias === urn) return old;
      if (this.urns.has(alias)) throw aliasTaken(alias, alias);
      const other = this.aliased.get(alias);
      if (other !== undefined) throw aliasTaken(alias, other);
      this.aliased.set(alias, urn);
      this.#aliases.set(urn, alias);
      return old;
    }
    return undefined;
  }

  async #compare(
    goal: Goal,
    old: ResourceState,
    next: ResourceState,
    operations: ResourceOperations | undefined,
  ): Promise<StepPlan> {
    const hasInitErrors = old.initErrors.length > 0;
    const isTriggered = triggersReplacement(old.replacementTrigger, next.replacementTrigger);
    // The plugin is not asked: it may not know the old state's type.
    const pluginDiff = isTriggered ? triggered : await this.#diff(old, next, operations);
    const diff = withReplaceOnChanges(pluginDiff, goal.replaceOnChanges, hasInitErrors);
    if (isTriggered || diff.replaces.length > 0 || old.pendingReplacement) {
      return this.#replace(goal, old, next, diff, operations);
    }
    if (diff.changes === 'some') return { kind: 'update', old, next, diff };
    // An incomplete resource is updated without a change: the plugin gets another try.
    if (hasInitErrors) return { kind: 'update', old, next, diff: { ...diff, diffs: [] } };
    return { kind: 'same', old, next };
  }

  async #diff(
    old: ResourceState,
    next: ResourceState,
    operations: ResourceOperations | undefined,
  ): Promise<DiffResponse> {
    const { report } = this.#context;
    if (await providerChanged(this.#context, this.aliased, old, next)) {
      return { ...noDiff, changes: 'some', replaces: ['provider'] };
    }
    if (operations === undefined) {
      return isDeepStrictEqual(old.inputs, next.inputs) ? noDiff : { ...noDiff, changes: 'some' };
    }
    try {
      return await operations.diff({
        urn: next.urn,
        id: old.id ?? '',
        olds: old.outputs,
        oldInputs: old.inputs,
        news: next.inputs,
        ignoreChanges: [],
      });
    } catch (error) {
      if (!(error instanceof DiffUnavailable)) throw error;
      report.diagnose('warning', error.message, next.urn);
      return { ...noDiff, changes: 'some' };
    }
  }

  async #replace(
    goal: Goal,
    old: ResourceState,
    next: ResourceState,
    diff: DiffResponse,
    operations: ResourceOperations | undefined,
  ): Promise<StepPlan> {
    const { report, dryRun } = this.#context;
    // A preview goes on, to report everything at once.
    if (next.protect && old.protect) {
      const refusal = protectedError(next.urn, 'this change replaces it');
      if (!dryRun) throw refusal;
      report.error(refusal, next.urn);
    }
    if (goal.importId !== undefined) {
      const refusal = new GatehouseError('import_replaced');
      if (!dryRun) throw refusal;
      report.diagnose('warning', refusal.message, next.urn, refusal.code);
    }
    // Defaults carried over from the old resource must not reach the new one.
    if (operations !== undefined) {
      next.inputs = await check(operations, next.urn, {}, goal.inputs, old);
    }
    const deleteFirst = goal.deleteBeforeReplace ?? diff.deleteBeforeReplace;
    if (!deleteFirst && !old.pendingReplacement) return { kind: 'replace', old, next, diff };
    if (!deleteFirst) return { kind: 'delete-then-replace', old, next, diff, doomed: [] };
    const doomed = await this.#exclusively(() => this.#doom(old, next.urn));
    return { kind: 'delete-then-replace', old, next, diff, doomed };
  }

  /** Marks `old`, and the dependents that must be deleted before it, for deletion. */
  async #doom(old: ResourceState, urn: string): Promise<ResourceState[]> {
    // A resource found by an alias keeps its old URN until its own step is done.
    const isDecided = (known: string) =>
      this.urns.has(this.aliased.get(known) ?? known) || this.deletes.has(known);
    const dependents = await dependentReplacements(this.#context, old, isDecided);
    const condemned = dependents.filter(({ resource }) => !this.pendingDeletes.has(resource));
    const kept = condemned.find(({ resource }) => resource.protect && !resource.delete);
    if (kept !== undefined) {
      throw protectedError(kept.resource.urn, `it must be replaced because ${urn} is replaced`);
    }
    const doomed: ResourceState[] = [];
    for (const { resource, keys } of condemned) {
      this.deletes.set(resource.urn, keys);
      this.pendingDeletes.add(resource);
      doomed.push(resource);
    }
    if (!old.pendingReplacement && !this.pendingDeletes.has(old)) {
      this.pendingDeletes.add(old);
      doomed.push(old);
    }
    // Each replacement waits for it in its own step.
    void deleteResources(this.#context, doomed, true);
    return doomed;
  }

  /** While it runs, no registration begins, so none can register a resource that is about to be marked. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#exclusive.then(work);
    this.#exclusive = result.catch(() => {});
    return result;
  }

  /** Keeps an untargeted resource and its dependencies, even if the program no longer has those. */
  keepWithDependencies(old: ResourceState): void {
    const { state } = this.#context;
    const queue = [old];
    for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
      this.kept.add(row.urn);
      this.urns.add(row.urn);
      for (const urn of referencedUrns(row)) {
        const dependency = state.live(urn);
        if (dependency !== undefined && !this.kept.has(urn)) queue.push(dependency);
      }
    }
  }

  #refuseUntargetedDependencies(resource: ResourceState): void {
    const { report, dryRun, excludes } = this.#context;
    if (this.#skippedCreates.size === 0) return;
    for (const urn of referencedUrns(resource)) {
      if (!this.#skippedCreates.has(urn)) continue;
      const error = excludes.has(urn)
        ? new GatehouseError('target_incomplete.excluded', { given: urn })
        : new GatehouseError('target_incomplete', { given: urn, values: { urn } });
      if (!dryRun) throw error;
      report.error(error, resource.urn);
      this.#skippedCreates.delete(urn);
    }
  }
}

/** The row of a resource as its goal says, with what the last deployment keeps for it. */
function plannedRow(
  urn: string,
  goal: Goal,
  inputs: ResourceState['inputs'],
  old: ResourceState | undefined,
): ResourceState {
  return newRow(urn, goal, {
    custom: goal.custom,
    inputs,
    protect: goal.protect ?? false,
    propertyDependencies: goal.propertyDependencies,
    importId: goal.importId === undefined ? undefined : old?.importId,
    replaceOnChanges: goal.replaceOnChanges,
    replacementTrigger: goal.replacementTrigger,
    created: old?.created,
    modified: old?.modified,
  });
}

/** @param replaced the resource that this one replaces, so that a drawn name differs from its name */
async function check(
  operations: ResourceOperations,
  urn: string,
  olds: ResourceState['inputs'],
  news: ResourceState['inputs'],
  replaced?: ResourceState,
): Promise<ResourceState['inputs']> {
  // Not random: a plan and its `up` must draw the same name.
  const drawnFrom = JSON.stringify([urn, replaced?.id, replaced?.created]);
  const randomSeed = createHash('sha256').update(drawnFrom).digest();
  const { inputs, failures } = await operations.check({ urn, olds, news, randomSeed });
  if (failures.length > 0) throw checkError(failures);
  return inputs;
}

function aliasTaken(alias: string, by: string): GatehouseError {
  return new GatehouseError('alias_duplicate', {
    given: alias === by ? alias : `${alias}, also claimed by ${by}`,
  });
}

function isImport(goal: Goal, old: ResourceState | undefined): boolean {
  if (!goal.custom || goal.importId === undefined) return false;
  return old === undefined || (old.importId ?? old.id) !== goal.importId;
}

/** The plan of a registration. `next` is the resource as it will be; `old` as the last deployment left it. */
export type StepPlan =
  | { kind: 'same'; old: ResourceState; next: ResourceState }
  /** Not a target: left as it is. */
  | { kind: 'untargeted'; old: ResourceState }
  /** Would be created, but is not a target. */
  | { kind: 'skipped-create'; next: ResourceState }
  | { kind: 'create'; next: ResourceState }
  | { kind: 'update'; old: ResourceState; next: ResourceState; diff: DiffResponse }
  /** Create the new one now, delete the old one at the end. */
  | { kind: 'replace'; old: ResourceState; next: ResourceState; diff: DiffResponse }
  /** Delete `doomed` first (the old one and its dependents, unless already deleted), then create. */
  | {
      kind: 'delete-then-replace';
      old: ResourceState;
      next: ResourceState;
      diff: DiffResponse;
      doomed: ResourceState[];
    }
  /** Import an existing resource; `old` has its URN and is deleted at the end. */
  | { kind: 'import'; old: ResourceState | undefined; next: ResourceState };
