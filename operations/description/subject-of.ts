import type { Subject } from '../../core/model/subject.ts';
import { knownType, terraformName } from '../../core/review/plan/resource-types.ts';

/** What names a resource, of a step's state or of an exported deployment. */
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
 * The part of a state that a resource makes, by the name that reviews and explanations use.
 *
 * @param all where the auth method of an alias is looked for
 * @returns undefined for a component, a plugin, and what is none of these parts
 */
export function subjectOf(resource: NamedResource, all: readonly NamedResource[]): Subject | undefined {
  const text = (field: string) => textOf(resource, field);
  const named = (type: Subject['type'], name: string | undefined, method?: string): Subject | undefined =>
    name === undefined ? undefined : { type, name, ...(method !== undefined && { method }) };
  switch (knownType(terraformName(resource.type))?.type) {
    case 'method':
      return named('method', text('path'));
    case 'role':
      return named('role', text('roleName'), text('backend'));
    case 'endpoint': {
      const [, method, name] = /^auth\/(.+)\/role\/([^/]+)$/.exec(text('path') ?? '') ?? [];
      return named('role', name, method);
    }
    case 'group':
      return named('group', text('name'));
    case 'alias':
      return named('alias', text('name'), pathOf(text('mountAccessor'), all));
    case 'policy':
      return named('policy', text('name'));
    case 'message':
      return named('message', text('title'));
    default:
      return undefined;
  }
}

function pathOf(accessor: string | undefined, all: readonly NamedResource[]): string | undefined {
  if (accessor === undefined) return undefined;
  const mount = all.find(
    (one) => one.type === 'vault:jwt/authBackend:AuthBackend' && textOf(one, 'accessor') === accessor,
  );
  return mount && textOf(mount, 'path');
}

/** What the service says of it, or else what is asked for. */
function textOf({ inputs, outputs }: NamedResource, field: string): string | undefined {
  const value = outputs?.[field] ?? inputs?.[field];
  return typeof value === 'string' ? value : undefined;
}

/** The resources of an exported deployment (version 3). */
export function resourcesOf(exported: unknown): NamedResource[] {
  const { deployment } = (exported ?? {}) as { deployment?: { resources?: NamedResource[] } };
  return deployment?.resources ?? [];
}
