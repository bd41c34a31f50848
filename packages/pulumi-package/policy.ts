import * as pulumi from '@pulumi/pulumi';
import { type PolicyArgs, Policy as PolicyResource } from '../../components/policy.ts';

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
