import { randomUUID } from 'node:crypto';
import { aliasFields, formatInstant, groupFields } from '@gatehouse/core/graph';
import { metadataProblem } from '@gatehouse/core/values';
import { z } from 'zod';
import { mountOfAccessor } from '../mounts/mount.ts';
import { listField, textField, writtenFields } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { oneError, RequestRefusal } from '../protocol/refusal.ts';
import { all, answerFields, bodyFields, list, strings, texts } from '../protocol/schemas.ts';
import { namespaceId } from '../storage/namespace.ts';
import { entities, membersOf, setMembers } from './entity.ts';
import {
  changeGroup,
  deleteGroup,
  GroupType,
  groups,
  memberGroupsOf,
  newGroup,
  type StoredGroup,
  withParents,
} from './group.ts';
import {
  aliasAnswer,
  aliasBody,
  aliasSchema,
  briefAlias,
  briefAliasFields,
  orNull,
  policyNames,
  type RecordPath,
  recordPaths,
  timeFields,
} from './record-paths.ts';

const record = z.strictObject({
  ...answerFields(groupFields, () => true),
  ...strings('id', 'namespace_id'),
  ...timeFields,
  type: z.enum(GroupType),
  ...all(texts.nullable(), 'member_entity_ids', 'member_group_ids', 'parent_group_ids'),
  alias: z.union([z.strictObject({}), aliasSchema.omit({ custom_metadata: true, local: true })]),
  modify_index: z.int(),
});

/** Groups and their aliases (openbao/openbao vault/identity_store_groups.go). */
export const groupPaths: SecretsPath[] = recordPaths<StoredGroup>({
  records: groups,
  write,
  remove: deleteGroup,
  answer,
  listed: (context, { id, name, parents, alias }) => ({
    name,
    num_member_entities: membersOf(context, id).length,
    num_parent_groups: parents.length,
    alias: alias === null ? undefined : briefAlias(context, alias),
  }),
  writeAlias,
  withoutAlias: (group, _, updated) => ({ ...group, alias: null, updated, writes: group.writes + 1 }),
  called: ['a group', 'groups'],
  schemas: {
    record,
    body: z
      .object({
        ...bodyFields(groupFields),
        id: z.string(),
        type: z.enum(['', ...Object.values(GroupType)]),
        ...all(list, 'member_entity_ids', 'member_group_ids'),
      })
      .partial(),
    created: z.strictObject(strings('id', 'name')),
    listed: z.strictObject({
      ...all(z.int(), 'num_member_entities', 'num_parent_groups'),
      name: z.string(),
      alias: z.strictObject(briefAliasFields).optional(),
    }),
    aliasBody,
  },
});

/** Omitted fields are kept. An empty name counts as omitted, except where the name says which group it is. */
function write(context: RequestContext, path: RecordPath): Reply {
  const { now, body } = context;
  const id = path.name === undefined ? (path.id ?? textField(body, 'id')) : undefined;
  const givenName = path.name ?? textField(body, 'name');
  if (id === '') throw new RequestRefusal(400, 'empty group ID');
  if (id === undefined && givenName === '') throw new RequestRefusal(400, 'empty group name');
  const withName = givenName === undefined ? undefined : groups.named(context, givenName);
  const before = id === undefined ? withName : groups.get(context, id);
  if (id !== undefined && before === undefined) throw new RequestRefusal(400, 'invalid group ID');
  const time = formatInstant(now);
  const group = before ?? newGroup(context, GroupType.internal, time);
  const written = writtenFields(groupFields, body);
  const policies = policyNames(written.policies ?? group.policies);
  const type = typeOf(textField(body, 'type'), before);
  const name = givenName || group.name;
  if ((groups.named(context, name)?.id ?? group.id) !== group.id) {
    throw new RequestRefusal(400, 'group name is already in use');
  }
  const memberEntities = listField(body, 'member_entity_ids');
  if (memberEntities !== undefined && type === GroupType.external) {
    throw new RequestRefusal(400, "member entities can't be set manually for external groups");
  }
  const memberGroups = listField(body, 'member_group_ids');
  if (memberGroups !== undefined && type === GroupType.external) {
    throw new RequestRefusal(400, "member groups can't be set for external groups");
  }
  const metadata = written.metadata ?? group.metadata;
  const invalid = metadataProblem('group', metadata ?? {});
  if (invalid !== undefined) throw new RequestRefusal(500, oneError(invalid));
  changeGroup(context, group, time, { name, type, policies, metadata });
  if (memberEntities !== undefined) setMemberEntities(context, group.id, memberEntities);
  if (memberGroups !== undefined) setMemberGroups(context, group.id, memberGroups);
  return before === undefined ? { data: { id: group.id, name } } : {};
}

function typeOf(requested: string | undefined, before: StoredGroup | undefined): GroupType {
  if (requested !== undefined && before !== undefined && requested !== before.type) {
    throw new RequestRefusal(400, 'group type cannot be changed');
  }
  const type = requested || before?.type || GroupType.internal;
  if (type !== GroupType.internal && type !== GroupType.external) {
    throw new RequestRefusal(400, `invalid group type ${JSON.stringify(type)}`);
  }
  return type;
}

