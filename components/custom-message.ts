import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { encodeMessage } from '../core/model/resources/custom-message.ts';
import { componentInputs } from './component-inputs.ts';
import { mapInput } from './map-input.ts';

/** Arguments of a custom message (interface.md C1). */
export interface CustomMessageArgs {
  /** Its heading. */
  title: pulumi.Input<string>;
  /** Plain text; sent as base64. */
  message: pulumi.Input<string>;
  /** `banner` or `modal`. Defaults to `banner`. */
  type?: pulumi.Input<string>;
  /** True shows it after sign-in, false before, to anyone. Defaults to true. */
  authenticated?: pulumi.Input<boolean>;
  /** RFC 3339 in UTC with seconds and `Z`: the official resource compares times as text. */
  startTime: pulumi.Input<string>;
  /** Like `startTime`. Defaults to none: the message never ends. */
  endTime?: pulumi.Input<string>;
  /** Exactly one entry: title → URL. Defaults to none. */
  link?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** Defaults to none. */
  options?: pulumi.Input<Record<string, pulumi.Input<string>>>;
}

/** A message on the service's pages, before or after sign-in. */
export class CustomMessage extends pulumi.ComponentResource {
  /** Id of the message in the secrets service. */
  readonly messageId: pulumi.Output<string>;

  constructor(name: string, args: CustomMessageArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:CustomMessage', name, componentInputs(args), opts);
    this.messageId = new MessageResource(`${name}-message`, args, { parent: this }).id;
    this.registerOutputs({ messageId: this.messageId });
  }
}

/** A thin subclass of the official resource. */
export class MessageResource extends vault.config.UiCustomMessage {
  constructor(name: string, args: CustomMessageArgs, opts?: pulumi.CustomResourceOptions) {
    const { message, link, ...same } = args;
    super(
      name,
      {
        ...same,
        messageBase64: mapInput(message, encodeMessage),
        ...(link && { link: mapInput(link as pulumi.Input<Record<string, string>>, officialLink) }),
      },
      opts,
    );
  }
}

function officialLink(link: Record<string, string>): { title: string; href: string } {
  const [title = '', href = ''] = Object.entries(link)[0] ?? [];
  return { title, href };
}
