import { encodeMessage, messageFields } from '@gatehouse/core/graph';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { checkedInputs, mapInput } from './inputs.ts';

/** Arguments of a custom message (docs/inside/specification.md C1). */
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
    super('gatehouse:index:CustomMessage', name, args, opts);
    const message = officialMessage(checkedInputs(messageFields, args));
    this.messageId = new vault.config.UiCustomMessage(`${name}-message`, message, {
      parent: this,
    }).id;
    this.registerOutputs({ messageId: this.messageId });
  }
}

/** A message as the official resource has it. */
export function officialMessage({
  message,
  link,
  ...same
}: CustomMessageArgs): vault.config.UiCustomMessageArgs {
  return { ...same, messageBase64: mapInput(message, encodeMessage), link: mapInput(link, officialLink) };
}

function officialLink(link: Record<string, string> | undefined): { title: string; href: string } | undefined {
  if (link === undefined) return undefined;
  const [title = '', href = ''] = Object.entries(link)[0] ?? [];
  return { title, href };
}
