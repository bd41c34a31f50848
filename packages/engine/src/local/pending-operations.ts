import { GatehouseError } from '@gatehouse/core/values';
import type { PendingOperation, ResourceState } from '../resource-state.ts';
import { isPluginType, parseUrn } from '../urn.ts';
import { type DeploymentContext, operationsFor } from './deployment-context.ts';
import { PluginSession } from './plugin-session.ts';
import { forget, interrupted, readResource } from './refresh.ts';
import { overwrite } from './resource-row.ts';

/**
 * Settles the operations that an interrupted run left pending. Creates are looked up on the service, so that nothing is
 * created twice; updates and deletes are read again. Whatever may be incomplete is marked, so the next step writes it.
 *
 * @throws GatehouseError `pending_create_ambiguous`, `pending_create_unresolved`
 */
export async function resolvePendingOperations(context: DeploymentContext): Promise<void> {
  for (const operation of context.state.pendingOperations) {
    const { resource, type } = operation;
    const isReal = resource.custom && !isPluginType(resource.type);
    if (isReal && type === 'creating') await resolveCreate(context, operation);
    else if (isReal && (type === 'updating' || type === 'deleting')) await resolveChange(context, operation);
    else await context.state.record({ end: operation });
  }
}

async function resolveCreate(context: DeploymentContext, operation: PendingOperation): Promise<void> {
  const { state, report } = context;
  const { resource } = operation;
  const [id, ...rest] = await findCreated(context, resource);
  if (rest.length > 0) throw ambiguous(resource, [id ?? '', ...rest]);
  const created = id === undefined ? undefined : await readResource(context, { ...resource, id });
  if (created === undefined) {
    await state.record({ end: operation });
    return;
  }
  created.initErrors = [interrupted.create];
  created.created = created.modified = new Date().toISOString();
  report.diagnose('info', 'created by an interrupted run; now managed here', resource.urn);
  const former = state.live(resource.urn);
  const put = [created];
  const remove: ResourceState[] = [];
  if (former?.pendingReplacement) remove.push(former);
  else if (former !== undefined) {
    former.delete = true;
    put.push(former);
  }
  await state.record({ put, remove, end: operation });
  state.rebase([...state.resources.filter((row) => !remove.includes(row)), created]);
}

/** Ids that the interrupted run may have created: the plugin finds them and they are not in state. */
async function findCreated(context: DeploymentContext, resource: ResourceState): Promise<string[]> {
  const { state } = context;
  const operations = await operationsFor(context, resource);
  if (!(operations instanceof PluginSession)) return [];
  const known = new Set(
    state.resources
      .filter((row) => row.type === resource.type && !row.pendingReplacement)
      .map((row) => row.id),
  );
  try {
    const ids = await operations.findCreated({ urn: resource.urn, properties: resource.inputs });
    return ids.filter((id) => !known.has(id));
  } catch (cause) {
    throw unresolved(resource, cause);
  }
}

async function resolveChange(context: DeploymentContext, operation: PendingOperation): Promise<void> {
  const { state } = context;
  const { urn, id } = operation.resource;
  const row = state.resources.find((candidate) => candidate.urn === urn && candidate.id === id);
  if (row === undefined || row.pendingReplacement) {
    await state.record({ end: operation });
    return;
  }
  const live = await readResource(context, row);
  if (live === undefined) {
    await state.record({ end: operation });
    await forget(context, [row]);
    return;
  }
  if (operation.type === 'updating') live.initErrors = [interrupted.update];
  overwrite(row, live);
  await state.record({ put: [row], end: operation });
}

function ambiguous(resource: ResourceState, ids: string[]): GatehouseError {
  return new GatehouseError('pending_create_ambiguous', { given: ids.join(', '), where: resource.urn });
}

function unresolved(resource: ResourceState, cause: unknown): GatehouseError {
  const { name } = parseUrn(resource.urn);
  return new GatehouseError('pending_create_unresolved', {
    given: cause instanceof Error ? cause.message : undefined,
    where: resource.urn,
    cause,
    values: { name },
  });
}
