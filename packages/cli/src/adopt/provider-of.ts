import { declareProvider, type ServiceSettings } from '@gatehouse/core/environment';
import {
  type AuthMethod,
  adoptedSettings,
  canonicalOf,
  configFields,
  type Fields,
  formatDuration,
  type Graph,
  isDuration,
  isMethodType,
  isSame,
  kindById,
  method as methodResource,
  ownConfigFields,
  type ProviderKind,
  type Role,
  roleFields,
  role as roleResource,
  roleSubject,
  type Subject,
  tuneFields,
} from '@gatehouse/core/graph';
import { addAll } from '@gatehouse/core/values';

/** A provider as it is written into an environment. */
export interface WrittenProvider extends Record<string, unknown> {
  kind: ProviderKind;
  name: string;
  roles?: Record<string, unknown>[];
  groups?: { name: string }[];
}

/** What is not written, and why: a part of the service, or one field of it. */
export interface Left {
  subject: Subject;
  why: string;
}

/** The provider of a method, if some kind has such methods, and what it leaves out. */
export interface ProviderOf {
  provider?: WrittenProvider;
  left: Left[];
}

export const undeclarable = 'no stack can declare this field: it stays as it is';

/**
 * The provider that declares an auth method as it is: the kind whose issuers look like the method's, unless one for any
 * issuer declares more of its roles; its settings, and in each role only what differs from the defaults of the kind. Its
 * declaration is compared with the method.
 */
export function providerOf(method: AuthMethod, graph: Graph, service: ServiceSettings): ProviderOf {
  const roles = graph.roles.filter((role) => role.method === method.path);
  const declares = ({ provider }: ProviderOf) =>
    provider === undefined ? -1 : (provider.roles ?? []).length;
  let best: ProviderOf | undefined;
  for (const settings of adoptedSettings(method, roles)) {
    const candidate = providerAs(settings, method, roles, graph, service);
    if (best === undefined || declares(candidate) > declares(best)) best = candidate;
    if (declares(best) === roles.length) break;
  }
  best ??= { left: [{ subject: { type: 'method', name: method.path }, why: withoutKind(method) }] };
  if (best.provider !== undefined) return best;
  const why = 'its auth method is not adopted';
  return { left: [...best.left, ...roles.map((role) => ({ subject: roleSubject(role), why }))] };
}

function providerAs(
  settings: ReturnType<typeof adoptedSettings>[number],
  method: AuthMethod,
  roles: Role[],
  graph: Graph,
  service: ServiceSettings,
): ProviderOf {
  const subject: Subject = { type: 'method', name: method.path };
  const groups = groupsThrough(method, graph);
  const name = method.path.replace(/[^\w-]+/g, '-');
  const tune = split(tuneFields, method.tune ?? {});
  const shared = {
    name,
    ...(name !== method.path && { path: method.path }),
    ...(method.description !== undefined && { description: method.description }),
    ...(Object.keys(tune.plain).length > 0 && { tune: tune.plain }),
    ...(method.config.defaultRole !== undefined && { defaultRole: method.config.defaultRole }),
    ...(groups.length > 0 && { groups }),
  };
  const left: Left[] = tune.live.map((field) => ({
    subject: { ...subject, field: `tune.${field}` },
    why: undeclarable,
  }));
  const configured = withOwnConfig({ ...settings, ...shared } as WrittenProvider, method, service);
  if ('why' in configured) return { left: [{ subject, why: configured.why }] };
  const { written } = configured;
  addAll(
    left,
    configured.live.map((field) => ({ subject: { ...subject, field }, why: undeclarable })),
  );
  const entries = roles.flatMap((role) => {
    const { entry, leftFields = [], why } = roleEntry(role, written, service);
    const leftRole = roleSubject(role);
    if (entry === undefined) {
      left.push({ subject: leftRole, why: why ?? '' });
      return [];
    }
    addAll(
      left,
      leftFields.map((field) => ({ subject: { ...leftRole, field }, why: undeclarable })),
    );
    return [entry];
  });
  const provider = {
    ...written,
    ...(written['tune'] ? { tune: withDurations(tuneFields, written['tune']) } : {}),
    ...(written['config'] ? { config: withDurations(configFields, written['config']) } : {}),
    ...(entries.length > 0 && { roles: entries.map((entry) => withDurations(roleFields, entry)) }),
  };
  if (kindById(written.kind).hasNoGroups && !roles.some(({ groupsClaim }) => groupsClaim)) {
    delete provider.groups;
    for (const group of groups) {
      const why = 'no role of its auth method reads groups, so no one is in it';
      left.push({ subject: { type: 'group', name: group.name }, why });
    }
  }
  return { provider, left };
}

/** The groups whose aliases are of a method, each with its name in tokens. */
function groupsThrough({ path }: AuthMethod, { aliases, groups }: Graph) {
  return aliases
    .filter(({ method }) => method === path)
    .flatMap((alias) => {
      const group = groups.find(({ name }) => name === alias.group);
      return group === undefined ? [] : [{ ...group, alias: alias.name }];
    });
}

/** Values with durations as people write them. Numbers that stand for none or for no limit stay numbers. */
function withDurations(table: Fields, values: object): Record<string, unknown> {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' && value > 0 && isDuration(table, name) ? formatDuration(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function withoutKind(method: AuthMethod): string {
  const byAddress = (['jwksUrl', 'jwksPairs'] as const).filter((field) => method.config[field]?.length);
  if (byAddress.length > 0)
    return `no provider kind of type ${method.type} has its keys by ${byAddress.join(' and ')}`;
  const issuer = JSON.stringify(method.config.oidcDiscoveryUrl ?? '');
  return `no provider kind has this oidcDiscoveryUrl (${issuer}) with these settings`;
}

