import { z } from 'zod';
import { groupFields } from '../../../core/model/resources/external-group.ts';
import { aliasFields } from '../../../core/model/resources/group-alias.ts';
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
  op,
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

const aliasBody = z.object({
  ...bodyFields(aliasFields),
  ...all(z.string().optional(), 'id', 'canonical_id'),
});
const newAlias = z.strictObject(strings('id', 'canonical_id'));

const lookup = z.object(strings('id', 'name', 'alias_id', 'alias_name', 'alias_mount_accessor')).partial();

type RecordArgs = Record<'record' | 'body' | 'created' | 'listed' | 'alias' | 'aliasBody', z.ZodType>;

/** The paths of groups or entities and their aliases, as `recordPaths` has them. */
function recordSchemas(kind: 'group' | 'entity', args: RecordArgs): PathSchemas {
  const { record, body, created, listed, alias, aliasBody } = args;
  const [one, several] = kind === 'group' ? ['a group', 'groups'] : ['an entity', 'entities'];
  const write = op(`Write ${one}`, { body, data: created, mayBeEmpty: true });
  const writeAlias = op(`Write ${one} alias`, { body: aliasBody, data: newAlias, mayBeEmpty: true });
  const byKey = ['id/:id', 'name/:name+'].flatMap((key) => [
    [`read identity/${kind}/${key}`, op(`Read ${one}`, { data: record })],
    [`update identity/${kind}/${key}`, write],
    [`delete identity/${kind}/${key}`, op(`Delete ${one}`)],
  ]);
  return {
    ...Object.fromEntries(byKey),
    [`update identity/${kind}`]: write,
    [`list identity/${kind}/id`]: op(`List the ${several} by id`, keysWith(listed)),
    [`list identity/${kind}/name`]: op(`List the ${several} by name`, keys),
    [`update identity/${kind}-alias`]: writeAlias,
    [`list identity/${kind}-alias/id`]: op(
      `List the ${kind} aliases`,
      keysWith(z.strictObject(listedWithoutId)),
    ),
    [`read identity/${kind}-alias/id/:id`]: op(`Read ${one} alias`, { data: alias }),
    [`update identity/${kind}-alias/id/:id`]: writeAlias,
    [`delete identity/${kind}-alias/id/:id`]: op(`Delete ${one} alias`),
    [`update identity/lookup/${kind}`]: op(`Find ${one}`, { body: lookup, data: record, mayBeEmpty: true }),
  };
}

export const identitySchemas: PathSchemas = {
  ...recordSchemas('group', {
    record: group,
    body: groupBody,
    created: z.strictObject(strings('id', 'name')),
    listed: z.strictObject({
      ...all(z.int(), 'num_member_entities', 'num_parent_groups'),
      name: z.string(),
      alias: z.strictObject(briefAlias).optional(),
    }),
    alias: z.strictObject({
      ...groupAlias,
      custom_metadata: z.null(),
      local: z.boolean(),
      namespace_id: z.string(),
    }),
    aliasBody,
  }),
  ...recordSchemas('entity', {
    record: entity,
    body: entityBody,
    created: z.strictObject({ ...strings('id', 'name'), aliases: z.null() }),
    listed: z.strictObject({ name: z.string(), aliases: z.array(z.strictObject(briefAlias)).optional() }),
    alias: z.strictObject({ ...entityAlias, namespace_id: z.string() }),
    aliasBody: aliasBody
      .partial()
      .extend({ entity_id: z.string().optional(), custom_metadata: pairs.optional() }),
  }),
};
