import type { Step } from '../../engine/engine.ts';
import type { PropertyMap } from '../../engine/property-value.ts';
import { parseUrn } from '../../engine/urn.ts';
import type { ServiceIds } from './read-ids.ts';

/** What `pulumi import --file` takes (pulumi/pulumi `pkg/cmd/pulumi/import.go`, `importFile`). */
export interface ImportFile {
  /** Names by which resources of the file refer to those that are not in it. Empty: all are. */
  nameTable: Record<string, string>;
  resources: ImportedResource[];
}

export interface ImportedResource {
  type: string;
  name: string;
  /** Absent for a component. */
  id?: string;
  component?: true;
  /** Name of the parent in the file; absent for the stack. */
  parent?: string;
}

/** Names what a program would create, with the ids of what is there already, parents first. */
export function importFile(planned: Step[], ids: ServiceIds): ImportFile {
  const created = planned.filter(({ op, type }) => op === 'create' && !isEngines(type));
  const groups = new Map<string, PropertyMap>();
  for (const { urn, newState } of created) if (newState) groups.set(urn, newState.inputs);
  const resources = created.flatMap(({ urn, type, newState }): ImportedResource[] => {
    if (newState === undefined) return [];
    const { name } = parseUrn(urn);
    const above = newState.parent === undefined ? undefined : parseUrn(newState.parent);
    const parent = above === undefined || above.type === 'pulumi:pulumi:Stack' ? {} : { parent: above.name };
    if (!newState.custom) return [{ type, name, component: true, ...parent }];
    const id = idOf(type, newState, groups, ids);
    return id === undefined ? [] : [{ type, name, id, ...parent }];
  });
  return { nameTable: {}, resources };
}

function idOf(
  type: string,
  { inputs, propertyDependencies }: NonNullable<Step['newState']>,
  groups: Map<string, PropertyMap>,
  ids: ServiceIds,
): string | undefined {
  const text = (name: string) => String(inputs[name]);
  switch (type) {
    case 'vault:jwt/authBackend:AuthBackend':
      return text('path');
    case 'vault:jwt/authBackendRole:AuthBackendRole': {
      const [mount] = propertyDependencies['backend'] ?? [];
      const path =
        typeof inputs['backend'] === 'string' ? inputs['backend'] : groups.get(mount ?? '')?.['path'];
      return `auth/${path}/role/${text('roleName')}`;
    }
    case 'vault:identity/group:Group':
      return ids.groups.get(text('name'));
    case 'vault:identity/groupAlias:GroupAlias': {
      const [group] = propertyDependencies['canonicalId'] ?? [];
      return ids.aliases.get(String(groups.get(group ?? '')?.['name']));
    }
    case 'vault:index/policy:Policy':
      return text('name');
    case 'vault:config/uiCustomMessage:UiCustomMessage':
      return ids.messages.get(text('title'));
    default:
      return undefined;
  }
}

function isEngines(type: string): boolean {
  return type.startsWith('pulumi:');
}
