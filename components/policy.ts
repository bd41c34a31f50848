import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { HclError } from '../core/model/policies/hcl.ts';
import { parsePolicy } from '../core/model/policies/parse-policy.ts';
import { policyFields } from '../core/model/resources/policy.ts';
import { checkedInput, componentInputs } from './component-inputs.ts';

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
    super('gatehouse:index:Policy', name, componentInputs(args), opts);
    const checked = {
      name: checkedInput('name', policyFields.name.schema, args.name),
      text: checkedInput('text', policyText, args.text),
      ...(args.namespace !== undefined && { namespace: args.namespace }),
    };
    const policy = new PolicyResource(`${name}-policy`, checked, { parent: this });
    this.name = policy.name;
    this.registerOutputs({ name: this.name });
  }
}

/** A thin subclass of the official resource, for a text that was judged. */
export class PolicyResource extends vault.Policy {
  constructor(name: string, { text, ...args }: PolicyArgs, opts?: pulumi.CustomResourceOptions) {
    super(name, { ...args, policy: text }, opts);
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
