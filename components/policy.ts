import { HclError, parsePolicy, policyFields } from '@gatehouse/core/graph';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { checkedInput } from './inputs.ts';

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
    const policy = new vault.Policy(
      `${name}-policy`,
      {
        name: checkedInput('name', policyFields.name.schema, args.name),
        policy: checkedInput('text', policyText, args.text),
        namespace: args.namespace,
      },
      { parent: this },
    );
    this.name = policy.name;
    this.registerOutputs({ name: this.name });
  }
}

const policyText = policyFields.text.schema.superRefine((text, context) => {
  try {
    parsePolicy(text);
  } catch (error) {
    if (!(error instanceof HclError)) throw error;
    context.addIssue({ code: 'custom', message: `not a policy: ${error.message}` });
  }
});
