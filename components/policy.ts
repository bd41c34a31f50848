import { policyFields, policyProblems } from '@gatehouse/core/graph';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { checkedInputs } from './inputs.ts';

/** Arguments of a policy. */
export interface PolicyArgs {
  /** Name of the policy, in lowercase; not `root`. */
  name: pulumi.Input<string>;
  /** HCL or JSON text. */
  text: pulumi.Input<string>;
  /** Namespace below the plugin's own. A change replaces it. Defaults to the plugin's own. */
  namespace?: pulumi.Input<string>;
}

/** A policy: what tokens that have it may do. */
export class Policy extends pulumi.ComponentResource {
  /** Name of the policy: give it to a role, and the policy is there before the role. */
  readonly name: pulumi.Output<string>;

  constructor(name: string, args: PolicyArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Policy', name, args, opts);
    const { name: policyName, text, namespace } = checkedInputs(fields, args);
    const policy = new vault.Policy(
      `${name}-policy`,
      { name: policyName, policy: text, namespace },
      { parent: this },
    );
    this.name = policy.name;
    this.registerOutputs({ name: this.name });
  }
}

const fields = {
  name: policyFields.name,
  text: {
    ...policyFields.text,
    check: {
      about: 'a policy that servers take',
      problem: (text: string) =>
        policyProblems(text, 'any')
          .map(({ message }) => message)
          .join('; ') || undefined,
    },
  },
};
