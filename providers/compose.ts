import * as pulumi from '@pulumi/pulumi';
import { AuthMethod, type Tune } from '../components/auth-method.ts';
import { roleResource } from '../components/endpoint-role.ts';
import { externalGroup } from '../components/external-group.ts';
import { mapInput } from '../components/map-input.ts';
import type { RoleArgs } from '../components/role-resource.ts';
import { type DeclaredProvider, declareProvider } from '../core/model/declared.ts';
import type { ProviderSettings } from '../core/model/kinds/kind.ts';
import { kinds, type ProviderKind } from '../core/model/kinds/kinds.ts';
import { configFields, type MethodConfig } from '../core/model/resources/auth-method.ts';
import type { ExternalGroup as Group } from '../core/model/resources/external-group.ts';
import { shapeOf } from '../core/model/resources/field.ts';
import { providerConfigToWire } from '../core/model/resources/provider-config.ts';
import { type Role as DeclaredRole, type RoleFields, roleFields } from '../core/model/resources/role.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { defined } from '../core/model/values/loose-values.ts';
import { describeProblem } from '../core/model/values/problem.ts';
import { Dialect, names } from '../core/model/values/wire.ts';
import type { ProviderArgs } from './provider-args.ts';

interface NamedParts {
  roles: { name: string; boundClaims?: RoleArgs['boundClaims'] }[];
  groups: { name: string; alias?: pulumi.Input<string> | undefined }[];
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
 * Creates the resources of a provider, as children of its component. `core/model` works out their declared graph, from
 * plain values at once, from outputs when they are known.
 */
export function compose(
  parent: pulumi.ComponentResource,
  name: string,
  kind: ProviderKind,
  args: ProviderArgs & Omit<Additions, 'createdClientId' | 'dependsOn'>,
  more: Additions = {},
): ProviderOutputs {
  const { service, clientSecret, serviceAccountKey, namespace, ...settings } = args;
  const declared = mapInput(
    { settings: { ...settings, kind, name }, service } as unknown as Given,
    declareGiven,
  );
  const parts = { roles: settings.roles ?? [], groups: settings.groups ?? [] };
  const additions = { clientSecret, serviceAccountKey, namespace, ...more };
  const { method, roleIds, groupIds } = composeDeclared(parent, name, kind, declared, parts, additions);
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

/**
 * Creates the same from a declared graph, such as a stack's, which the rules have judged.
 *
 * @param parts what names the resources, or decides which there are: always plain
 */
export function composeDeclared(
  parent: pulumi.ComponentResource,
  name: string,
  kind: ProviderKind,
  declared: pulumi.Input<Declared>,
  parts: NamedParts,
  { clientSecret, serviceAccountKey, namespace, createdClientId, dependsOn = [] }: Additions,
): Built {
  const within = namespace === undefined ? {} : { namespace };
  const pick: Pick = (choose) =>
    pulumi.Output.isInstance(declared) ? declared.apply(choose) : choose(declared as Declared);

  const method = new AuthMethod(
    name,
    {
      ...fieldsOf<MethodConfig>(pick, (plain) => plain.method.config, configFieldNames),
      // Not part of the declared graph: a preview that does not know it yet must still show every role.
      ...(createdClientId !== undefined && { oidcClientId: createdClientId }),
      path: pick((plain) => plain.method.path),
      type: kinds[kind].methodType,
      description: pick((plain) => plain.method.description) as pulumi.Input<string>,
      tune: pick((plain) => plain.method.tune) as pulumi.Input<Tune>,
      providerConfig: officialProviderConfig(pick, serviceAccountKey),
      ...(clientSecret !== undefined && { oidcClientSecret: clientSecret }),
      ...within,
    },
    { parent, dependsOn },
    {},
  );
  const roleIds: Built['roleIds'] = new Map();
  for (const [index, { name: given, boundClaims = {} }] of parts.roles.entries()) {
    const role = fieldsOf<DeclaredRole>(
      pick,
      (plain) => plain.roles[index] as DeclaredRole,
      roleFieldNames,
    ) as unknown as RoleArgs;
    const roleName = given.toLowerCase();
    // Not below the auth method: that would lengthen every URN that a role's state repeats (packages/bench/README.md).
    const RoleResource = roleResource(boundClaims);
    const args = { ...role, name: roleName, method: method.path, ...within };
    roleIds.set(roleName, new RoleResource(`${name}-${roleName}`, args, { parent }).id);
  }
  const groupIds: Built['groupIds'] = new Map();
  for (const [index, { name: group, alias }] of parts.groups.entries()) {
    // The service tells names apart without regard to case: a change of case alone must not make another resource.
    const resource = `${name}-${group.toLowerCase()}`;
    const id = externalGroup(
      resource,
      {
        name: group,
        ...(alias !== undefined && {
          alias: pick(({ aliases }) => aliases.find((one) => one.group === group)?.name as string),
          ...(typeof alias === 'string' && { aliasResource: `${name}-${alias.toLowerCase()}-groupalias` }),
        }),
        policies: pick(({ groups }) => (groups[index] as Group).policies),
        metadata: pick(({ groups }) => (groups[index] as Group).metadata) as pulumi.Input<
          Record<string, string>
        >,
        mountAccessor: method.accessor,
        ...within,
      },
      parent,
    );
    groupIds.set(group, id);
  }
  return { method, roleIds, groupIds };
}

interface Given {
  settings: Record<string, unknown> & { kind: ProviderKind };
  service: { address: string; uiAddress?: string; platformAddress?: string; dialect?: string };
}
interface Declared extends DeclaredProvider {
  dialect: Dialect;
}
/** Chooses a part of the declared graph: at once, or once its outputs are known. */
type Pick = <T>(choose: (plain: Declared) => T) => pulumi.Input<T>;

function declareGiven({ settings, service }: Given): Declared {
  const dialect = service.dialect === Dialect.neutral ? Dialect.neutral : Dialect.vault;
  const parsed = kinds[settings.kind].settings.safeParse(defined(settings), { reportInput: true });
  if (!parsed.success) {
    throw new GatehouseError({
      code: 'provider_invalid',
      where: `${settings.kind} ${JSON.stringify(settings['name'])}`,
      what: 'the arguments of this provider are not valid:',
      fix: parsed.error.issues
        .map((issue) => describeProblem(issue).replace(/^gatehouse: ?/, ''))
        .join('\n  '),
    });
  }
  return { ...declareProvider(parsed.data as ProviderSettings, { ...service, dialect }), dialect };
}

const configFieldNames = Object.keys(shapeOf(configFields)) as (keyof MethodConfig)[];
const roleFieldNames = Object.keys(shapeOf(roleFields)) as (keyof RoleFields)[];

/** The fields of a part of the declared graph, each as an input. */
function fieldsOf<T>(
  pick: Pick,
  choose: (plain: Declared) => T,
  fields: readonly (keyof T)[],
): Record<string, pulumi.Input<never>> {
  return Object.fromEntries(fields.map((field) => [field, pick((plain) => choose(plain)[field])])) as never;
}

/** The provider config in the spelling of the dialect, with the service account key as a secret. */
function officialProviderConfig(
  pick: Pick,
  serviceAccountKey: pulumi.Input<string> | undefined,
): pulumi.Input<Record<string, string>> {
  const wire = pick(({ method, dialect }) =>
    method.config.providerConfig === undefined
      ? undefined
      : providerConfigToWire(method.config.providerConfig, dialect),
  ) as pulumi.Input<Record<string, string>>;
  if (serviceAccountKey === undefined) return wire;
  const field = pick(({ dialect }) => names[dialect].suiteServiceAccount);
  return pulumi
    .all([wire, field, pulumi.secret(serviceAccountKey)])
    .apply(([plain, name, key]) => ({ ...plain, [name]: key }));
}
