import type { Difference } from '../core/model/state-difference.ts';
import type { Subject } from '../core/model/subject.ts';
import type { Engine } from '../engine/engine.ts';
import { type ApprovedRequest, type OperationResult, type Sink, up } from './deployment.ts';
import type { DriftReport } from './drift.ts';

export interface DriftFix {
  /** What came of it; undefined where there was nothing to apply. */
  result: OperationResult | undefined;
  /** What the stack's state does not know: `up` makes it. */
  unknown: Subject[];
}

/**
 * Applies just what differs: an `up` of those resources, read from the service first.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export async function fixDrift(
  { differences }: DriftReport,
  request: Pick<ApprovedRequest, 'stack' | 'approval'>,
  engine: Engine,
  sink: Sink,
): Promise<DriftFix> {
  const { targets, unknown } = driftTargets(differences, await engine.exportState(request.stack));
  // Without targets, `up` would apply everything.
  if (targets.length === 0) return { result: undefined, unknown };
  return { result: await up({ ...request, refresh: true, targets }, engine, sink), unknown };
}

/** What is needed of a resource in a Pulumi deployment (version 3). */
interface Resource {
  urn: string;
  type: string;
  outputs?: Record<string, unknown>;
}

/**
 * The URNs of what differs, from a stack's exported state.
 *
 * @returns besides, what the state does not know: it was never applied, or by somebody else.
 */
export function driftTargets(
  differences: Difference[],
  exported: unknown,
): { targets: string[]; unknown: Subject[] } {
  const resources = resourcesOf(exported);
  const targets = new Set<string>();
  const unknown: Subject[] = [];
  for (const { subject, isLeft } of differences) {
    if (isLeft) continue;
    const found = resources.find((resource) => isOf(resource, subject, resources));
    if (found === undefined) unknown.push(subject);
    else targets.add(found.urn);
  }
  return { targets: [...targets], unknown };
}

function resourcesOf(exported: unknown): Resource[] {
  const { deployment } = (exported ?? {}) as { deployment?: { resources?: Resource[] } };
  return deployment?.resources ?? [];
}

function isOf(
  { type, outputs = {} }: Resource,
  { type: part, name, method }: Subject,
  all: Resource[],
): boolean {
  const is = (field: string, wanted: unknown) =>
    String(outputs[field]).toLowerCase() === String(wanted).toLowerCase();
  switch (part) {
    case 'method':
      return type === types.method && is('path', name);
    case 'role':
      return (
        (type === types.role && is('backend', method) && is('roleName', name)) ||
        (type === types.endpoint && is('path', `auth/${method}/role/${name}`))
      );
    case 'group':
      return type === types.group && is('name', name);
    case 'alias': {
      const mount = all.find((one) => one.type === types.method && one.outputs?.['path'] === method);
      return type === types.alias && is('name', name) && is('mountAccessor', mount?.outputs?.['accessor']);
    }
    case 'policy':
      return type === types.policy && is('name', name);
    case 'message':
      return type === types.message && outputs['title'] === name;
    // Never declared, so no stack has made it.
    case 'service':
    case 'entity':
    case 'other':
    case 'promise':
      return false;
  }
}

const types = {
  method: 'vault:jwt/authBackend:AuthBackend',
  role: 'vault:jwt/authBackendRole:AuthBackendRole',
  endpoint: 'vault:generic/endpoint:Endpoint',
  group: 'vault:identity/group:Group',
  alias: 'vault:identity/groupAlias:GroupAlias',
  policy: 'vault:index/policy:Policy',
  message: 'vault:config/uiCustomMessage:UiCustomMessage',
};
