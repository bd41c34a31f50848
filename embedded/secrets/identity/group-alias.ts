import { randomUUID } from 'node:crypto';
import { aliasFields } from '../../../core/model/resources/external-group.ts';
import { formatInstant } from '../../../core/model/values/instant.ts';
import { mountOfAccessor } from '../mounts/mount.ts';
import { textField, writtenFields } from '../protocol/fields.ts';
import type { Reply, RequestContext } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type Group, GroupType, groups, newGroup } from './group.ts';
import type { Alias } from './records.ts';

/** Writes the alias with the body's id, or a new one (openbao/openbao vault/identity_store_group_aliases.go). */
export function registerGroupAlias(context: RequestContext): Reply {
  const id = textField(context.request.body, 'id');
  if (id !== undefined) return writeGroupAlias(context, id);
  return context.storage.transaction(() => write(context, undefined));
}

export function writeGroupAlias(context: RequestContext, id: string): Reply {
  if (id === '') throw new Refusal(400, 'empty group alias ID');
  return context.storage.transaction(() => {
    const group = groups.ofAlias(context.storage, context.request.namespace, id);
    if (group === undefined) throw new Refusal(400, 'invalid group alias ID');
    return write(context, group);
  });
}

/** Writes the alias of `before`, or a new one. */
function write({ storage, request, now }: RequestContext, before: Group | undefined): Reply {
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
