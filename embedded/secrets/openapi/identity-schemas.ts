import { z } from 'zod';
import {
  flag,
  instant,
  keys,
  keysWith,
  list,
  type PathSchemas,
  pairs,
  texts,
  textsByName,
} from './operation-schema.ts';

/** Path and type of an alias's mount; left out once the mount is gone. */
const mount = { mount_path: z.string().optional(), mount_type: z.string().optional() };

const alias = {
  id: z.string(),
  canonical_id: z.string(),
  name: z.string(),
  mount_accessor: z.string(),
  ...mount,
};
const times = { creation_time: instant, last_update_time: instant };
const groupAlias = {
  ...alias,
  ...times,
  metadata: z.null(),
  merged_from_canonical_ids: z.null(),
};
const entityAlias = {
  ...alias,
  ...times,
  metadata: textsByName.nullable(),
  custom_metadata: textsByName.nullable(),
  local: z.boolean(),
  merged_from_canonical_ids: z.null(),
};
const listedAlias = {
  ...alias,
  metadata: textsByName.nullable(),
  custom_metadata: textsByName.nullable(),
  local: z.boolean(),
};
const { id: _, ...listedWithoutId } = listedAlias;

const group = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.enum(['internal', 'external']),
  policies: texts.nullable(),
  metadata: textsByName.nullable(),
  member_entity_ids: texts.nullable(),
  member_group_ids: texts.nullable(),
  parent_group_ids: texts.nullable(),
  alias: z.union([z.strictObject({}), z.strictObject(groupAlias)]),
  modify_index: z.int(),
  namespace_id: z.string(),
  ...times,
});
const groupBody = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  type: z.enum(['', 'internal', 'external']).optional(),
  policies: list.optional(),
  metadata: pairs.optional(),
  member_entity_ids: list.optional(),
  member_group_ids: list.optional(),
});
const newGroup = { data: z.strictObject({ id: z.string(), name: z.string() }) };

const entity = z.strictObject({
  id: z.string(),
  name: z.string(),
  policies: texts,
  metadata: textsByName.nullable(),
  disabled: z.boolean(),
  aliases: z.array(z.strictObject(entityAlias)),
  direct_group_ids: texts,
  inherited_group_ids: texts,
  group_ids: texts,
  merged_entity_ids: z.null(),
  namespace_id: z.string(),
  ...times,
});
const entityBody = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  policies: list.optional(),
  metadata: pairs.optional(),
  disabled: flag.optional(),
});
const newEntity = { data: z.strictObject({ id: z.string(), name: z.string(), aliases: z.null() }) };

/** interface.md B4. */
const aliasBody = z.object({
  id: z.string().optional(),
  name: z.string(),
  mount_accessor: z.string(),
  canonical_id: z.string().optional(),
});
const newAlias = { data: z.strictObject({ id: z.string(), canonical_id: z.string() }) };

const briefAlias = { id: z.string(), name: z.string(), mount_accessor: z.string(), ...mount };
const lookup = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  alias_id: z.string().optional(),
  alias_name: z.string().optional(),
  alias_mount_accessor: z.string().optional(),
});

const group1 = {
  read: { summary: 'Read a group', answer: { data: group } },
  update: { summary: 'Write a group', body: groupBody, answer: newGroup, mayBeEmpty: true },
  delete: { summary: 'Delete a group' },
};
const entity1 = {
  read: { summary: 'Read an entity', answer: { data: entity } },
  update: { summary: 'Write an entity', body: entityBody, answer: newEntity, mayBeEmpty: true },
  delete: { summary: 'Delete an entity' },
};
const writeAlias = { summary: 'Write a group alias', body: aliasBody, answer: newAlias, mayBeEmpty: true };

const writeEntityAlias = {
  summary: 'Write an entity alias',
  body: aliasBody.partial().extend({ entity_id: z.string().optional(), custom_metadata: pairs.optional() }),
  answer: newAlias,
  mayBeEmpty: true,
};

export const identitySchemas: PathSchemas = {
  'identity/group': { update: group1.update },
  'identity/group/id': {
    list: {
      summary: 'List the groups by their ids',
      answer: keysWith(
        z.strictObject({
          name: z.string(),
          num_member_entities: z.int(),
          num_parent_groups: z.int(),
          alias: z.strictObject(briefAlias).optional(),
        }),
      ),
    },
  },
  'identity/group/id/:id': group1,
  'identity/group/name': { list: { summary: 'List the groups by their names', answer: keys } },
  'identity/group/name/:name+': group1,
  'identity/group-alias': { update: writeAlias },
  'identity/group-alias/id': {
    list: { summary: 'List the group aliases', answer: keysWith(z.strictObject(listedWithoutId)) },
  },
  'identity/group-alias/id/:id': {
    read: {
      summary: 'Read a group alias',
      answer: {
        data: z.strictObject({
          ...groupAlias,
          custom_metadata: z.null(),
          local: z.boolean(),
          namespace_id: z.string(),
        }),
      },
    },
    update: writeAlias,
    delete: { summary: 'Delete a group alias' },
  },
  'identity/entity': { update: entity1.update },
  'identity/entity/id': {
    list: {
      summary: 'List the entities by their ids',
      answer: keysWith(
        z.strictObject({ name: z.string(), aliases: z.array(z.strictObject(briefAlias)).optional() }),
      ),
    },
  },
  'identity/entity/id/:id': entity1,
  'identity/entity/name': { list: { summary: 'List the entities by their names', answer: keys } },
  'identity/entity/name/:name+': entity1,
  'identity/entity-alias': { update: writeEntityAlias },
  'identity/entity-alias/id': {
    list: { summary: 'List the entity aliases', answer: keysWith(z.strictObject(listedWithoutId)) },
  },
  'identity/entity-alias/id/:id': {
    read: {
      summary: 'Read an entity alias',
      answer: { data: z.strictObject({ ...entityAlias, namespace_id: z.string() }) },
    },
    update: writeEntityAlias,
    delete: { summary: 'Delete an entity alias' },
  },
  'identity/lookup/entity': {
    update: { summary: 'Find an entity', body: lookup, answer: { data: entity }, mayBeEmpty: true },
  },
  'identity/lookup/group': {
    update: { summary: 'Find a group', body: lookup, answer: { data: group }, mayBeEmpty: true },
  },
};
