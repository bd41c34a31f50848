import * as pulumi from '@pulumi/pulumi';
import { type CustomMessageArgs, CustomMessage as MessageResource } from '../../components/custom-message.ts';

/** A message on the service's pages, before or after sign-in. */
export class CustomMessage extends pulumi.ComponentResource {
  /** Id of the message in the secrets service. */
  readonly messageId: pulumi.Output<string>;

  constructor(name: string, args: CustomMessageArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:CustomMessage', name, {}, opts);
    const message = new MessageResource(`${name}-message`, args, { parent: this });
    this.messageId = message.id;
    this.registerOutputs({ messageId: this.messageId });
  }
}
