import type * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';

/** Arguments of a policy. */
export interface PolicyArgs {
  /** Name of the policy, in lowercase. */
  name: pulumi.Input<string>;
  /** HCL or JSON text. */
  text: pulumi.Input<string>;
}

/** A policy: what tokens that have it may do. A thin subclass of the official resource. */
export class Policy extends vault.Policy {
  constructor(name: string, args: PolicyArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, { name: args.name, policy: args.text }, opts);
  }
}
