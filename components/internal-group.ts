import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { componentInputs } from './component-inputs.ts';

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
  /** Ids of the groups in it, such as those in a provider's `groups`. Who is in one of them is in this one. */
  memberGroupIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** A group of groups. No one else is in it. */
export class InternalGroup extends pulumi.ComponentResource {
  /** Id of the group in the secrets service. */
  readonly groupId: pulumi.Output<string>;

  constructor(name: string, args: InternalGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:InternalGroup', name, componentInputs(args), opts);
    this.groupId = new InternalGroupResource(`${name}-group`, args, { parent: this }).id;
    this.registerOutputs({ groupId: this.groupId });
  }
}

/** A thin subclass of the official resource. */
export class InternalGroupResource extends vault.identity.Group {
  constructor(name: string, args: InternalGroupArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, { ...args, type: 'internal', memberEntityIds: [] }, opts);
  }
}
