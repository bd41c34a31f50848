import { type DeclaredProvider, declareProvider } from '@gatehouse/core/environment';
import {
  configFields,
  defined,
  describeProblem,
  type Fields,
  groupFields,
  kinds,
  type ProviderKind,
  type ProviderSettings,
  providerConfigToWire,
  roleFields,
  shapeOf,
} from '@gatehouse/core/graph';
import { Dialect, GatehouseError, names } from '@gatehouse/core/values';
import * as pulumi from '@pulumi/pulumi';
import { AuthMethod } from '../components/auth-method.ts';
import { ExternalGroup } from '../components/external-group.ts';
import { type Later, type LaterFields, mapInput } from '../components/inputs.ts';
import { Role, type RoleArgs } from '../components/role.ts';
import type { ProviderArgs, Service } from './provider-args.ts';

/** What names a provider's resources, or decides which there are: always plain. */
interface ProviderParts {
  kind: ProviderKind;
  name: string;
  roles?: { name: string; boundClaims?: RoleArgs['boundClaims'] }[];
  groups?: { name: string; alias?: pulumi.Input<string> | undefined }[];
}

/** What a provider has in addition to its declared graph. */
export interface ProviderAdditions {
  clientSecret?: pulumi.Input<string> | undefined;
  serviceAccountKey?: pulumi.Input<string> | undefined;
  /** Namespace of all of it, below the plugin's own. Defaults to the plugin's own. */
  namespace?: pulumi.Input<string> | undefined;
  /** Client id of an application that the program creates. */
  createdClientId?: pulumi.Input<string>;
  /** What must be there before the auth method is configured. */
  dependsOn?: pulumi.Resource[];
}

/**
 * Creates the resources of a provider, as children of its component. `packages/core/src/graph` works out their declared graph, from
 * plain values at once, from outputs when they are known.
 */
export function compose(
  parent: pulumi.ComponentResource,
  name: string,
  kind: ProviderKind,
  args: ProviderArgs & Omit<ProviderAdditions, 'createdClientId' | 'dependsOn'>,
  additions: ProviderAdditions = {},
): ProviderOutputs {
  const { service, clientSecret, serviceAccountKey, namespace, ...providerArgs } = args;
  const settings = { ...providerArgs, kind, name };
  const declared = mapInput({ settings, service }, (plain) => declareGiven(plain.settings, plain.service));
  const all = { clientSecret, serviceAccountKey, namespace, ...additions };
  const { method, roleIds, groupIds } = composeDeclared(parent, settings, declared, all);
  return {
    path: method.path,
    accessor: method.accessor,
    roles: pulumi.output(Object.fromEntries(roleIds)),
    groups: pulumi.output(Object.fromEntries(groupIds)),
  };
}

/** What every provider's component tells. */
export interface ProviderOutputs {
  /** Mount path of the auth method. */
  path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  accessor: pulumi.Output<string>;
  /** Name of a role → its path in the service. */
  roles: pulumi.Output<Record<string, string>>;
  /** Name of an external group → its id in the service. */
  groups: pulumi.Output<Record<string, string>>;
}

/** Makes outputs fields of a component, and returns them: what it is to register. */
export function setOutputs<Outputs extends object>(component: object, outputs: Outputs): Outputs {
  Object.assign(component, outputs);
  return outputs;
}

interface BuiltProvider {
  method: AuthMethod;
  /** Paths of the roles, by their names. */
  roleIds: Map<string, pulumi.Output<string>>;
  /** Ids of the external groups, by their names. */
  groupIds: Map<string, pulumi.Output<string>>;
}

/** Creates the resources of a provider from its declared graph. The graph of a stack has passed the rules. */
export function composeDeclared(
  parent: pulumi.ComponentResource,
  provider: ProviderParts,
  declared: Later<DeclaredInDialect>,
  additions: ProviderAdditions,
): BuiltProvider {
  const { name, roles = [], groups = [] } = provider;
  const method = composeMethod(parent, provider, declared, additions);
  const place = { parent, provider: name, method, namespace: additions.namespace };
  return {
    method,
    roleIds: new Map(roles.map((role) => composeRole(place, role, declared))),
    groupIds: new Map(groups.map((group) => composeGroup(place, group, declared))),
  };
}

function composeMethod(
  parent: pulumi.ComponentResource,
  { kind, name }: ProviderParts,
  declared: Later<DeclaredInDialect>,
  { clientSecret, serviceAccountKey, namespace, createdClientId, dependsOn = [] }: ProviderAdditions,
): AuthMethod {
  return new AuthMethod(
    name,
    {
      ...fieldsOf(
        pick(declared, (plain) => plain.method.config),
        configFields,
      ),
      // Not part of the declared graph: a preview that does not know it yet must still show every role.
      ...(createdClientId !== undefined && { oidcClientId: createdClientId }),
      path: pick(declared, (plain) => plain.method.path),
      type: kinds[kind].methodType,
      description: pick(declared, (plain) => plain.method.description),
      tune: pick(declared, (plain) => plain.method.tune),
      providerConfig: officialProviderConfig(declared, serviceAccountKey),
      oidcClientSecret: clientSecret,
      namespace,
    },
    { parent, dependsOn },
    {},
  );
}

