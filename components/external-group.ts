import { groupFields } from '@gatehouse/core/graph';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { checkedInputs } from './inputs.ts';

/** Arguments of an external group (docs/inside/specification.md B4). */
export interface ExternalGroupArgs {
  /** Name of the group in the secrets service. */
  name: pulumi.Input<string>;
  /** Namespace below the plugin's own. A change replaces it. Defaults to the plugin's own. */
  namespace?: pulumi.Input<string>;
  /** Policies of the group's members. Defaults to none. */
  policies?: pulumi.Input<pulumi.Input<string>[]>;
  /** Defaults to none. */
  metadata?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /**
   * The provider's identifier of the group. A group has one alias at a time. Defaults to none: no one signs in to it.
   */
  alias?: pulumi.Input<string>;
  /**
   * Name of the alias's resource. Give it one made of the auth method and the alias, and the alias stays when the group
   * is renamed, and can go from one group to another. Defaults to `${name}-alias`.
   */
  aliasResource?: string;
  /** Accessor of the auth method through which members sign in. */
  mountAccessor: pulumi.Input<string>;
}

/** A group whose members the provider decides at sign-in, and the alias that maps it to the provider's group. */
export class ExternalGroup extends pulumi.ComponentResource {
  /** Id of the group in the secrets service. */
  readonly groupId: pulumi.Output<string>;

  constructor(name: string, args: ExternalGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:ExternalGroup', name, args, opts);
    this.groupId = ExternalGroup.official(name, checkedInputs(groupFields, args), this).id;
    this.registerOutputs({ groupId: this.groupId });
  }

  /** The official resources of a group and its alias, with no component around them. */
  static official(
    name: string,
    { alias, aliasResource = `${name}-alias`, mountAccessor, namespace, ...group }: ExternalGroupArgs,
    parent: pulumi.Resource,
  ): vault.identity.Group {
    const external = new vault.identity.Group(
      `${name}-group`,
      { ...group, namespace, type: 'external' },
      { parent },
    );
    if (alias === undefined) return external;
    const byDefault = `${name}-alias`;
    new vault.identity.GroupAlias(
      aliasResource,
      { name: alias, mountAccessor, canonicalId: external.id, namespace },
      {
        parent,
        // A program may give the resource its own name later.
        ...(aliasResource !== byDefault && { aliases: [{ name: byDefault }] }),
        // The group that an alias moves to silently drops its own, which then cannot be moved: two aliases could not be
        // swapped in place (docs/adr/0009-an-alias-follows-its-name.md).
        replaceOnChanges: ['canonicalId'],
        deleteBeforeReplace: true,
      },
    );
    return external;
  }
}
