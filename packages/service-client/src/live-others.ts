import {
  type Complete,
  configured,
  type Difference,
  defaultPolicyChange,
  disabling,
  entity,
  entityAlias,
  type Identity,
  issuedTokens,
  listsOf,
  type MethodList,
  metadataIn,
  mountPolicies,
  type OtherAccess,
  otherMount,
  otherRole,
  policiesIn,
  policy,
  type Subject,
  textOf,
  textsOf,
} from '@gatehouse/core/graph';
import { isObject } from '@gatehouse/core/values';
import { unmanaged } from './live-groups.ts';
import { infoOf, keysOf, nameOf, type Reading, refused } from './reading.ts';
import type { JsonObject } from './service-client.ts';

/** An entity as it was read. */
export interface ReadEntity extends Identity {
  id: string;
  isDisabled: boolean;
  /** Ids of entities that were merged into it: what names one of them means it. */
  mergedIds: string[];
  aliases: { name: string; accessor: string }[];
}

/** All entities: their names and aliases from the list, the rest one by one. */
export async function readEntities(reading: Reading): Promise<ReadEntity[]> {
  const list = await reading.list({ type: entity.type }, 'identity/entity/id');
  if (list === refused) return [];
  return reading.each(keysOf(list), async (id): Promise<ReadEntity> => {
    const name = nameOf(list, id);
    const data = await reading.read({ type: entity.type, name }, `identity/entity/id/${id}`);
    const isDisabled = data?.['disabled'] === true;
    return {
      ...{ kind: 'entity', id, name, isDisabled, aliases: aliasesIn(infoOf(list, id)) },
      mergedIds: textsOf(data?.['merged_entity_ids']),
      policies: isDisabled ? [] : textsOf(data?.['policies']),
      ...metadataIn(data ?? {}),
    };
  });
}

/** An entity, and again for the id of each that was merged into it. */
export function withMerged(one: ReadEntity): ReadEntity[] {
  return [one, ...one.mergedIds.map((id) => ({ ...one, id }))];
}

function aliasesIn(info: JsonObject): ReadEntity['aliases'] {
  const aliases = Array.isArray(info['aliases']) ? info['aliases'].filter(isObject) : [];
  return aliases.map(({ name, mount_accessor }) => ({
    name: String(name),
    accessor: String(mount_accessor),
  }));
}

/**
 * Entities that give or take something, and their aliases. An entity without policies, in no group and with one alias
 * changes nothing for a sign-in, and is left out.
 *
 * @param isMember whether an entity is in a group
 * @param paths of auth methods by their accessors
 */
export function ofEntities(
  entities: readonly ReadEntity[],
  isMember: (name: string) => boolean,
  paths: ReadonlyMap<unknown, string>,
): { identities: Identity[]; otherAccess: OtherAccess[] } {
  const bearing = entities.filter(
    ({ name, policies, metadata, isDisabled, aliases }) =>
      policies.length > 0 || metadata || isDisabled || aliases.length > 1 || isMember(name),
  );
  return {
    identities: bearing.map(({ kind, name, policies, metadata }) => ({
      kind,
      name,
      policies,
      ...(metadata && { metadata }),
    })),
    otherAccess: bearing.flatMap(({ name, isDisabled, aliases }) => [
      ...(isDisabled ? [disabling('entity', name)] : []),
      ...aliases.map((alias) => entityAlias(alias.name, paths.get(alias.accessor) ?? alias.accessor, name)),
    ]),
  };
}

/** Auth methods that no stack declares, with their roles, users and groups. */
export async function readOtherMethods(
  reading: Reading,
  mounts: ReadonlyMap<string, JsonObject>,
): Promise<{ otherAccess: OtherAccess[]; complete: Complete[] }> {
  const all = await reading.each([...mounts], async ([path, mount]) => {
    const type = typeOf(mount);
    const lists = listsOf(type);
    const itself = type === 'token' ? [] : [await readMount(reading, path, mount)];
    if (lists === undefined) return itself.map((one) => ({ ...one, isOpaque: true as const }));
    const found = await Promise.all(lists.map((list) => readList(reading, { type, path }, list)));
    return [...itself, ...found.flat()];
  });
  const isWhole = ([path, mount]: [string, JsonObject]) =>
    listsOf(typeOf(mount)) !== undefined &&
    !reading.unreadable.some(({ subject }) => subject.type === 'other' && subject.method === path);
  return {
    otherAccess: all.flat(),
    complete: [...mounts].filter(isWhole).map(([method]) => ({ list: 'otherAccess', method })),
  };
}