/** Where the roles and groups of a provider belong. */
interface PlaceOfParts {
  parent: pulumi.ComponentResource;
  /** Name of the provider, which begins the names of its resources. */
  provider: string;
  method: AuthMethod;
  namespace: ProviderAdditions['namespace'];
}

/** Creates a role. Returns its name in the service and its path. */
function composeRole(
  { parent, provider, method, namespace }: PlaceOfParts,
  { name, boundClaims }: NonNullable<ProviderParts['roles']>[number],
  declared: Later<DeclaredInDialect>,
): [name: string, id: pulumi.Output<string>] {
  const roleName = name.toLowerCase();
  const role = pick(declared, (plain) => partNamed(plain.roles, roleName));
  // Not below the auth method: that would lengthen every URN that a role's state repeats (packages/bench/README.md).
  const { id } = Role.official(
    `${provider}-${roleName}`,
    { ...fieldsOf(role, roleFields), name: roleName, method: method.path, namespace },
    parent,
    pulumi.Output.isInstance(role) ? boundClaims : role.boundClaims,
  );
  return [roleName, id];
}

/** Creates an external group. Returns its name and its id. */
function composeGroup(
  { parent, provider, method, namespace }: PlaceOfParts,
  { name, alias }: NonNullable<ProviderParts['groups']>[number],
  declared: Later<DeclaredInDialect>,
): [name: string, id: pulumi.Output<string>] {
  // The service ignores case in names: a change of case alone must not make another resource.
  const { id } = ExternalGroup.official(
    `${provider}-${name.toLowerCase()}`,
    {
      ...fieldsOf(
        pick(declared, (plain) => partNamed(plain.groups, name)),
        groupFields,
      ),
      name,
      ...(alias !== undefined && {
        alias: pick(declared, ({ aliases }) => aliases.find(({ group }) => group === name)?.name),
        ...(typeof alias === 'string' && { aliasResource: `${provider}-${alias.toLowerCase()}-groupalias` }),
      }),
      mountAccessor: method.accessor,
      namespace,
    },
    parent,
  );
  return [name, id];
}

interface DeclaredInDialect extends DeclaredProvider {
  dialect: Dialect;
}

export function dialectOf({ dialect }: pulumi.Unwrap<Service>): Dialect {
  return dialect === Dialect.neutral ? Dialect.neutral : Dialect.vault;
}

function declareGiven(
  settings: { kind: ProviderKind; name: string },
  service: pulumi.Unwrap<Service>,
): DeclaredInDialect {
  const dialect = dialectOf(service);
  const parsed = kinds[settings.kind].settings.safeParse(defined(settings), { reportInput: true });
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => describeProblem(issue).replace(/^gatehouse: ?/, ''));
    throw new GatehouseError('provider_invalid', {
      where: `${settings.kind} ${JSON.stringify(settings.name)}`,
      values: { problems: problems.join('\n  ') },
    });
  }
  return { ...declareProvider(parsed.data as ProviderSettings, { ...service, dialect }), dialect };
}

/** Chooses a part of the declared graph: at once, or once it is known. */
function pick<From, Part>(source: Later<From>, choose: (plain: From) => Part): Later<Part> {
  return pulumi.Output.isInstance(source) ? (source.apply(choose) as Later<Part>) : choose(source);
}

function partNamed<Part extends { name: string }>(parts: readonly Part[], name: string): Part {
  const part = parts.find((candidate) => candidate.name === name);
  if (part === undefined) throw new Error(`${JSON.stringify(name)} is not declared`);
  return part;
}

/** The fields of a part of the declared graph, each an input of its own. */
function fieldsOf<Part extends object>(part: Later<Part>, table: Fields): LaterFields<Part> {
  if (!pulumi.Output.isInstance(part)) return part as LaterFields<Part>;
  const fields = Object.keys(shapeOf(table)) as (keyof Part)[];
  return Object.fromEntries(
    fields.map((field) => [field, pick(part, (plain) => plain[field])]),
  ) as LaterFields<Part>;
}

/** The provider config in the spelling of the dialect, with the service account key as a secret. */
function officialProviderConfig(
  declared: Later<DeclaredInDialect>,
  serviceAccountKey: pulumi.Input<string> | undefined,
): pulumi.Input<Record<string, string>> | undefined {
  const wire = pick(declared, ({ method: { config }, dialect }) =>
    config.providerConfig === undefined ? undefined : providerConfigToWire(config.providerConfig, dialect),
  );
  if (serviceAccountKey === undefined) return wire;
  const field = pick(declared, ({ dialect }) => names[dialect].suiteServiceAccount);
  return pulumi
    .all([wire, field, pulumi.secret(serviceAccountKey)])
    .apply(([plain, name, key]) => ({ ...plain, [name]: key }));
}
