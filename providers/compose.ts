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
interface Named {
  kind: ProviderKind;
  name: string;
  roles?: { name: string; boundClaims?: RoleArgs['boundClaims'] }[];
  groups?: { name: string; alias?: pulumi.Input<string> | undefined }[];
}

/** What a provider has in addition to its declared graph. */
export interface Additions {
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
  args: ProviderArgs & Omit<Additions, 'createdClientId' | 'dependsOn'>,
  additions: Additions = {},
): ProviderOutputs {
  const { service, clientSecret, serviceAccountKey, namespace, ...given } = args;
  const settings = { ...given, kind, name };
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

interface Built {
  method: AuthMethod;
  /** Paths of the roles, by their names. */
  roleIds: Map<string, pulumi.Output<string>>;
  /** Ids of the external groups, by their names. */
  groupIds: Map<string, pulumi.Output<string>>;
}

/** Creates the same from a declared graph, such as a stack's, which the rules have judged. */
export function composeDeclared(
  parent: pulumi.ComponentResource,
  { kind, name, roles = [], groups = [] }: Named,
  declared: Later<Declared>,
  { clientSecret, serviceAccountKey, namespace, createdClientId, dependsOn = [] }: Additions,
): Built {
  const method = new AuthMethod(
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
  const roleIds: Built['roleIds'] = new Map();
  for (const { name: given, boundClaims } of roles) {
    const roleName = given.toLowerCase();
    const role = pick(declared, (plain) => partNamed(plain.roles, roleName));
    // Not below the auth method: that would lengthen every URN that a role's state repeats (packages/bench/README.md).
    const { id } = Role.official(
      `${name}-${roleName}`,
      { ...fieldsOf(role, roleFields), name: roleName, method: method.path, namespace },
      parent,
      pulumi.Output.isInstance(role) ? boundClaims : role.boundClaims,
    );
    roleIds.set(roleName, id);
  }
  const groupIds: Built['groupIds'] = new Map();
  for (const { name: group, alias } of groups) {
    // The service tells names apart without regard to case: a change of case alone must not make another resource.
    const { id } = ExternalGroup.official(
      `${name}-${group.toLowerCase()}`,
      {
        ...fieldsOf(
          pick(declared, (plain) => partNamed(plain.groups, group)),
          groupFields,
        ),
        name: group,
        ...(alias !== undefined && {
          alias: pick(declared, ({ aliases }) => aliases.find((one) => one.group === group)?.name),
          ...(typeof alias === 'string' && { aliasResource: `${name}-${alias.toLowerCase()}-groupalias` }),
        }),
        mountAccessor: method.accessor,
        namespace,
      },
      parent,
    );
    groupIds.set(group, id);
  }
  return { method, roleIds, groupIds };
}

interface Declared extends DeclaredProvider {
  dialect: Dialect;
}

export function dialectOf({ dialect }: pulumi.Unwrap<Service>): Dialect {
  return dialect === Dialect.neutral ? Dialect.neutral : Dialect.vault;
}

function declareGiven(
  settings: { kind: ProviderKind; name: string },
  service: pulumi.Unwrap<Service>,
): Declared {
  const dialect = dialectOf(service);
  const parsed = kinds[settings.kind].settings.safeParse(defined(settings), { reportInput: true });
  if (!parsed.success) {
    const problems = parsed.error.issues.map((one) => describeProblem(one).replace(/^gatehouse: ?/, ''));
    throw new GatehouseError('provider_invalid', {
      where: `${settings.kind} ${JSON.stringify(settings.name)}`,
      values: { problems: problems.join('\n  ') },
    });
  }
  return { ...declareProvider(parsed.data as ProviderSettings, { ...service, dialect }), dialect };
}

/** Chooses a part of the declared graph: at once, or once it is known. */
function pick<From, Part>(from: Later<From>, choose: (plain: From) => Part): Later<Part> {
  return pulumi.Output.isInstance(from) ? (from.apply(choose) as Later<Part>) : choose(from);
}

function partNamed<Part extends { name: string }>(parts: readonly Part[], name: string): Part {
  const found = parts.find((part) => part.name === name);
  if (found === undefined) throw new Error(`${JSON.stringify(name)} is not declared`);
  return found;
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
  declared: Later<Declared>,
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
