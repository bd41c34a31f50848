import { namespaceBelow, namespaceName } from '@gatehouse/core/graph';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { checkedInputs } from './inputs.ts';

/** Arguments of a namespace. */
export interface NamespaceArgs {
  /** Its name in the namespace that holds it: without slashes. A change replaces it, with all that is in it. */
  path: pulumi.Input<string>;
  /** The namespace that holds it, below the plugin's own. Defaults to the plugin's own. */
  namespace?: pulumi.Input<string>;
}

/** A namespace of the secrets service: its auth methods, policies and groups are its own. */
export class Namespace extends pulumi.ComponentResource {
  /** Its path below the plugin's own namespace: give it to what is in it, which is then made after it. */
  readonly path: pulumi.Output<string>;

  constructor(name: string, args: NamespaceArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Namespace', name, args, opts);
    const checked = checkedInputs({ path: { schema: namespaceName } }, args);
    const namespace = new vault.Namespace(`${name}-namespace`, checked, { parent: this });
    this.path = namespacePathOf(namespace, args.namespace);
    this.registerOutputs({ path: this.path });
  }
}

/**
 * The path of a namespace below the plugin's own.
 *
 * @param outer the namespace that holds it, as it was given: a preview does not know outputs that are not set
 */
export function namespacePathOf(
  { path }: vault.Namespace,
  outer: pulumi.Input<string> | undefined,
): pulumi.Output<string> {
  return pulumi.all([outer, path]).apply(([around, name]) => namespaceBelow(around, name));
}
