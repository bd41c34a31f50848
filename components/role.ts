import * as pulumi from '@pulumi/pulumi';
import type { Fields } from '../core/model/resources/field.ts';
import { roleFields } from '../core/model/resources/role.ts';
import { checkedInput, componentInputs } from './component-inputs.ts';
import { roleResource } from './endpoint-role.ts';
import type { RoleArgs } from './role-resource.ts';

/** A role of an auth method: who signs in, and what they get. */
export class Role extends pulumi.ComponentResource {
  /** Path of the role in the service. */
  readonly path: pulumi.Output<string>;

  constructor(name: string, args: RoleArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:Role', name, componentInputs(args), opts);
    const fields: Fields = roleFields;
    const checked = Object.fromEntries(
      Object.entries(args).map(([field, given]) => [
        field,
        fields[field] && given !== undefined ? checkedInput(field, fields[field].schema, given) : given,
      ]),
    ) as unknown as RoleArgs;
    const RoleResource = roleResource(checked.boundClaims);
    this.path = new RoleResource(`${name}-role`, checked, { parent: this }).id;
    this.registerOutputs({ path: this.path });
  }
}
