import {
  apartList,
  apartSubject,
  type Difference,
  entity,
  entityFromWire,
  type liveGraphOf,
  otherMethodReads,
  otherRole,
  textOf,
  textsOf,
  wordsOf,
} from '@gatehouse/core/graph';
import { infoOf, keysOf, nameOf, type Reading, refused } from './reading.ts';
import type { JsonObject } from './service-client.ts';

type GraphAnswers = Parameters<typeof liveGraphOf>[0];

/** All entities: their names and aliases from the list, the rest one by one. */
export async function readEntities(reading: Reading): Promise<GraphAnswers['entities']> {
  const list = await reading.list({ type: entity.type }, 'identity/entity/id');
  if (list === refused) return [];
  return reading.each(keysOf(list), async (id) => {
    const name = nameOf(list, id);
    const data = await reading.read({ type: entity.type, name }, `identity/entity/id/${id}`);
    return entityFromWire(id, name, infoOf(list, id), data);
  });
}

/** Auth methods that no stack declares, with their roles, users and groups. */
export async function readOtherMethods(
  reading: Reading,
  mounts: ReadonlyMap<string, JsonObject>,
): Promise<NonNullable<GraphAnswers['otherMethods']>> {
  return reading.each([...mounts], async ([path, mount]) => {
    const { type, lists = [], config: at } = otherMethodReads(mount);
    const subject = { type: 'other' as const, name: `configuration of method ${path}`, method: path };
    const config = at === undefined ? undefined : ((await reading.data(subject, `auth/${path}/${at}`)) ?? {});
    const roles = await Promise.all(lists.map((list) => readList(reading, { type, path }, list)));
    return { path, config: config === refused ? ('refused' as const) : config, roles: roles.flat() };
  });
}

type OtherMethodList = NonNullable<ReturnType<typeof otherMethodReads>['lists']>[number];

async function readList(
  reading: Reading,
  { type, path: method }: { type: string; path: string },
  { path, read = path, noun, where }: OtherMethodList,
) {
  const name = `${path} of auth/${method}`;
  const config = where && (await reading.words(`auth/${method}/config`));
  const at = { type, method, noun };
  const asked = where && config ? textOf(config[where]) : undefined;
  const list = await reading.list({ type: 'other', name, method }, `auth/${method}/${path}`);
  return reading.each(list === refused ? [] : keysOf(list), async (name) => {
    const none = otherRole({ ...at, name }, {}, asked);
    const subject = { type: 'other' as const, name: wordsOf(none), method };
    const data = await reading.data(subject, `auth/${method}/${read}/${name}`);
    if (data === refused) return { ...none, isOpaque: true as const };
    if (data === undefined) return undefined;
    // GitHub's mappings hold the names of policies as one text.
    const { key: _, value, ...fields } = data;
    return otherRole({ ...at, name }, { ...fields, ...(value !== undefined && { policies: value }) }, asked);
  });
}

const tokens = { type: 'other' as const, name: 'tokens' };

/** Tokens that were issued. Who may read them may end them: it takes sudo. */
export async function readTokens(reading: Reading) {
  const list = await reading.list(tokens, 'auth/token/accessors');
  return reading.each(list === refused ? [] : keysOf(list), async (accessor) => {
    const data = await reading.ask(tokens, 'auth/token/lookup-accessor', { accessor });
    return data && { policies: textsOf(data['policies']), entity: textOf(data['entity_id']) };
  });
}

/** Login enforcements, which ask sign-ins for a second factor. Services without them do not know the path. */
export async function readGuards(reading: Reading): Promise<NonNullable<GraphAnswers['guards']>> {
  const path = 'identity/mfa/login-enforcement';
  // One that may not be read leaves all of them open, as the list does.
  const subject = { type: 'other' as const, name: apartList('enforcement') };
  const list = await reading.list(subject, path, true);
  return reading.each(list === refused ? [] : keysOf(list), async (name) => {
    const fields = await reading.read(subject, `${path}/${name}`);
    return fields && { name, fields };
  });
}

/** Parts outside auth methods that affect sign-ins: path of the list → noun of a part, and what it does. */
const apart = {
  'identity/mfa/login-enforcement': ['enforcement', 'it asks for a second factor'],
  'sys/namespaces': ['namespace', 'it has auth methods of its own'],
} as const;

export async function readApart(reading: Reading): Promise<Difference[]> {
  const all = Object.entries(apart).map(async ([path, [kind, note]]) => {
    const list = await reading.list({ type: 'other', name: apartList(kind) }, path, true);
    const names = list === refused ? [] : keysOf(list);
    return names.map((name) => ({
      kind: 'unmanaged' as const,
      note,
      subject: apartSubject(kind, name),
    }));
  });
  return (await Promise.all(all)).flat();
}
