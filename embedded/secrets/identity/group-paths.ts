import { formatInstant } from '../../../core/model/values/instant.ts';
import { listField, pairsField, textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { oneError, Refusal } from '../protocol/refusal.ts';
import { readEntity } from './entity.ts';
import {
  deleteGroup,
  type Group,
  GroupType,
  groupNamed,
  groupsOf,
  memberGroupsOf,
  newGroup,
  putGroup,
  readGroup,
} from './group.ts';
import { groupAnswer, mountAnswer } from './group-answer.ts';
import { membersOf, setMembers } from './membership.ts';
import { policyNames } from './policies-of.ts';

/** What can be done to groups (openbao/openbao vault/identity_store_groups.go). */
export const groupPaths: SecretsPath[] = [
  { pattern: 'identity/group', operations: { update: register } },
  { pattern: 'identity/group/id', operations: { list: listById } },
  {
    pattern: 'identity/group/id/:id',
    operations: {
      read: (context) => read(context, byId(context)),
      update: (context) => writeById(context, context.parameters['id'] ?? ''),
      delete: (context) => remove(context, byId),
    },
  },
  { pattern: 'identity/group/name', operations: { list: listByName } },
  {
    pattern: 'identity/group/name/:name+',
    operations: {
      read: (context) => read(context, byName(context)),
      update: (context) => writeByName(context, context.parameters['name'] ?? ''),
      delete: (context) => remove(context, byName),
    },
  },
];

function byId({ storage, request, parameters }: RequestContext): Group | undefined {
  return readGroup(storage, request.namespace, parameters['id'] ?? '');
}

function byName({ storage, request, parameters }: RequestContext): Group | undefined {
  return groupNamed(storage, request.namespace, parameters['name'] ?? '');
}

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
    const group = readGroup(context.storage, context.request.namespace, id);
    if (group === undefined) throw new Refusal(400, 'invalid group ID');
    return write(context, group, textField(context.request.body, 'name') ?? '');
  });
}

function writeByName(context: RequestContext, name: string): Reply {
  if (name === '') throw new Refusal(400, 'empty group name');
  return context.storage.transaction(() =>
    write(context, groupNamed(context.storage, context.request.namespace, name), name),
  );
}

/** Writes what the body has of a group; what it leaves out stays as it is. An empty name is no name. */
function write(context: RequestContext, before: Group | undefined, name: string): Reply {
  const { storage, request, now } = context;
  const { namespace, body } = request;
  const time = formatInstant(now);
  const group = before ?? newGroup(storage, namespace, GroupType.internal, time);
  const policies = policyNames(listField(body, 'policies') ?? group.policies);
  const type = typeOf(textField(body, 'type'), before);
  const namesake = name === '' ? undefined : groupNamed(storage, namespace, name);
  if (namesake !== undefined && namesake.id !== group.id) {
    throw new Refusal(400, 'group name is already in use');
  }
  const metadata = pairsField(body, 'metadata') ?? group.metadata;
  const memberEntities = listField(body, 'member_entity_ids');
  if (memberEntities !== undefined && type === GroupType.external) {
    throw new Refusal(400, "member entities can't be set manually for external groups");
  }
  const memberGroups = listField(body, 'member_group_ids');
  if (memberGroups !== undefined && type === GroupType.external) {
    throw new Refusal(400, "member groups can't be set for external groups");
  }
  putGroup(storage, namespace, {
    ...group,
    name: name === '' ? group.name : name,
    type,
    policies,
    metadata,
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

/** Real servers answer 500 for an id that is none; the text is theirs. */
function setMemberEntities({ storage, request }: RequestContext, id: string, entities: string[]): void {
  for (const entity of entities) {
    if (readEntity(storage, request.namespace, entity) === undefined) {
      throw new Refusal(400, oneError(`invalid entity ID ${JSON.stringify(entity)}`));
    }
  }
  setMembers(storage, request.namespace, id, entities);
}

function setMemberGroups({ storage, request, now }: RequestContext, id: string, members: string[]): void {
  const { namespace } = request;
  for (const member of members) {
    const quoted = JSON.stringify(member);
    if (readGroup(storage, namespace, member) === undefined) {
      throw new Refusal(400, oneError(`invalid member group ID ${quoted}`));
    }
    if (member === id) {
      throw new Refusal(400, oneError(`member group ID ${quoted} is same as the ID of the group`));
    }
    if (isAbove(storage, namespace, member, id)) {
      throw new Refusal(400, `cyclic relationship detected for member group ID ${quoted}`);
    }
  }
  for (const member of new Set([...memberGroupsOf(storage, namespace, id), ...members])) {
    const group = readGroup(storage, namespace, member);
    if (group === undefined || group.parents.includes(id) === members.includes(member)) continue;
    const others = group.parents.filter((parent) => parent !== id);
    const parents = members.includes(member) ? [...others, id] : others;
    putGroup(storage, namespace, {
      ...group,
      parents,
      updated: formatInstant(now),
      writes: group.writes + 1,
    });
  }
}

/** Whether one group is among those that another is in, however far up. */
function isAbove(storage: RequestContext['storage'], namespace: string, one: string, other: string): boolean {
  const above = new Set(readGroup(storage, namespace, other)?.parents);
  for (const id of above) {
    for (const parent of readGroup(storage, namespace, id)?.parents ?? []) above.add(parent);
  }
  return above.has(one);
}

function read({ storage, request }: RequestContext, group: Group | undefined): Reply {
  if (group === undefined) throw new Refusal(404);
  return { data: groupAnswer(storage, request.namespace, group) };
}

function remove(context: RequestContext, find: (context: RequestContext) => Group | undefined): Reply {
  const { storage, request } = context;
  storage.transaction(() => {
    const group = find(context);
    if (group !== undefined) deleteGroup(storage, request.namespace, group);
  });
  return {};
}

function listById({ storage, request }: RequestContext): Reply {
  const groups = groupsOf(storage, request.namespace);
  if (groups.length === 0) throw new Refusal(404);
  const keyInfo = groups.map(({ id, name, parents, alias }) => {
    const info = {
      name,
      num_member_entities: membersOf(storage, request.namespace, id).length,
      num_parent_groups: parents.length,
    };
    if (alias === null) return [id, info];
    const { mountAccessor } = alias;
    const mount = mountAnswer(storage, request.namespace, mountAccessor);
    return [
      id,
      { ...info, alias: { id: alias.id, name: alias.name, mount_accessor: mountAccessor, ...mount } },
    ];
  });
  return { data: { keys: groups.map(({ id }) => id), key_info: Object.fromEntries(keyInfo) } };
}

function listByName({ storage, request }: RequestContext): Reply {
  const groups = groupsOf(storage, request.namespace);
  if (groups.length === 0) throw new Refusal(404);
  return { data: { keys: groups.map(({ name }) => name) } };
}
