import { GatehouseError } from '../../core/model/values/errors.ts';
import type { PropertyValue } from '../property-value.ts';
import type { PendingOperation, ResourceState } from '../resource-state.ts';
import { isPluginType, packageOf, parseUrn } from '../urn.ts';
import { type DeploymentContext, operationsForOld } from './deployment-context.ts';
import { PluginSession } from './plugin-session.ts';
import { forget, readResource } from './refresh.ts';
import { overwrite } from './resource-row.ts';

/**
 * Settles what an earlier run began and was killed in, before anything new is planned. What was being
 * created is looked for on the service, so that nothing is made twice; what was being updated or deleted is
 * read again. Whatever is found half-done is marked so that the next step writes it once more.
 *
 * @throws GatehouseError `pending_create_ambiguous`, `pending_create_unresolved`
 */
export async function resolvePendingOperations(context: DeploymentContext): Promise<void> {
  for (const operation of context.state.pendingOperations) {
    const { resource, type } = operation;
    if (!resource.custom || isPluginType(resource.type)) await context.state.record({ end: operation });
    else if (type === 'creating') await resolveCreate(context, operation);
    else if (type === 'updating' || type === 'deleting') await resolveChange(context, operation);
    else await context.state.record({ end: operation });
  }
}

async function resolveCreate(context: DeploymentContext, operation: PendingOperation): Promise<void> {
  const { state, report } = context;
  const { resource } = operation;
  const [id, ...others] = await findCreated(context, resource);
  if (others.length > 0) throw ambiguous(resource, [id ?? '', ...others]);
  const found = id === undefined ? undefined : await readResource(context, { ...resource, id });
  if (found === undefined) {
    await state.record({ end: operation });
    return;
  }
  found.initErrors = ['the run that created it was interrupted'];
  found.created = found.modified = new Date().toISOString();
  report.diagnose('info', 'created by an interrupted run; now managed here', resource.urn);
  const former = state.live(resource.urn);
  const put = [found];
  const remove: ResourceState[] = [];
  if (former?.pendingReplacement) remove.push(former);
  else if (former !== undefined) {
    former.delete = true;
    put.push(former);
  }
  await state.record({ put, remove, end: operation });
  state.rebase([...state.resources.filter((row) => !remove.includes(row)), found]);
}

/** Ids of what the interrupted run may have created: found by the plugin, and not in state otherwise. */
async function findCreated(context: DeploymentContext, resource: ResourceState): Promise<string[]> {
  const { state } = context;
  const operations = await operationsForOld(context, resource);
  if (!(operations instanceof PluginSession)) return [];
  let ids: PropertyValue | undefined;
  try {
    const { result, failures } = await operations.invoke(
      `${packageOf(resource.type)}:gatehouse:findCreated`,
      {
        type: resource.type,
        properties: resource.inputs,
      },
    );
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join('; '));
    ids = result['ids'];
  } catch (cause) {
    throw unresolved(resource, cause);
  }
  if (!Array.isArray(ids)) throw unresolved(resource, undefined);
  const known = new Set(
    state.resources
      .filter((row) => row.type === resource.type && !row.pendingReplacement)
      .map((row) => row.id),
  );
  return ids.filter((id): id is string => typeof id === 'string' && !known.has(id));
}

async function resolveChange(context: DeploymentContext, operation: PendingOperation): Promise<void> {
  const { state } = context;
  const { urn, id } = operation.resource;
  const row = state.resources.find((candidate) => candidate.urn === urn && candidate.id === id);
  if (row === undefined || row.pendingReplacement) {
    await state.record({ end: operation });
    return;
  }
  const found = await readResource(context, row);
  if (found === undefined) {
    await state.record({ end: operation });
    await forget(context, [row]);
    return;
  }
  // What cannot be read back, a client secret for one, may have changed as well: it is written again.
  if (operation.type === 'updating') found.initErrors = ['the run that updated it was interrupted'];
  overwrite(row, found);
  await state.record({ put: [row], end: operation });
}

function ambiguous(resource: ResourceState, ids: string[]): GatehouseError {
  return new GatehouseError({
    code: 'pending_create_ambiguous',
    what: 'an earlier run was interrupted while creating this resource, and several resources on the service match it',
    given: ids.join(', '),
    fix: `Delete all but at most one of them on the service, then run \`gatehouse up\` again.`,
    where: resource.urn,
  });
}

function unresolved(resource: ResourceState, cause: unknown): GatehouseError {
  const { name } = parseUrn(resource.urn);
  return new GatehouseError({
    code: 'pending_create_unresolved',
    what: 'an earlier run was interrupted while creating this resource, and Gatehouse could not find out whether it exists',
    ...(cause instanceof Error ? { given: cause.message } : {}),
    fix: `Look for ${name} on the service. Fix the cause below, then run \`gatehouse up\` again.`,
    where: resource.urn,
    cause,
  });
}
