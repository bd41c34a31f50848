import { randomUUID } from 'node:crypto';
import { groupFields } from '../../../core/model/resources/external-group.ts';
import { aliasFields } from '../../../core/model/resources/group-alias.ts';
import { formatInstant } from '../../../core/model/values/instant.ts';
import { mountOfAccessor } from '../mounts/mount.ts';
import { listField, textField, writtenFields } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { oneError, Refusal } from '../protocol/refusal.ts';
import { namespaceId } from '../storage/namespace.ts';
import type { Storage } from '../storage/storage.ts';
import { entities, membersOf, setMembers } from './entity.ts';
import {
  deleteGroup,
  type Group,
  GroupType,
  groups,
  memberGroupsOf,
  newGroup,
  withParents,
} from './group.ts';
import { aliasAnswer, briefAlias, orNull, policyNames, recordPaths } from './record-paths.ts';
import type { Alias } from './records.ts';

/** Groups and their aliases (openbao/openbao vault/identity_store_groups.go). */
export const groupPaths: SecretsPath[] = recordPaths<Group>({
  records: groups,
  register,
  writeById,
  writeByName,
  remove: ({ storage, request }, group) => deleteGroup(storage, request.namespace, group),
  answer,
  listed({ storage, request: { namespace } }, { id, name, parents, alias }) {
    return {
      name,
      num_member_entities: membersOf(storage, namespace, id).length,
      num_parent_groups: parents.length,
      alias: alias === null ? undefined : briefAlias(storage, namespace, alias),
    };
  },
  registerAlias: registerGroupAlias,
  writeAlias: writeGroupAlias,
  withoutAlias: (group, _, updated) => ({ ...group, alias: null, updated, writes: group.writes + 1 }),
});

function register(context: RequestContext): Reply {
  const id = textField(context.request.body, 'id');
  if (id !== undefined) return writeById(context, id);
  const name = textField(context.request.body, 'name');
  if (name !== undefined) return writeByName(context, name);
  return context.storage.transaction(() => write(context, undefined, ''));
}

function writeById(context: RequestContext, id: string): Reply {
  if (id === '') throw new Refusal(400, 'empty group ID');
  return context.storage.transaction(() => {
    const group = groups.read(context.storage, context.request.namespace, id);
    if (group === undefined) throw new Refusal(400, 'invalid group ID');
    return write(context, group, textField(context.request.body, 'name') ?? '');
  });
}

function writeByName(context: RequestContext, name: string): Reply {
  if (name === '') throw new Refusal(400, 'empty group name');
  return context.storage.transaction(() =>
    write(context, groups.named(context.storage, context.request.namespace, name), name),
  );
}

/** Omitted fields are kept. An empty name counts as omitted. */
function write(context: RequestContext, before: Group | undefined, name: string): Reply {
  const { storage, request, now } = context;
  const { namespace, body } = request;
  const time = formatInstant(now);
  const group = before ?? newGroup(storage, namespace, GroupType.internal, time);
  const given = writtenFields(groupFields, body);
  const policies = policyNames(given.policies ?? group.policies);
  const type = typeOf(textField(body, 'type'), before);
  const namesake = name === '' ? undefined : groups.named(storage, namespace, name);
  if (namesake !== undefined && namesake.id !== group.id) {
    throw new Refusal(400, 'group name is already in use');
  }
  const memberEntities = listField(body, 'member_entity_ids');
  if (memberEntities !== undefined && type === GroupType.external) {
    throw new Refusal(400, "member entities can't be set manually for external groups");
  }
  const memberGroups = listField(body, 'member_group_ids');
  if (memberGroups !== undefined && type === GroupType.external) {
    throw new Refusal(400, "member groups can't be set for external groups");
  }
  groups.put(storage, namespace, {
    ...group,
    name: name === '' ? group.name : name,
    type,
    policies,
    metadata: given.metadata ?? group.metadata,
    updated: time,
    writes: group.writes + 1,
  });
  if (memberEntities !== undefined) setMemberEntities(context, group.id, memberEntities);
  if (memberGroups !== undefined) setMemberGroups(context, group.id, memberGroups);
  return before === undefined ? { data: { id: group.id, name: name === '' ? group.name : name } } : {};
}

function typeOf(given: string | undefined, before: Group | undefined): GroupType {
  if (given !== undefined && before !== undefined && given !== before.type) {
    throw new Refusal(400, 'group type cannot be changed');
  }
  const type = given === undefined || given === '' ? (before?.type ?? GroupType.internal) : given;
  if (type !== GroupType.internal && type !== GroupType.external) {
    throw new Refusal(400, `invalid group type ${JSON.stringify(type)}`);
  }
  return type;
}

/** Real servers refuse an unknown id with 500 and the same text. */
function setMemberEntities({ storage, request }: RequestContext, id: string, members: string[]): void {
  for (const entity of members) {
    if (entities.read(storage, request.namespace, entity) === undefined) {
      throw new Refusal(400, oneError(`invalid entity ID ${JSON.stringify(entity)}`));
    }
  }
  setMembers(storage, request.namespace, id, members);
}

