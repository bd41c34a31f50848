import { objectOf } from '../values/loose-values.ts';
import type { ByName } from './field.ts';

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Terraform's data sources that a review reads: what each one has found, by type, as resources of the plan have it. */
export const dataSources: Record<
  string,
  (values: ByName) => { type: 'backend' | 'group' | 'entity' | 'policy'; fields: ByName }[]
> = {
  vault_auth_backend: ({ accessor, path, type }) => [{ type: 'backend', fields: { accessor, path, type } }],
  vault_auth_backends({ paths, accessors }) {
    const [all, their] = [listOf(paths), listOf(accessors)];
    if (all.length !== their.length) return [];
    return all.map((path, index) => ({ type: 'backend', fields: { accessor: their[index], path } }));
  },
  vault_identity_group({ group_id, id, group_name, name, ...values }) {
    const { type, policies, metadata, member_entity_ids, member_group_ids } = values;
    const found = { type, policies, metadata, member_entity_ids, member_group_ids };
    return [{ type: 'group', fields: { id: group_id ?? id, name: group_name ?? name, ...found } }];
  },
  vault_identity_entity({ entity_id, id, entity_name, name, policies, metadata, disabled }) {
    const named = { id: entity_id ?? id, name: entity_name ?? name };
    return [{ type: 'entity', fields: { ...named, policies, metadata, disabled } }];
  },
  vault_generic_secret({ path, data }) {
    const [, name] = /^\/*sys\/polic(?:y|ies\/acl)\/([^/]+)$/.exec(String(path)) ?? [];
    const { policy, rules } = objectOf(data) ?? {};
    const text = policy ?? rules;
    return name === undefined || typeof text !== 'string'
      ? []
      : [{ type: 'policy', fields: { name, policy: text } }];
  },
};
