import * as pulumi from '@pulumi/pulumi';
import { AuthMethod } from '../../components/auth-method.ts';
import { type CustomMessageArgs, CustomMessage as MessageResource } from '../../components/custom-message.ts';
import { roleResource } from '../../components/endpoint-role.ts';
import { ExternalGroup } from '../../components/external-group.ts';
import { InternalGroup as GroupResource, type InternalGroupArgs } from '../../components/internal-group.ts';
import { mapInput } from '../../components/map-input.ts';
import { type PolicyArgs, Policy as PolicyResource } from '../../components/policy.ts';
import type { RoleArgs } from '../../components/role.ts';
import { boundClaims } from '../../core/model/resources/bound-claims.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { providers } from '../../providers/providers.ts';

/** A role of an auth method: who signs in, and what they get. */
export class Role extends pulumi.ComponentResource {
  /** Path of the role in the service. */
  readonly path: pulumi.Output<string>;

  constructor(name: string, args: RoleArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Role', name, {}, opts);
    const bound = args.boundClaims && (mapInput(args.boundClaims, checked) as RoleArgs['boundClaims']);
    const RoleResource = roleResource(bound);
    const role = new RoleResource(
      `${name}-role`,
      { ...args, ...(bound && { boundClaims: bound }) },
      { parent: this },
    );
    this.path = role.id;
    this.registerOutputs({ path: this.path });
  }
}

/** The types of other languages let anything be bound. */
function checked<Claims>(given: Claims): Claims {
  const parsed = boundClaims.optional().safeParse(given);
  if (parsed.success) return given;
  throw new GatehouseError({
    code: 'inputs_invalid',
    what: 'a role cannot bind these claims',
    fix: parsed.error.issues
      .map(({ path, message }) => `${['boundClaims', ...path].join('.')}: ${message}`)
      .join('\n  '),
  });
}

/** A group of groups. No one else is in it. */
export class InternalGroup extends pulumi.ComponentResource {
  /** Id of the group in the secrets service. */
  readonly groupId: pulumi.Output<string>;

  constructor(name: string, args: InternalGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:InternalGroup', name, {}, opts);
    const group = new GroupResource(`${name}-group`, args, { parent: this });
    this.groupId = group.id;
    this.registerOutputs({ groupId: this.groupId });
  }
}

/** A policy: what tokens that have it may do. */
export class Policy extends pulumi.ComponentResource {
  /** Name of the policy: give it to a role, and the policy is there before the role. */
  readonly name: pulumi.Output<string>;

  constructor(name: string, args: PolicyArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Policy', name, {}, opts);
    const policy = new PolicyResource(`${name}-policy`, args, { parent: this });
    this.name = policy.name;
    this.registerOutputs({ name: this.name });
  }
}

/** A message on the service's pages, before or after sign-in. */
export class CustomMessage extends pulumi.ComponentResource {
  /** Id of the message in the secrets service. */
  readonly messageId: pulumi.Output<string>;

  constructor(name: string, args: CustomMessageArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:CustomMessage', name, {}, opts);
    const message = new MessageResource(`${name}-message`, args, { parent: this });
    this.messageId = message.id;
    this.registerOutputs({ messageId: this.messageId });
  }
}

/** The class of a component. Its arguments are checked against the schema before. */
type Component = new (
  name: string,
  args: never,
  opts?: pulumi.ComponentResourceOptions,
) => pulumi.ComponentResource;

const classes: Component[] = [
  AuthMethod,
  Role,
  ExternalGroup,
  InternalGroup,
  Policy,
  CustomMessage,
  ...Object.values(providers),
];

/** The components of the package, by name. */
export const components: ReadonlyMap<string, Component> = new Map(classes.map((one) => [one.name, one]));