function setMemberGroups({ storage, request, now }: RequestContext, id: string, members: string[]): void {
  const { namespace } = request;
  for (const member of members) {
    const quoted = JSON.stringify(member);
    if (groups.read(storage, namespace, member) === undefined) {
      throw new Refusal(400, oneError(`invalid member group ID ${quoted}`));
    }
    if (member === id) {
      throw new Refusal(400, oneError(`member group ID ${quoted} is same as the ID of the group`));
    }
    if (withParents(storage, namespace, [id]).includes(member)) {
      throw new Refusal(400, `cyclic relationship detected for member group ID ${quoted}`);
    }
  }
  for (const member of new Set([...memberGroupsOf(storage, namespace, id), ...members])) {
    const group = groups.read(storage, namespace, member);
    if (group === undefined || group.parents.includes(id) === members.includes(member)) continue;
    const others = group.parents.filter((parent) => parent !== id);
    const parents = members.includes(member) ? [...others, id] : others;
    groups.put(storage, namespace, {
      ...group,
      parents,
      updated: formatInstant(now),
      writes: group.writes + 1,
    });
  }
}

function answer({ storage, request: { namespace } }: RequestContext, group: Group): Record<string, unknown> {
  return {
    id: group.id,
    name: group.name,
    type: group.type,
    policies: orNull(group.policies),
    metadata: orNull(group.metadata),
    member_entity_ids: orNull(membersOf(storage, namespace, group.id)),
    member_group_ids: orNull(memberGroupsOf(storage, namespace, group.id)),
    parent_group_ids: orNull(group.parents),
    alias: aliasWithin(storage, namespace, group),
    creation_time: group.created,
    last_update_time: group.updated,
    modify_index: group.writes,
    namespace_id: namespaceId(storage, namespace),
  };
}

/** A group's alias has fewer fields within the group. */
function aliasWithin(storage: Storage, namespace: string, { id, alias }: Group): Record<string, unknown> {
  if (alias === null) return {};
  const { custom_metadata: _, local: __, ...told } = aliasAnswer(storage, namespace, id, alias);
  return told;
}

/** Writes the alias with the body's id, or a new one (openbao/openbao vault/identity_store_group_aliases.go). */
function registerGroupAlias(context: RequestContext): Reply {
  const id = textField(context.request.body, 'id');
  if (id !== undefined) return writeGroupAlias(context, id);
  return context.storage.transaction(() => writeAliasOf(context, undefined));
}

function writeGroupAlias(context: RequestContext, id: string): Reply {
  if (id === '') throw new Refusal(400, 'empty group alias ID');
  return context.storage.transaction(() => {
    const group = groups.ofAlias(context.storage, context.request.namespace, id);
    if (group === undefined) throw new Refusal(400, 'invalid group alias ID');
    return writeAliasOf(context, group);
  });
}

/** Writes the alias of `before`, or a new one. */
function writeAliasOf({ storage, request, now }: RequestContext, before: Group | undefined): Reply {
  const { namespace, body } = request;
  const given = writtenFields(aliasFields, body);
  const { name = '', mount_accessor: mountAccessor = '', canonical_id: canonicalId = '' } = given;
  if (name === '') throw new Refusal(400, 'missing alias name');
  if (mountAccessor === '') throw new Refusal(400, 'missing mount_accessor');
  const old = before?.alias ?? undefined;
  const staysWithGroup = canonicalId === '' || canonicalId === before?.id;
  if (old?.name === name && old.mountAccessor === mountAccessor && staysWithGroup) return {};

  const time = formatInstant(now);
  const wanted = canonicalId === '' ? undefined : groups.read(storage, namespace, canonicalId);
  if (canonicalId !== '' && wanted === undefined) {
    throw new Refusal(400, "invalid group ID given in 'canonical_id'");
  }
  if (wanted !== undefined && wanted.type !== GroupType.external) {
    throw new Refusal(400, "alias can't be set on an internal group");
  }
  const mount = mountOfAccessor(storage, namespace, mountAccessor);
  if (mount === undefined) throw new Refusal(400, `invalid mount accessor ${JSON.stringify(mountAccessor)}`);
  if (mount.local) {
    throw new Refusal(400, `mount accessor ${JSON.stringify(mountAccessor)} is a local mount`);
  }
  const namesake = groups.aliasedAs(storage, namespace, mountAccessor, name);
  if (namesake !== undefined && namesake.alias?.id !== old?.id) {
    throw new Refusal(400, 'combination of mount and group alias name is already in use');
  }
  // An alias without a group gets a new one.
  const group = wanted ?? before ?? newGroup(storage, namespace, GroupType.external, time);
  if (before !== undefined && before.id !== group.id) {
    groups.put(storage, namespace, { ...before, alias: null });
  }
  const alias: Alias = {
    id: old?.id ?? randomUUID(),
    name,
    mountAccessor,
    created: old?.created ?? time,
    updated: time,
  };
  groups.put(storage, namespace, { ...group, alias, updated: time, writes: group.writes + 1 });
  return { data: { id: alias.id, canonical_id: group.id } };
}
