import { z } from 'zod';
import { aliasFields, groupFields } from '../../../core/model/resources/external-group.ts';
import { GroupType } from '../identity/group.ts';
import {
  all,
  answerFields,
  bodyFields,
  flag,
  instant,
  keys,
  keysWith,
  list,
  type PathSchemas,
  pairs,
  strings,
  texts,
  textsByName,
} from './operation-schema.ts';

/** An alias in a list of entities or groups, without its mount's path and type once the mount is gone. */
const briefAlias = {
  ...strings('id', 'name', 'mount_accessor'),
  ...all(z.string().optional(), 'mount_path', 'mount_type'),
};
const times = all(instant, 'creation_time', 'last_update_time');
const groupAlias = {
  ...briefAlias,
  ...times,
  canonical_id: z.string(),
  ...all(z.null(), 'metadata', 'merged_from_canonical_ids'),
};
const listedAlias = {
  ...briefAlias,
  canonical_id: z.string(),
  ...all(textsByName.nullable(), 'metadata', 'custom_metadata'),
  local: z.boolean(),
};
const entityAlias = { ...listedAlias, ...times, merged_from_canonical_ids: z.null() };
const { id: _, ...listedWithoutId } = listedAlias;

const group = z.strictObject({
  ...answerFields(groupFields, () => true),
  ...strings('id', 'namespace_id'),
  ...times,
  type: z.enum(GroupType),
  ...all(texts.nullable(), 'member_entity_ids', 'member_group_ids', 'parent_group_ids'),
  alias: z.union([z.strictObject({}), z.strictObject(groupAlias)]),
  modify_index: z.int(),
});
const groupBody = z
  .object({
    ...bodyFields(groupFields),
    id: z.string(),
    type: z.enum(['', ...Object.values(GroupType)]),
    ...all(list, 'member_entity_ids', 'member_group_ids'),
  })
  .partial();
const newGroup = { data: z.strictObject(strings('id', 'name')) };

const entity = z.strictObject({
  ...strings('id', 'name', 'namespace_id'),
  ...times,
  ...all(texts, 'policies', 'direct_group_ids', 'inherited_group_ids', 'group_ids'),
  metadata: textsByName.nullable(),
  disabled: z.boolean(),
  aliases: z.array(z.strictObject(entityAlias)),
  merged_entity_ids: z.null(),
});
const entityBody = z
  .object({ ...strings('id', 'name'), policies: list, metadata: pairs, disabled: flag })
  .partial();
const newEntity = { data: z.strictObject({ ...strings('id', 'name'), aliases: z.null() }) };

const aliasBody = z.object({
  ...bodyFields(aliasFields),
  ...all(z.string().optional(), 'id', 'canonical_id'),
});
const newAlias = { data: z.strictObject(strings('id', 'canonical_id')) };

const lookup = z.object(strings('id', 'name', 'alias_id', 'alias_name', 'alias_mount_accessor')).partial();

const oneGroup = {
  read: { summary: 'Read a group', answer: { data: group } },
  update: { summary: 'Write a group', body: groupBody, answer: newGroup, mayBeEmpty: true },
  delete: { summary: 'Delete a group' },
};
const oneEntity = {
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
  'identity/group': { update: oneGroup.update },
  'identity/group/id': {
    list: {
      summary: 'List the groups by id',
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
  'identity/group/id/:id': oneGroup,
  'identity/group/name': { list: { summary: 'List the groups by name', answer: keys } },
  'identity/group/name/:name+': oneGroup,
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
  'identity/entity': { update: oneEntity.update },
  'identity/entity/id': {
    list: {
      summary: 'List the entities by id',
      answer: keysWith(
        z.strictObject({ name: z.string(), aliases: z.array(z.strictObject(briefAlias)).optional() }),
      ),
    },
  },
  'identity/entity/id/:id': oneEntity,
  'identity/entity/name': { list: { summary: 'List the entities by name', answer: keys } },
  'identity/entity/name/:name+': oneEntity,
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
