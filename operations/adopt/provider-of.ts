import { canonicalMethod, canonicalRole } from '../../core/model/canonical.ts';
import { declareProvider } from '../../core/model/declared.ts';
import type { Service } from '../../core/model/environment.ts';
import { adoptedSettings, kindById, type ProviderKind } from '../../core/model/kinds/kinds.ts';
import type { AuthMethod } from '../../core/model/resources/auth-method.ts';
import { isSame } from '../../core/model/resources/field.ts';
import type { Role } from '../../core/model/resources/role.ts';
import type { State } from '../../core/model/state.ts';

/** A provider as it is written into an environment. */
export interface WrittenProvider extends Record<string, unknown> {
  kind: ProviderKind;
  name: string;
  roles?: Record<string, unknown>[];
}

/** A provider and the roles that it cannot have; or why there is none. */
export type ProviderOf = { provider: WrittenProvider; leftRoles: string[] } | { why: string };

/**
 * The provider that declares an auth method as it is: the kind whose issuers look like the method's, its settings, and
 * in each role only what differs from the defaults of the kind. What it declares is compared with the method.
 */
export function providerOf(method: AuthMethod, state: State, service: Service): ProviderOf {
  const roles = state.roles.filter((role) => role.method === method.path);
  const groups = state.aliases
    .filter((alias) => alias.method === method.path)
    .flatMap((alias) => {
      const group = state.groups.find(({ name }) => name === alias.group);
      return group === undefined ? [] : [{ ...group, alias: alias.name }];
    });
  const name = method.path.replace(/[^\w-]+/g, '-');
  const shared = {
    name,
    ...(name === method.path ? {} : { path: method.path }),
    ...(method.description === undefined ? {} : { description: method.description }),
    ...(method.tune === undefined ? {} : { tune: method.tune }),
    ...(method.config.defaultRole === undefined ? {} : { defaultRole: method.config.defaultRole }),
    ...(groups.length === 0 ? {} : { groups }),
  };
  const adopted = adoptedSettings(method, roles);
  const written = { ...adopted, ...shared } as WrittenProvider;
  const bare = adopted && declared(written, service);
  if (bare === undefined || !isSame(canonicalMethod(bare.method), canonicalMethod(method))) {
    return { why: 'no provider kind has such a method: its issuer, keys or settings are different' };
  }
  const leftRoles: string[] = [];
  const entries = roles.flatMap((role) => {
    const entry = roleEntry(role, written, service);
    if (entry === undefined) leftRoles.push(role.name);
    return entry === undefined ? [] : [entry];
  });
  return { provider: entries.length === 0 ? written : { ...written, roles: entries }, leftRoles };
}

/** Only what differs from the defaults of the kind; undefined where no entry declares the role. */
function roleEntry(
  role: Role,
  provider: WrittenProvider,
  service: Service,
): Record<string, unknown> | undefined {
  const { method: _method, roleType: _type, ...fields } = role;
  const { adoptRole } = kindById(provider.kind);
  const own = adoptRole === undefined ? {} : adoptRole(role);
  if (own === undefined) return undefined;
  const identity = { name: role.name, ...own };
  const wanted = canonicalRole(role);
  const comesTo = (entry: Record<string, unknown>) =>
    declared({ ...provider, roles: [entry] }, service)?.roles.map(canonicalRole)[0];
  // The least entry may not be valid. Then everything is written.
  const given = comesTo({ ...identity, ...fields }) ?? {};
  const byKind = comesTo(identity) ?? {};
  const entry: Record<string, unknown> = { ...identity };
  for (const name of Object.keys(wanted)) {
    if (!isSame(byKind[name], wanted[name])) entry[name] = fields[name as keyof typeof fields];
  }
  for (const [name, value] of Object.entries({ ...given, ...byKind })) {
    if (!(name in wanted)) entry[name] = emptyOf(value);
  }
  return isSame(comesTo(entry), wanted) ? entry : undefined;
}

/** The value that unsets a field which the kind would set. */
function emptyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === 'object') return {};
  return typeof value === 'string' ? '' : typeof value === 'number' ? 0 : false;
}

function declared(written: WrittenProvider, service: Service) {
  const parsed = kindById(written.kind).settings.safeParse(written);
  return parsed.success ? declareProvider(parsed.data, service) : undefined;
}