/**
 * The provider with the settings in which its method differs from what the kind says, and the fields that only a service holds.
 * Where the provider would still declare another method, the result names the fields in which it differs.
 */
function withOwnConfig(
  written: WrittenProvider,
  method: AuthMethod,
  service: ServiceSettings,
): { written: WrittenProvider; live: string[] } | { why: string } {
  const methodFields = split(configFields, methodWithoutTune(method));
  const bare = declared(written, service);
  if ('why' in bare) return bare;
  const own = differing(methodWithoutTune(bare.method), methodFields.plain).filter(
    (field) => field in ownConfigFields,
  );
  const { jwtSupportedAlgs, ...config }: Record<string, unknown> = Object.fromEntries(
    own.map((field) => [
      field,
      method.config[field as keyof typeof ownConfigFields] ??
        unsetValueOf(methodWithoutTune(bare.method)[field]),
    ]),
  );
  const whole = {
    ...written,
    ...(jwtSupportedAlgs === undefined ? {} : { jwtSupportedAlgs }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
  };
  const declaration = declared(whole, service);
  if ('why' in declaration) return declaration;
  const differences = differing(methodWithoutTune(declaration.method), methodFields.plain);
  if (differences.length === 0) return { written: whole, live: methodFields.live };
  return {
    why: `as ${written.kind}, the kind that fits best, it would get another ${differences.join(' and ')}`,
  };
}

/** Only what differs from the defaults of the kind, and the fields that only a service holds; or why there is none. */
function roleEntry(
  role: Role,
  provider: WrittenProvider,
  service: ServiceSettings,
): { entry?: Record<string, unknown>; leftFields?: string[]; why?: string } {
  const { method: _method, roleType, ...all } = role;
  const { plain: fields } = split(roleFields, all);
  const { adoptRole, methodType } = kindById(provider.kind);
  if (isMethodType(roleType) && roleType !== methodType) {
    return { why: `${provider.kind} has no roles of roleType ${roleType}` };
  }
  const own = adoptRole === undefined ? {} : adoptRole(role);
  if (own === undefined) {
    return {
      why: `it accepts ${role.boundSubject ? `the subject ${JSON.stringify(role.boundSubject)}` : 'any subject'}, which ${provider.kind} cannot declare; kind jwt can`,
    };
  }
  const identity = { ...own, name: role.name };
  const { plain: canonicalRole, live } = split(roleFields, canonicalOf(roleResource, role));
  const declarationOf = (entry: Record<string, unknown>) =>
    declared({ ...provider, roles: [entry] }, service);
  const canonical = (entry: Record<string, unknown>): Record<string, unknown> => {
    const declaration = declarationOf(entry);
    const declaredRole = 'roles' in declaration ? declaration.roles[0] : undefined;
    return declaredRole === undefined ? {} : canonicalOf(roleResource, declaredRole);
  };
  // The smallest entry may not be valid. Then every field is written.
  const byFullEntry = canonical({ ...identity, ...fields });
  const byKind = canonical(identity);
  const entry: Record<string, unknown> = { ...identity };
  for (const name of Object.keys(canonicalRole)) {
    if (!isSame(byKind[name], canonicalRole[name])) entry[name] = fields[name];
  }
  for (const [name, value] of Object.entries({ ...byFullEntry, ...byKind })) {
    if (!(name in canonicalRole)) entry[name] = unsetValueOf(value);
  }
  const declaration = declarationOf(entry);
  if ('why' in declaration) return { why: declaration.why };
  const differences = differing(canonical(entry), canonicalRole);
  if (differences.length > 0)
    return { why: `as a role of ${provider.kind} it would get another ${differences.join(' and ')}` };
  return { entry, leftFields: live };
}

/** The tuning is compared by itself: a service holds more of it than a stack declares. */
function methodWithoutTune({ tune: _tune, ...method }: AuthMethod): Record<string, unknown> {
  return canonicalOf(methodResource, method);
}

/** Separates the values whose field a stack can declare from the names of the fields that only a service holds. */
export function split(table: Fields, values: object): { plain: Record<string, unknown>; live: string[] } {
  const isLive = ([name]: [string, unknown]) => table[name]?.liveOnly === true;
  const entries = Object.entries(values);
  return {
    plain: Object.fromEntries(entries.filter((entry) => !isLive(entry))),
    live: entries.filter(isLive).map(([name]) => name),
  };
}

function differing(asDeclared: Record<string, unknown>, asLive: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(asDeclared), ...Object.keys(asLive)])].filter(
    (field) => !isSame(asDeclared[field], asLive[field]),
  );
}

/** The value that unsets a field which the kind would set. */
function unsetValueOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === 'object') return {};
  return typeof value === 'string' ? '' : typeof value === 'number' ? 0 : false;
}

/** What a provider declares as it is written; or the fields for which it is not valid. */
function declared(written: WrittenProvider, service: ServiceSettings) {
  const parsed = kindById(written.kind).settings.safeParse(written);
  if (parsed.success) return declareProvider(parsed.data, service);
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { why: `no ${written.kind} can be written so: ${problems.join('; ')}` };
}
