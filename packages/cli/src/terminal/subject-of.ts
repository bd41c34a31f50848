import {
  endpointToken,
  method,
  resourceOfPulumi,
  role,
  roleAt,
  type Subject,
  subjectName,
} from '@gatehouse/core/graph';
import { toCamelCase } from '@gatehouse/core/values';
import type { Step } from '@gatehouse/engine';
import { parseUrn } from '@gatehouse/engine/urn';

/** The part of a resource that names it: of a step's state, or of an exported deployment. */
export interface NamedResource {
  urn: string;
  type: string;
  /** False for a component. */
  custom?: boolean;
  parent?: string;
  id?: string;
  /** URNs. */
  dependencies?: string[];
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
}

/**
 * The part of a graph that a resource makes, by the name that reviews and explanations use.
 *
 * @param all where the auth method of an alias is looked for
 * @returns undefined for a component, a plugin, and what is none of these parts
 */
export function subjectOf(resource: NamedResource, all: readonly NamedResource[]): Subject | undefined {
  const text = (property: string) => propertyText(resource, toCamelCase(property));
  // A role with typed bound claims is written to its path.
  const own = text('namespace');
  const within = own ? { namespace: own } : {};
  if (resource.type === endpointToken) {
    const roleAtPath = roleAt(text('path') ?? '');
    return roleAtPath && { type: role.type, ...roleAtPath, ...within };
  }
  const { type, official, references = {} } = resourceOfPulumi(resource.type) ?? {};
  const name = official && text(official.name);
  if (type === undefined || name === undefined) return undefined;
  const [property, { by = 'name' } = {}] =
    Object.entries(references).find(([, { to }]) => to === method.referredAs) ?? [];
  const named = property && text(property);
  const path = by === 'accessor' ? pathOf(named, all) : named;
  return { type, name, ...(path !== undefined && { method: path }), ...within };
}

function pathOf(accessor: string | undefined, all: readonly NamedResource[]): string | undefined {
  const mount = all.find(
    (resource) =>
      resourceOfPulumi(resource.type)?.type === method.type &&
      propertyText(resource, 'accessor') === accessor,
  );
  return accessor === undefined ? undefined : mount && propertyText(mount, 'path');
}

/** A property as the service has it, or else as it was declared. */
function propertyText({ inputs, outputs }: NamedResource, field: string): string | undefined {
  const value = outputs?.[field] ?? inputs?.[field];
  return typeof value === 'string' ? value : undefined;
}

/** The resources of an exported deployment (version 3). */
export function resourcesOf(exported: unknown): NamedResource[] {
  const { deployment } = (exported ?? {}) as { deployment?: { resources?: NamedResource[] } };
  return deployment?.resources ?? [];
}

/** A resource as reviews name it (`role cluster/web`), or else by its type and name (`ServiceAccount web`). */
export function stepTitle({ urn, newState, oldState }: Pick<Step, 'urn' | 'newState' | 'oldState'>): string {
  const state = newState ?? oldState;
  const subject = state && subjectOf(state, []);
  if (subject !== undefined) return subjectName(subject);
  const { type, name } = parseUrn(urn);
  return `${shortType(type)} ${name}`;
}

/** `vault:jwt/authBackendRole:AuthBackendRole` → `AuthBackendRole`; a plugin resource keeps its package. */
function shortType(type: string): string {
  if (type.startsWith('pulumi:providers:')) return type.slice('pulumi:'.length);
  return type.slice(type.lastIndexOf(':') + 1);
}
