import * as pulumi from '@pulumi/pulumi';
import { AuthMethod, type Tune } from '../components/auth-method.ts';
import { roleResource } from '../components/endpoint-role.ts';
import { externalGroup } from '../components/external-group.ts';
import { mapInput } from '../components/map-input.ts';
import type { RoleArgs } from '../components/role.ts';
import { type DeclaredProvider, declareProvider } from '../core/model/declared.ts';
import type { ProviderSettings } from '../core/model/kinds/kind.ts';
import { kinds, type ProviderKind } from '../core/model/kinds/kinds.ts';
import { configFields, type MethodConfig } from '../core/model/resources/auth-method.ts';
import type { ExternalGroup as Group } from '../core/model/resources/external-group.ts';
import { shapeOf } from '../core/model/resources/field.ts';
import type { GroupAlias } from '../core/model/resources/group-alias.ts';
import { providerConfigToWire } from '../core/model/resources/provider-config.ts';
import { type Role as DeclaredRole, type RoleFields, roleFields } from '../core/model/resources/role.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { describeProblem } from '../core/model/values/problem.ts';
import { Dialect, names } from '../core/model/values/wire.ts';
import type { ProviderArgs } from './provider-args.ts';

/**
 * The key under which a stack's program passes the declared graph that the rules judged, so that resources are built from
 * that very state. A symbol, as it is not an argument of the published components, which declare their own state.
 */
export const judged: unique symbol = Symbol('judged');

/** The key under which a stack's program gets the ids of the groups, by their names in lower case. */
export const madeGroups: unique symbol = Symbol('madeGroups');

/** Arguments in addition to the settings of the kind. */
interface MoreArgs {
  [judged]?: DeclaredProvider;
  [madeGroups]?: Map<string, pulumi.Output<string>>;
  /** Client id of an application that the program creates. */
  createdClientId?: pulumi.Input<string>;
  clientSecret?: pulumi.Input<string>;
  serviceAccountKey?: pulumi.Input<string>;
}

/**
 * Creates the resources of a provider, as children of its component: the auth method, its roles, and the external groups.
 * `core/model` works out their declared graph, from plain values at once, from outputs when they are known. Names are
 * always plain.
 */
export function compose(
  parent: pulumi.ComponentResource,
  name: string,
  kind: ProviderKind,
  args: ProviderArgs & MoreArgs,
  dependsOn: pulumi.Resource[] = [],
): AuthMethod {
  const {
    [judged]: state,
    [madeGroups]: made,
    service,
    createdClientId,
    clientSecret,
    serviceAccountKey,
    ...settings
  } = args;
  const declared = mapInput(
    { settings: { ...settings, kind, name }, service, state } as unknown as Given,
    declareGiven,
  );
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
      oidcClientSecret: clientSecret,
    },
    { parent, dependsOn },
  );
  for (const [index, { name: given, boundClaims = {} }] of (state?.roles ?? settings.roles ?? []).entries()) {
    const role = fieldsOf<DeclaredRole>(
      pick,
      (plain) => plain.roles[index] as DeclaredRole,
      roleFieldNames,
    ) as unknown as RoleArgs;
    const roleName = given.toLowerCase();
    // Not below the auth method: that would lengthen every URN that a role's state repeats (packages/bench/README.md).
    const RoleResource = roleResource(boundClaims);
    new RoleResource(`${name}-${roleName}`, { ...role, name: roleName, method: method.path }, { parent });
  }
  for (const [index, { name: group, alias }] of groupsGiven(settings.groups, state).entries()) {
    // The service tells names apart without regard to case: a change of case alone must not make another resource.
    const resource = `${name}-${group.toLowerCase()}`;
    const id = externalGroup(
      resource,
      {
        name: group,
        ...(alias !== undefined && {
          alias: pick(({ aliases }) => aliasOf(aliases, group)?.name as string),
          ...(typeof alias === 'string' && { aliasResource: `${name}-${alias.toLowerCase()}-groupalias` }),
        }),
        policies: pick(({ groups }) => (groups[index] as Group).policies),
        metadata: pick(({ groups }) => (groups[index] as Group).metadata) as pulumi.Input<
          Record<string, string>
        >,
        mountAccessor: method.accessor,
      },
      parent,
      [...new Set([resource, `${name}-${group}`])],
    );
    made?.set(group.toLowerCase(), id);
  }
  return method;
}

/** The groups of a provider, in order, each with its alias, if it has one. */
function groupsGiven(
  given: ProviderArgs['groups'] = [],
  state: DeclaredProvider | undefined,
): { name: string; alias?: pulumi.Input<string> | undefined }[] {
  if (state === undefined) return given;
  return state.groups.map(({ name }) => ({ name, alias: aliasOf(state.aliases, name)?.name }));
}

function aliasOf(aliases: GroupAlias[], group: string): GroupAlias | undefined {
  return aliases.find((alias) => alias.group === group);
}

interface Given {
  settings: Record<string, unknown> & { kind: ProviderKind };
  service: { address: string; uiAddress?: string; platformAddress?: string; dialect?: string };
  state?: DeclaredProvider;
}
interface Declared extends DeclaredProvider {
  dialect: Dialect;
}
/** Chooses a part of the declared graph: at once, or once its outputs are known. */
type Pick = <T>(choose: (plain: Declared) => T) => pulumi.Input<T>;

function declareGiven({ settings, service, state }: Given): Declared {
  const dialect = service.dialect === Dialect.neutral ? Dialect.neutral : Dialect.vault;
  if (state !== undefined) return { ...state, dialect };
  const parsed = kinds[settings.kind].settings.safeParse(withoutUndefined(settings), { reportInput: true });
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

function withoutUndefined(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
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
