import type { Complete } from '../graph.ts';
import type { Difference } from '../graph-difference.ts';
import { type EntityAlias, entityAlias } from '../nodes/other-alias.ts';
import { methodPolicies, type OtherMethod, otherMethod } from '../nodes/other-method.ts';
import { type OtherNode, wordsOf } from '../nodes/other-node.ts';
import type { OtherRole } from '../nodes/other-role.ts';
import { type IssuedTokens, issuedTokens } from '../nodes/tokens.ts';
import { defaultPolicyChange, type SealStatus } from '../policies/default-policy.ts';
import type { Identity } from '../resources/entity.ts';
import { metadataIn } from '../resources/external-group.ts';
import type { ByName } from '../resources/field.ts';

import { configurationOf, listsOf } from '../resources/other-methods.ts';
import { policiesIn, policy } from '../resources/policy.ts';
import type { Subject } from '../subject.ts';
import { isObject } from '../values/json.ts';
import { textsOf } from '../values/loose-values.ts';
import type { Unreadable } from './live-groups.ts';

/** An entity as it was read. */
export interface ReadEntity extends Identity {
  id: string;
  isDisabled: boolean;
  /** Ids of entities that were merged into it: what names one of them means it. */
  mergedIds: string[];
  aliases: { name: string; accessor: string }[];
}

/**
 * An entity as a service lists and answers it.
 *
 * @param listed what the list has of it: its aliases
 * @param data the rest; undefined where it could not be read
 */
export function entityFromWire(
  id: string,
  name: string,
  listed: ByName,
  data: ByName | undefined,
): ReadEntity {
  const isDisabled = data?.['disabled'] === true;
  const aliases = Array.isArray(listed['aliases']) ? listed['aliases'].filter(isObject) : [];
  return {
    kind: 'entity',
    id,
    name,
    isDisabled,
    aliases: aliases.map(({ name, mount_accessor }) => ({
      name: String(name),
      accessor: String(mount_accessor),
    })),
    mergedIds: textsOf(data?.['merged_entity_ids']),
    policies: textsOf(data?.['policies']),
    ...metadataIn(data ?? {}),
  };
}

/** An entity, and again for the id of each that was merged into it. */
export function withMerged(entity: ReadEntity): ReadEntity[] {
  return [entity, ...entity.mergedIds.map((id) => ({ ...entity, id }))];
}

/**
 * Entities that give or take something, and their aliases. An entity without policies, in no group and with one alias
 * changes nothing for a sign-in: its alias is apart.
 *
 * @param isMember whether an entity is in a group
 * @param paths of auth methods by their accessors
 */
export function ofEntities(
  entities: readonly ReadEntity[],
  isMember: (name: string) => boolean,
  paths: ReadonlyMap<unknown, string>,
): { identities: Identity[]; others: OtherNode[]; plainAliases: EntityAlias[] } {
  const isBearing = ({ name, policies, metadata, isDisabled, aliases }: ReadEntity) =>
    policies.length > 0 || metadata || isDisabled || aliases.length > 1 || isMember(name);
  const aliasesOf = ({ name, aliases }: ReadEntity) =>
    aliases.map((alias) => entityAlias(alias.name, paths.get(alias.accessor) ?? alias.accessor, name));
  const bearing = entities.filter(isBearing);
  return {
    identities: bearing.map(({ kind, name, policies, isDisabled, metadata }) => ({
      kind,
      name,
      policies: isDisabled ? [] : policies,
      ...(metadata && { metadata }),
    })),
    others: bearing.flatMap((entity) => [
      ...(entity.isDisabled ? [{ kind: 'disabling', of: 'entity', name: entity.name } as const] : []),
      ...aliasesOf(entity),
    ]),
    plainAliases: entities.filter((entity) => !isBearing(entity)).flatMap(aliasesOf),
  };
}

/** What is read of an auth method that no stack declares. */
interface OtherMethodReads {
  type: string;
  /** What has policies, by list; undefined for a type that is not known. */
  lists: ReturnType<typeof listsOf>;
  /** Where below its path its configuration has policies. Absent for most. */
  config?: string | undefined;
}

/** What to read of a mount that no stack declares. */
export function otherMethodReads(mount: ByName): OtherMethodReads {
  const type = typeOf(mount);
  return {
    type,
    lists: listsOf(type),
    config: configurationOf(type),
  };
}

/** An auth method that no stack declares, as a service answers it. */
export interface AnsweredMethod {
  path: string;
  /** Its configuration, where that has policies; `refused` where it may not be read. */
  config?: ByName | 'refused' | undefined;
  /** Its roles, users, groups and teams. */
  roles: OtherRole[];
}

/** Auth methods that no stack declares, with their roles, users and groups. */
export function ofOtherMethods(
  methods: readonly AnsweredMethod[],
  mounts: ReadonlyMap<string, ByName>,
  unreadable: readonly Unreadable[],
): { others: OtherNode[]; complete: Complete[] } {
  const all = methods.map(({ path, config, roles }) => {
    const mount = mounts.get(path) ?? {};
    const { type, lists } = otherMethodReads(mount);
    const itself = type === 'token' ? [] : [methodOf(path, type, mount, config)];
    const isRead = !unreadable.some(({ subject }) => subject.type === 'other' && subject.method === path);
    return lists === undefined
      ? { path, isWhole: false, access: itself.map((mounted) => ({ ...mounted, isOpaque: true as const })) }
      : { path, isWhole: isRead, access: [...itself, ...roles] };
  });
  return {
    others: all.flatMap(({ access }) => access),
    complete: all.filter(({ isWhole }) => isWhole).map(({ path }) => ({ list: 'others', method: path })),
  };
}

/** A mount, with the policies of its own configuration. */
function methodOf(path: string, type: string, mount: ByName, config: AnsweredMethod['config']): OtherMethod {
  const fields = { type, tune: tuneOf(mount) };
  if (config === undefined) return otherMethod(path, type, fields);
  if (config === 'refused') return { ...otherMethod(path, type, fields), isOpaque: true };
  return otherMethod(path, type, { ...fields, token_policies: policiesIn(config, methodPolicies) });
}

/** A token that was issued, as it is looked up. */
export interface AnsweredToken {
  policies: string[];
  /** Id of its entity. Absent for none. */
  entity?: string | undefined;
}

/** Tokens that were issued, each set of policies and entity once. */
export function ofTokens(
  all: readonly AnsweredToken[],
  entities: readonly ReadEntity[],
  paths: ReadonlyMap<unknown, string>,
): IssuedTokens[] {
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  const issued = all.map(({ policies, entity = '' }) => {
    const of = byId.get(entity);
    const mount = of?.aliases.map((alias) => paths.get(alias.accessor)).find((path) => path !== undefined);
    return issuedTokens(policies.toSorted(), of?.name, mount);
  });
  return [...new Map(issued.map((tokens) => [wordsOf(tokens), tokens])).values()];
}

/** The policy `default`, where it is not what its service comes with. */
export function rewrittenDefault(live: string, status: SealStatus | undefined): Difference[] {
  const change = defaultPolicyChange(live, status);
  if (change === undefined) return [];
  const subject: Subject = { type: policy.type, name: 'default' };
  return [{ kind: 'changed', subject, field: 'text', live, ...change, isLeft: true }];
}

/** The type of an auth mount; in a namespace, that of tokens has another name. */
export function typeOf(mount: ByName): string {
  return String(mount['type']).replace(/^ns_/, '');
}

function tuneOf({ config }: ByName): unknown {
  const { token_type = 'default-service' } = isObject(config) ? config : {};
  return token_type === 'default-service' ? undefined : { token_type };
}
