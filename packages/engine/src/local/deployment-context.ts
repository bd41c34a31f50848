import { GatehouseError } from '@gatehouse/core/values';
import type { Step } from '../engine.ts';
import type { ResourceState } from '../resource-state.ts';
import { isDefaultPlugin, isPluginType } from '../urn.ts';
import type { DeploymentReport } from './deployment-report.ts';
import type { DeploymentState } from './deployment-state.ts';
import type { PluginRegistry } from './plugin-registry.ts';
import type { ResourceOperations } from './plugin-session.ts';

/** Shared by all parts of one deployment. */
export interface DeploymentContext {
  project: string;
  /** The stack's name. */
  stack: string;
  /** Only plan: change nothing and record nothing. */
  dryRun: boolean;
  /** URNs to restrict the work to; empty means all. */
  targets: ReadonlySet<string>;
  /** URNs to leave as they are. */
  excludes: ReadonlySet<string>;
  state: DeploymentState;
  plugins: PluginRegistry;
  report: DeploymentReport;
  /** Whether the registration in progress for an old URN succeeds; undefined if there is none. */
  inProgress(oldUrn: string): Promise<boolean> | undefined;
  /** Deletions in progress or finished: whether each succeeded. */
  deletions: Map<ResourceState, Promise<boolean>>;
  /** True once no new step may be started. */
  stopping(): boolean;
  /** Whether the reviewed plan has a step that is not made yet. Undefined without such a plan: it admits all. */
  admits: ((step: Step) => boolean) | undefined;
}

/**
 * Asked before each step that would change the service. Components, reads, imports and what only leaves the state need no
 * admission.
 *
 * @throws GatehouseError `step_unplanned` for one that the reviewed plan does not have
 */
export function checkAdmitted({ dryRun, admits }: DeploymentContext, step: Step, row: ResourceState): void {
  const isWrite = ['create', 'create-replacement', 'update', 'delete', 'delete-replaced'].includes(step.op);
  if (dryRun || !isWrite || !row.custom || isDefaultPlugin(row.urn) || admits === undefined || admits(step))
    return;
  throw new GatehouseError('step_unplanned', { values: { op: step.op } });
}

/** Whether the work is on this resource, too. */
export function isChosen({ targets, excludes }: DeploymentContext, urn: string): boolean {
  return (targets.size === 0 || targets.has(urn)) && !excludes.has(urn);
}

/** The operations of a resource's plugin. For a resource of the last deployment, the program may not have registered it. */
export async function operationsFor(
  { plugins, state }: DeploymentContext,
  { type, provider = '' }: ResourceState,
): Promise<ResourceOperations> {
  if (isPluginType(type)) return plugins;
  const find = (urn: string, id: string) => state.resources.find((row) => row.urn === urn && row.id === id);
  return plugins.session(provider, find);
}
