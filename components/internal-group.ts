import { groupFields } from '@gatehouse/core/graph';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { checkedInputs } from './inputs.ts';

/** Arguments of an internal group. */
export interface InternalGroupArgs {
  /** Name of the group in the secrets service. */
  name: pulumi.Input<string>;
  /** Namespace below the plugin's own. A change replaces it. Defaults to the plugin's own. */
  namespace?: pulumi.Input<string>;
  /** Policies of everyone in it. Defaults to none. */
  policies?: pulumi.Input<pulumi.Input<string>[]>;
  /** Defaults to none. */
  metadata?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Ids of the groups in it, such as those in a provider's `groups`. Their members are members of this group. */
  memberGroupIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** A group of groups. No one else is in it. */
export class InternalGroup extends pulumi.ComponentResource {
  /** Id of the group in the secrets service. */
  readonly groupId: pulumi.Output<string>;

  constructor(name: string, args: InternalGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:InternalGroup', name, args, opts);
    this.groupId = new vault.identity.Group(
      `${name}-group`,
      internalGroup(checkedInputs(groupFields, args)),
      { parent: this },
    ).id;
    this.registerOutputs({ groupId: this.groupId });
  }
}

/** An internal group as the official resource has it: no person or workload is in it. */
export function internalGroup(args: InternalGroupArgs): vault.identity.GroupArgs {
  return { ...args, type: 'internal', memberEntityIds: [] };
}
