import type * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';

/** Arguments of an internal group. */
export interface InternalGroupArgs {
  /** Name of the group in the secrets service. */
  name: pulumi.Input<string>;
  /** Policies of everyone in it. Defaults to none. */
  policies?: pulumi.Input<pulumi.Input<string>[]>;
  /** Ids of the groups in it. Who is in one of them is in this one. */
  memberGroupIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** A group of groups. No one else is in it. A thin subclass of the official resource. */
export class InternalGroup extends vault.identity.Group {
  constructor(name: string, args: InternalGroupArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, { ...args, type: 'internal', memberEntityIds: [] }, opts);
  }
}
