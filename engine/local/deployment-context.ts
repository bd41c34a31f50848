import type { ResourceState } from '../resource-state.ts';
import { isPluginType } from '../urn.ts';
import type { DeploymentReport } from './deployment-report.ts';
import type { DeploymentState } from './deployment-state.ts';
import type { PluginRegistry } from './plugin-registry.ts';
import type { ResourceOperations } from './plugin-session.ts';

/** What every part of one deployment works with. */
export interface DeploymentContext {
  project: string;
  /** The stack's name. */
  stack: string;
  /** Work out what would happen; change nothing and record nothing. */
  dryRun: boolean;
  /** URNs to restrict the work to; empty means all. */
  targets: ReadonlySet<string>;
  state: DeploymentState;
  plugins: PluginRegistry;
  report: DeploymentReport;
  /**
   * Whether the registration of a resource of the last deployment, under its old URN, ends well; undefined when
   * none is under way.
   */
  underWay(oldUrn: string): Promise<boolean> | undefined;
  /** Deletions under way or over: whether each has been done. */
  deletions: Map<ResourceState, Promise<boolean>>;
  /** True once no new step may be started. */
  cancelled(): boolean;
}

/** What works a resource of this deployment's program. */
export async function operationsFor(
  { plugins }: DeploymentContext,
  resource: ResourceState,
): Promise<ResourceOperations> {
  return isPluginType(resource.type) ? plugins : plugins.session(resource.provider ?? '');
}

/** The same for a resource of the last deployment, whose plugin may not have been registered by the program. */
export async function operationsForOld(
  { plugins, state }: DeploymentContext,
  resource: ResourceState,
): Promise<ResourceOperations> {
  if (isPluginType(resource.type)) return plugins;
  return plugins.ensure(resource.provider ?? '', (urn, id) =>
    state.resources.find((row) => row.urn === urn && row.id === id),
  );
}
