import { dataSources } from '../../model/resources/data-sources.ts';
import { isObject } from '../../model/values/json.ts';
import { shown } from './hidden-values.ts';
import type { Fields, PlannedResource } from './planned-resource.ts';
import { knownType } from './resource-types.ts';
import type { TerraformPlan, TerraformResourceChange } from './terraform-plan.ts';
import type { TerraformServers } from './terraform-servers.ts';

/** What the state before a plan tells in addition to the plan's own resources. */
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
  const found = Object.hasOwn(dataSources, type) ? (dataSources[type]?.(values) ?? []) : [];
  return found.map(({ type: of, fields: given }): PlannedResource => {
    const { server, namespace } = servers.of(address);
    const fields = shown({ namespace: values['namespace'], ...given });
    const side = { server, namespace, fields, unknown: [], references: {} };
    return { address, type: of, of: 'data source', before: side, after: side, changes: false, rotated: [] };
  });
}
