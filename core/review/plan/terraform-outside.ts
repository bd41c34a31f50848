import { isObject } from '../../model/values/json.ts';
import { shown } from './hidden-values.ts';
import type { Fields, PlannedResource } from './planned-resource.ts';
import { knownType } from './resource-types.ts';
import type { TerraformPlan, TerraformResourceChange } from './terraform-plan.ts';
import type { TerraformServers } from './terraform-servers.ts';

/** What the state before a plan tells beside the plan's own resources. */
export interface Outside {
  /** Read by data sources: mounts, groups, entities and policies that are managed elsewhere. */
  read: PlannedResource[];
  /** Managed here, as entries of a plan that change nothing. */
  managed: TerraformResourceChange[];
}

export function resourcesOutside({ prior_state }: TerraformPlan, servers: TerraformServers): Outside {
  const outside: Outside = { read: [], managed: [] };
  const pending: unknown[] = [prior_state?.values?.root_module];
  while (pending.length > 0) {
    const module = pending.pop();
    if (!isObject(module)) continue;
    if (Array.isArray(module['child_modules'])) pending.push(...module['child_modules']);
    const resources = Array.isArray(module['resources']) ? module['resources'] : [];
    for (const resource of resources.filter(isObject)) {
      const { address, type, mode, values, sensitive_values: sensitive } = resource;
      if (typeof type !== 'string' || !isObject(values)) continue;
      if (mode === 'data') {
        const at = typeof address === 'string' ? address : `data.${type}`;
        outside.read.push(...readData(type, at, values, servers));
      } else if (typeof address === 'string' && resource['deposed_key'] === undefined && knownType(type)) {
        const change = { actions: ['no-op'], before: values, after: values, before_sensitive: sensitive };
        outside.managed.push({ address, mode: 'managed', type, change });
      }
    }
  }
  return outside;
}

function readData(type: string, address: string, values: Fields, servers: TerraformServers) {
  const made = (of: PlannedResource['type'], given: Fields): PlannedResource => {
    const { server, namespace } = servers.of(address);
    const fields = shown({ namespace: values['namespace'], ...given });
    const side = { server, namespace, fields, unknown: [], references: {} };
    return { address, type: of, of: 'data source', before: side, after: side, changes: false, rotated: [] };
  };
  const { path, policies, metadata } = values;
  switch (type) {
    case 'vault_auth_backend':
      return [made('backend', { accessor: values['accessor'], path, type: values['type'] })];
    case 'vault_auth_backends': {
      const [paths, accessors] = [listOf(values['paths']), listOf(values['accessors'])];
      return paths.length !== accessors.length
        ? []
        : paths.map((one, index) => made('backend', { accessor: accessors[index], path: one }));
    }
    case 'vault_identity_group': {
      const [id, name] = [values['group_id'] ?? values['id'], values['group_name'] ?? values['name']];
      const { member_entity_ids, member_group_ids } = values;
      const members = { member_entity_ids, member_group_ids };
      return [made('group', { id, name, type: values['type'], policies, metadata, ...members })];
    }
    case 'vault_identity_entity': {
      const [id, name] = [values['entity_id'] ?? values['id'], values['entity_name'] ?? values['name']];
      return [made('entity', { id, name, policies, metadata, disabled: values['disabled'] })];
    }
    case 'vault_generic_secret': {
      const [, name] = /^\/*sys\/polic(?:y|ies\/acl)\/([^/]+)$/.exec(String(path)) ?? [];
      const data = isObject(values['data']) ? values['data'] : {};
      const text = data['policy'] ?? data['rules'];
      return name === undefined || typeof text !== 'string' ? [] : [made('policy', { name, policy: text })];
    }
    default:
      return [];
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
