import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';

/** Arguments of an external group (interface.md B4). */
export interface ExternalGroupArgs {
  /** Name of the group in the secrets service. */
  name: pulumi.Input<string>;
  /** Policies of the group's members. Defaults to none. */
  policies?: pulumi.Input<pulumi.Input<string>[]>;
  /** Defaults to none. */
  metadata?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** The provider's identifier of the group. A group has one alias at a time. */
  alias: pulumi.Input<string>;
  /** Accessor of the auth method through which members sign in. */
  mountAccessor: pulumi.Input<string>;
}

/** A group whose members the provider decides at sign-in, and the alias that maps it to the provider's group. */
export class ExternalGroup extends pulumi.ComponentResource {
  /** Id of the group in the secrets service. */
  readonly groupId: pulumi.Output<string>;

  constructor(name: string, args: ExternalGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:ExternalGroup', name, {}, opts);
    const { alias, mountAccessor, ...group } = args;
    const parent = { parent: this };
    const { id } = new vault.identity.Group(`${name}-group`, { ...group, type: 'external' }, parent);
    new vault.identity.GroupAlias(`${name}-alias`, { name: alias, mountAccessor, canonicalId: id }, parent);
    this.groupId = id;
    this.registerOutputs({ groupId: this.groupId });
  }
}
