import {
  acmeOrders,
  apartList,
  type CredentialSource,
  identityTokenRole,
  type PkiEngine,
  pkiRole,
  textOf,
  textsOf,
} from '@gatehouse/core/graph';
import { isObject } from '@gatehouse/core/values';
import { keysOf, type Reading, refused } from './reading.ts';
import type { JsonObject } from './service-client.ts';

/** What hands out credentials on a service. Secrets themselves are not read. */
export interface AnsweredSources {
  sources: CredentialSource[];
  /** Whether nothing else hands out identity tokens or certificates. */
  isAll: boolean;
  /** Names of the namespaces in it; undefined where they may not be read. */
  namespaces: string[] | undefined;
}

/** Roles of identity tokens, and PKI engines with their roles, authorities and ACME. */
export async function readSources(reading: Reading): Promise<AnsweredSources> {
  const [tokens, engines, namespaces] = await Promise.all([
    readIdentityTokens(reading),
    readEngines(reading),
    reading.list({ type: 'other', name: apartList('namespace') }, 'sys/namespaces', true),
  ]);
  return {
    sources: [...tokens.sources, ...engines.sources],
    isAll: tokens.isAll && engines.isAll,
    namespaces: namespaces === refused ? undefined : keysOf(namespaces),
  };
}

type SourcesOfPart = Pick<AnsweredSources, 'sources' | 'isAll'>;

const other = (name: string) => ({ type: 'other' as const, name });

/** Services without identities do not know the paths. Clients of a service as a provider get such tokens, too, and are not looked at. */
async function readIdentityTokens(reading: Reading): Promise<SourcesOfPart> {
  const subject = other('roles of identity tokens');
  const [list, clients] = await Promise.all([
    reading.list(subject, 'identity/oidc/role', true),
    reading.list(other('clients of identity tokens'), 'identity/oidc/client', true),
  ]);
  const keys = new Map<string, ReturnType<Reading['read']>>();
  const keyOf = (name: string) => {
    const key = keys.get(name) ?? reading.read(other('keys of identity tokens'), `identity/oidc/key/${name}`);
    keys.set(name, key);
    return key;
  };
  const names = list === refused ? [] : keysOf(list);
  const sources = await reading.each(names, async (name) => {
    const fields = await reading.read(subject, `identity/oidc/role/${name}`);
    if (fields === undefined) return undefined;
    const key = textOf(fields['key']);
    return identityTokenRole(name, sideOf(fields), key === undefined ? key : await keyOf(key));
  });
  const hasClients = clients === refused || keysOf(clients).length > 0;
  return { sources, isAll: list !== refused && sources.length === names.length && !hasClients };
}

async function readEngines(reading: Reading): Promise<SourcesOfPart> {
  const mounts = await reading.data(other('secrets engines'), 'sys/mounts');
  if (mounts === refused) return { sources: [], isAll: false };
  const paths = Object.entries(mounts ?? {}).flatMap(([path, mount]) =>
    isObject(mount) && mount['type'] === 'pki' ? [path.replace(/\/$/, '')] : [],
  );
  const engines = await reading.each(paths, (path) => readEngine(reading, path));
  return {
    sources: engines.flatMap(({ sources }) => sources),
    isAll: engines.every(({ isAll }) => isAll),
  };
}

/** Protocols other than ACME by which an engine gives certificates without a token; not on OpenBao. */
const protocols = ['est', 'scep', 'cmp'];

async function readEngine(reading: Reading, mount: string): Promise<SourcesOfPart> {
  const subject = other(`PKI engine ${mount}`);
  // Older services, and others, have no such protocols.
  const configurationOf = (protocol: string) => reading.data(subject, `${mount}/config/${protocol}`, true);
  const [list, acme, others, authorities] = await Promise.all([
    reading.list(subject, `${mount}/roles`),
    configurationOf('acme'),
    Promise.all(protocols.map(configurationOf)),
    readAuthorities(reading, mount),
  ]);
  const names = list === refused ? [] : keysOf(list);
  const roles = await reading.each(names, async (name) => {
    const fields = await reading.read(subject, `${mount}/roles/${name}`);
    return fields && pkiRole(mount, name, sideOf(fields));
  });
  const orders = acme === refused || acme === undefined ? undefined : acmeOrders(mount, sideOf(acme));
  // Orders with a key of an account are not looked at.
  const isOff = (configuration: JsonObject | typeof refused | undefined) =>
    configuration !== refused && configuration?.['enabled'] !== true;
  const hasAll = authorities !== undefined && (orders !== undefined || isOff(acme)) && others.every(isOff);
  const engine: PkiEngine = {
    kind: 'pkiEngine',
    mount,
    ...(authorities && { authorities }),
    ...(hasAll && { hasAll }),
  };
  return {
    sources: [engine, ...roles, ...(orders === undefined ? [] : [orders])],
    isAll: list !== refused && roles.length === names.length && acme !== refused,
  };
}

const sideOf = (fields: JsonObject) => ({ fields, unknown: [] });

/** Its authorities with those above them; undefined where one cannot be read: it may be any. */
async function readAuthorities(reading: Reading, mount: string): Promise<string[] | undefined> {
  const subject = other(`authorities of PKI engine ${mount}`);
  const list = await reading.list(subject, `${mount}/issuers`);
  const ids = list === refused ? [] : keysOf(list);
  const issuers = await reading.each(ids, (id) => reading.read(subject, `${mount}/issuer/${id}/json`));
  if (list === refused || issuers.length < ids.length) return undefined;
  const authorities = issuers.flatMap(({ certificate, ca_chain: chain }) =>
    [...textsOf([certificate]), ...textsOf(chain)].map((text) => text.trim()),
  );
  return [...new Set(authorities)];
}