/** A mount, with the policies of its own configuration. */
async function readMount(reading: Reading, path: string, mount: JsonObject): Promise<OtherAccess> {
  const type = typeOf(mount);
  const fields = { type, tune: tuneOf(mount) };
  const at = Object.hasOwn(configured, type) ? configured[type] : undefined;
  if (at === undefined) return otherMount(path, type, fields);
  const subject = { type: 'other' as const, name: `configuration of auth/${path}`, method: path };
  const data = await reading.data(subject, `auth/${path}/${at}`);
  if (data === refused) return { ...otherMount(path, type, fields), isOpaque: true };
  return otherMount(path, type, { ...fields, token_policies: policiesIn(data ?? {}, ...mountPolicies) });
}

async function readList(
  reading: Reading,
  { type, path: mount }: { type: string; path: string },
  { path, read = path, noun, where }: MethodList,
): Promise<OtherAccess[]> {
  const name = `${path} of auth/${mount}`;
  const config = where && (await reading.words(`auth/${mount}/config`));
  const at = { type, mount, noun, where: where && config ? textOf(config[where]) : undefined };
  const list = await reading.list({ type: 'other', name, method: mount }, `auth/${mount}/${path}`);
  return reading.each(list === refused ? [] : keysOf(list), async (name) => {
    const none = otherRole({ ...at, name }, {});
    const subject = { type: 'other' as const, name: none.name, method: mount };
    const data = await reading.data(subject, `auth/${mount}/${read}/${name}`);
    if (data === refused) return { ...none, isOpaque: true as const };
    if (data === undefined) return undefined;
    // GitHub's mappings hold the names of policies as one text.
    const { key: _, value, ...fields } = data;
    return otherRole({ ...at, name }, { ...fields, ...(value !== undefined && { policies: value }) });
  });
}

const tokens = { type: 'other' as const, name: 'tokens' };

/** Tokens that were issued, each set of policies and entity once. Who may read them may end them: it takes sudo. */
export async function readTokens(
  reading: Reading,
  entities: readonly ReadEntity[],
  paths: ReadonlyMap<unknown, string>,
): Promise<{ otherAccess: OtherAccess[]; complete: Complete[] }> {
  const byId = new Map(entities.map((one) => [one.id, one]));
  const list = await reading.list(tokens, 'auth/token/accessors');
  const all = await reading.each(list === refused ? [] : keysOf(list), async (accessor) => {
    const data = await reading.ask(tokens, 'auth/token/lookup-accessor', { accessor });
    if (data === undefined) return undefined;
    const of = byId.get(textOf(data['entity_id']) ?? '');
    const mount = of?.aliases.map((alias) => paths.get(alias.accessor)).find((path) => path !== undefined);
    return issuedTokens(textsOf(data['policies']).sort(), of?.name, mount);
  });
  const isWhole = !reading.unreadable.some(({ subject }) => subject.name === tokens.name);
  return {
    otherAccess: [...new Map(all.map((one) => [one.name, one])).values()],
    complete: isWhole ? [{ list: 'tokens' }] : [],
  };
}

/** What bears on sign-ins and stands in no auth method: where it is listed → what one is called, and what it does. */
const apart = {
  'auth/token/roles': ['token role', 'tokens are made with it'],
  'identity/mfa/login-enforcement': ['login enforcement', 'it asks for a second factor'],
  'sys/namespaces': ['namespace', 'it has auth methods of its own'],
} as const;

export async function readApart(reading: Reading): Promise<Difference[]> {
  const all = Object.entries(apart).map(async ([path, [noun, note]]) => {
    const list = await reading.list({ type: 'other', name: `${noun}s` }, path, true);
    const names = list === refused ? [] : keysOf(list);
    return names.map((name) => unmanaged({ type: 'other', name: `${noun} ${JSON.stringify(name)}` }, note));
  });
  return (await Promise.all(all)).flat();
}

/** The policy `default`, where it is not what services have from the start. */
export function rewrittenDefault(live: string): Difference[] {
  const note = defaultPolicyChange(live);
  if (note === undefined) return [];
  const subject: Subject = { type: policy.type, name: 'default' };
  return [{ kind: 'changed', subject, field: 'text', live, note, isLeft: true }];
}

/** The type of an auth mount; in a namespace, that of tokens has another name. */
export function typeOf(mount: JsonObject): string {
  return String(mount['type']).replace(/^ns_/, '');
}

function tuneOf({ config }: JsonObject): unknown {
  const { token_type = 'default-service' } = isObject(config) ? config : {};
  return token_type === 'default-service' ? undefined : { token_type };
}
