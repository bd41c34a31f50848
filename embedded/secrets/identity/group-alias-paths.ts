import { randomUUID } from 'node:crypto';
import { formatInstant } from '../../../core/model/values/instant.ts';
import { mountOfAccessor } from '../mounts/mount.ts';
import { textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { namespaceId } from '../storage/namespace.ts';
import {
  type Group,
  type GroupAlias,
  GroupType,
  groupAliasedAs,
  groupOfAlias,
  groupsOf,
  newGroup,
  putGroup,
  readGroup,
} from './group.ts';
import { groupAliasAnswer, mountAnswer } from './group-answer.ts';

/** What can be done to group aliases (openbao/openbao vault/identity_store_group_aliases.go). */
export const groupAliasPaths: SecretsPath[] = [
  { pattern: 'identity/group-alias', operations: { update: register } },
  { pattern: 'identity/group-alias/id', operations: { list } },
  {
    pattern: 'identity/group-alias/id/:id',
    operations: {
      read,
      update: (context) => writeById(context, context.parameters['id'] ?? ''),
      delete: remove,
    },
  },
];

function register(context: RequestContext): Reply {
  const id = textField(context.request.body, 'id');
  if (id !== undefined) return writeById(context, id);
  return context.storage.transaction(() => write(context, undefined));
}

function writeById(context: RequestContext, id: string): Reply {
  if (id === '') throw new Refusal(400, 'empty group alias ID');
  return context.storage.transaction(() => {
    const group = groupOfAlias(context.storage, context.request.namespace, id);
    if (group === undefined) throw new Refusal(400, 'invalid group alias ID');
    return write(context, group);
  });
}

/** Writes an alias: a new one, or that of `before`. */
function write({ storage, request, now }: RequestContext, before: Group | undefined): Reply {
  const { namespace, body } = request;
  const name = textField(body, 'name') ?? '';
  if (name === '') throw new Refusal(400, 'missing alias name');
  const mountAccessor = textField(body, 'mount_accessor') ?? '';
  if (mountAccessor === '') throw new Refusal(400, 'missing mount_accessor');
  const canonicalId = textField(body, 'canonical_id') ?? '';
  const old = before?.alias ?? undefined;
  const staysWithGroup = canonicalId === '' || canonicalId === before?.id;
  if (old?.name === name && old.mountAccessor === mountAccessor && staysWithGroup) return {};

  const time = formatInstant(now);
  const given = canonicalId === '' ? undefined : readGroup(storage, namespace, canonicalId);
  if (canonicalId !== '' && given === undefined) {
    throw new Refusal(400, "invalid group ID given in 'canonical_id'");
  }
  if (given !== undefined && given.type !== GroupType.external) {
    throw new Refusal(400, "alias can't be set on an internal group");
  }
  const mount = mountOfAccessor(storage, namespace, mountAccessor);
  if (mount === undefined) throw new Refusal(400, `invalid mount accessor ${JSON.stringify(mountAccessor)}`);
  if (mount.local) {
    throw new Refusal(400, `mount accessor ${JSON.stringify(mountAccessor)} is a local mount`);
  }
  const namesake = groupAliasedAs(storage, namespace, mountAccessor, name);
  if (namesake !== undefined && namesake.alias?.id !== old?.id) {
    throw new Refusal(400, 'combination of mount and group alias name is already in use');
  }
  // An alias without a group gets one of its own.
  const group = given ?? before ?? newGroup(storage, namespace, GroupType.external, time);
  if (before !== undefined && before.id !== group.id)
    putGroup(storage, namespace, { ...before, alias: null });
  const alias: GroupAlias = {
    id: old?.id ?? randomUUID(),
    name,
    mountAccessor,
    created: old?.created ?? time,
    updated: time,
  };
  putGroup(storage, namespace, { ...group, alias, updated: time, writes: group.writes + 1 });
  return { data: { id: alias.id, canonical_id: group.id } };
}

function read({ storage, request, parameters }: RequestContext): Reply {
  const { namespace } = request;
  const group = groupOfAlias(storage, namespace, parameters['id'] ?? '');
  if (group === undefined) throw new Refusal(404);
  const answer = groupAliasAnswer(storage, namespace, group);
  return {
    data: { ...answer, custom_metadata: null, local: false, namespace_id: namespaceId(storage, namespace) },
  };
}

function remove({ storage, request, parameters, now }: RequestContext): Reply {
  storage.transaction(() => {
    const group = groupOfAlias(storage, request.namespace, parameters['id'] ?? '');
    if (group === undefined) return;
    const updated = formatInstant(now);
    putGroup(storage, request.namespace, { ...group, alias: null, updated, writes: group.writes + 1 });
  });
  return {};
}

function list({ storage, request }: RequestContext): Reply {
  const aliases = groupsOf(storage, request.namespace)
    .flatMap(({ id, alias }) => (alias === null ? [] : [{ canonicalId: id, ...alias }]))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  if (aliases.length === 0) throw new Refusal(404);
  const keyInfo = aliases.map(({ id, canonicalId, name, mountAccessor }) => [
    id,
    {
      canonical_id: canonicalId,
      name,
      mount_accessor: mountAccessor,
      metadata: null,
      custom_metadata: null,
      local: false,
      ...mountAnswer(storage, request.namespace, mountAccessor),
    },
  ]);
  return { data: { keys: aliases.map(({ id }) => id), key_info: Object.fromEntries(keyInfo) } };
}
