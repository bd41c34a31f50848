import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { componentInputs } from './component-inputs.ts';

/** Arguments of an external group (interface.md B4). */
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
    super(externalGroupType, name, componentInputs(args), opts);
    this.groupId = externalGroup(name, args, this);
    this.registerOutputs({ groupId: this.groupId });
  }
}

const externalGroupType = 'gatehouse:index:ExternalGroup';

/**
 * Makes the resources of an external group, and returns its id.
 *
 * @param formerly names of the `ExternalGroup` that was once between `parent` and them. By these they are still found
 *   in state, so nothing is replaced (docs/adr/0018-groups-are-children-of-their-provider.md). Defaults to none.
 */
export function externalGroup(
  name: string,
  { alias, aliasResource = `${name}-alias`, mountAccessor, namespace, ...group }: ExternalGroupArgs,
  parent: pulumi.Resource,
  formerly?: string[],
): pulumi.Output<string> {
  // The name of the component that was between them counts for nothing: a URN has only the types of its parents.
  const formerParent = formerly && pulumi.createUrn(name, externalGroupType, parent);
  const aliases = (own: string, suffix: string): pulumi.Alias[] =>
    [...new Set([own, ...(formerly ?? [name]).map((former) => `${former}-${suffix}`)])]
      .filter((former) => formerly !== undefined || former !== own)
      .map((former) => ({ name: former, ...(formerParent && { parent: formerParent }) }));
  const { id } = new vault.identity.Group(
    `${name}-group`,
    { ...group, ...(namespace !== undefined && { namespace }), type: 'external' },
    { parent, aliases: aliases(`${name}-group`, 'group') },
  );
  if (alias === undefined) return id;
  new vault.identity.GroupAlias(
    aliasResource,
    { name: alias, mountAccessor, canonicalId: id, ...(namespace !== undefined && { namespace }) },
    {
      parent,
      aliases: aliases(aliasResource, 'alias'),
      // The group that an alias moves to silently drops its own, which then cannot be moved: two aliases could not be
      // swapped in place (docs/adr/0009-an-alias-follows-its-name.md).
      replaceOnChanges: ['canonicalId'],
      deleteBeforeReplace: true,
    },
  );
  return id;
}
