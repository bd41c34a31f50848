import * as pulumi from '@pulumi/pulumi';
import { InternalGroup as GroupResource, type InternalGroupArgs } from '../../components/internal-group.ts';

/** A group of groups. No one else is in it. */
export class InternalGroup extends pulumi.ComponentResource {
  /** Id of the group in the secrets service. */
  readonly groupId: pulumi.Output<string>;

  constructor(name: string, args: InternalGroupArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:InternalGroup', name, {}, opts);
    const group = new GroupResource(`${name}-group`, args, { parent: this });
    this.groupId = group.id;
    this.registerOutputs({ groupId: this.groupId });
  }
}