/** Real servers refuse an unknown id with 500 and the same text. */
function setMemberEntities(context: RequestContext, id: string, members: string[]): void {
  for (const entity of members) {
    if (entities.get(context, entity) === undefined) {
      throw new RequestRefusal(400, oneError(`invalid entity ID ${JSON.stringify(entity)}`));
    }
  }
  setMembers(context, id, members);
}

function setMemberGroups(context: RequestContext, id: string, members: string[]): void {
  for (const member of members) {
    const quoted = JSON.stringify(member);
    if (groups.get(context, member) === undefined) {
      throw new RequestRefusal(400, oneError(`invalid member group ID ${quoted}`));
    }
    if (member === id) {
      throw new RequestRefusal(400, oneError(`member group ID ${quoted} is same as the ID of the group`));
    }
    if (withParents(context, [id]).includes(member)) {
      throw new RequestRefusal(400, `cyclic relationship detected for member group ID ${quoted}`);
    }
  }
  const before = memberGroupsOf(context, id).map((group) => group.id);
  for (const member of new Set([...before, ...members])) {
    const group = groups.get(context, member);
    if (group === undefined || group.parents.includes(id) === members.includes(member)) continue;
    const otherParents = group.parents.filter((parent) => parent !== id);
    const parents = members.includes(member) ? [...otherParents, id] : otherParents;
    changeGroup(context, group, formatInstant(context.now), { parents });
  }
}

function answer(context: RequestContext, group: StoredGroup): Record<string, unknown> {
  return {
    id: group.id,
    name: group.name,
    type: group.type,
    policies: orNull(group.policies),
    metadata: orNull(group.metadata),
    member_entity_ids: orNull(membersOf(context, group.id)),
    member_group_ids: orNull(memberGroupsOf(context, group.id).map(({ id }) => id)),
    parent_group_ids: orNull(group.parents),
    alias: aliasWithin(context, group),
    creation_time: group.created,
    last_update_time: group.updated,
    modify_index: group.writes,
    namespace_id: namespaceId(context),
  };
}

/** A group's alias has fewer fields within the group. */
function aliasWithin(context: RequestContext, { id, alias }: StoredGroup): Record<string, unknown> {
  if (alias === null) return {};
  const { custom_metadata: _, local: __, ...answer } = aliasAnswer(context, id, alias);
  return answer;
}

/** Writes the alias with this id, or a new one (openbao/openbao vault/identity_store_group_aliases.go). */
function writeAlias(context: RequestContext, id: string | undefined): Reply {
  if (id === '') throw new RequestRefusal(400, 'empty group alias ID');
  const before = id === undefined ? undefined : groups.ofAlias(context, id);
  if (id !== undefined && before === undefined) throw new RequestRefusal(400, 'invalid group alias ID');
  const written = writtenFields(aliasFields, context.body);
  const { name = '', mount_accessor: mountAccessor = '', canonical_id: canonicalId = '' } = written;
  if (name === '') throw new RequestRefusal(400, 'missing alias name');
  if (mountAccessor === '') throw new RequestRefusal(400, 'missing mount_accessor');
  const aliasBefore = before?.alias ?? undefined;
  const staysWithGroup = canonicalId === '' || canonicalId === before?.id;
  if (aliasBefore?.name === name && aliasBefore.mountAccessor === mountAccessor && staysWithGroup) return {};

  const time = formatInstant(context.now);
  const target = canonicalId === '' ? undefined : groups.get(context, canonicalId);
  if (canonicalId !== '' && target === undefined) {
    throw new RequestRefusal(400, "invalid group ID given in 'canonical_id'");
  }
  if (target !== undefined && target.type !== GroupType.external) {
    throw new RequestRefusal(400, "alias can't be set on an internal group");
  }
  const mount = mountOfAccessor(context, mountAccessor);
  if (mount === undefined)
    throw new RequestRefusal(400, `invalid mount accessor ${JSON.stringify(mountAccessor)}`);
  if (mount.local) {
    throw new RequestRefusal(400, `mount accessor ${JSON.stringify(mountAccessor)} is a local mount`);
  }
  const namesake = groups.aliasedAs(context, mountAccessor, name);
  if (namesake !== undefined && namesake.alias?.id !== aliasBefore?.id) {
    throw new RequestRefusal(400, 'combination of mount and group alias name is already in use');
  }
  // An alias without a group gets a new one.
  const group = target ?? before ?? newGroup(context, GroupType.external, time);
  if (before !== undefined && before.id !== group.id) {
    groups.put(context, before.id, { ...before, alias: null });
  }
  const { id: aliasId = randomUUID(), created = time } = aliasBefore ?? {};
  changeGroup(context, group, time, { alias: { id: aliasId, name, mountAccessor, created, updated: time } });
  return { data: { id: aliasId, canonical_id: group.id } };
}
