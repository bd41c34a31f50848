import { z } from 'zod';
import { fromBase64, toBase64, utf8 } from '../values/bytes.ts';
import { canonicalInstant, instant, parseInstant } from '../values/instant.ts';
import { blockOf, defined, textOf } from '../values/loose-values.ts';
import {
  type ByName,
  canonicalFields,
  type Fields,
  field,
  filledText,
  flag,
  readFields,
  shapeOf,
  text,
  textsByName,
  type Values,
} from './field.ts';
import type { Resource } from './resource.ts';

/** Whether a message is above the page or in front of it. */
export const MessageType = { banner: 'banner', modal: 'modal' } as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

const link = z
  .record(z.string().min(1), z.url({ protocol: /^https?$/ }))
  .refine((given) => Object.keys(given).length === 1, 'a link is exactly one entry: its title and its URL');

/**
 * A message that the service's pages show (docs/inside/specification.md C1). `id` and `active` are the service's own;
 * the text is plain here and base64 on the wire.
 */
export const messageFields = {
  title: text('nothing', 'Title of the message; unique, with a letter or a digit.', {
    example: 'Maintenance',
    source: 'C1',
    required: true,
  }),
  message: filledText('nothing', 'The text itself; sent as base64.', {
    example: 'Back at 04:00 UTC.',
    source: 'C1',
    required: true,
  }),
  type: field('text', z.enum(MessageType), 'nothing', 'How the message is shown.', {
    default: MessageType.banner,
    example: 'modal',
    source: 'C1',
  }),
  authenticated: flag('nothing', 'True: shown after sign-in. False: shown before it, to anyone.', {
    default: true,
    example: 'false',
    source: 'C1',
  }),
  startTime: field('instant', instant, 'nothing', 'When the message starts to be shown.', {
    example: '2026-12-01T00:00:00Z',
    source: 'C1',
    required: true,
    canonical: canonicalInstant,
  }),
  endTime: field('instant', instant, 'nothing', 'When the message is no longer shown; after `startTime`.', {
    otherwise: 'none: it never ends',
    example: '2026-12-06T04:00:00Z',
    source: 'C1',
    canonical: canonicalInstant,
  }),
  link: field('textsByName', link, 'nothing', 'A link below the text.', {
    takes: 'map of one title → URL',
    otherwise: 'none',
    example: '{ Status page: "https://status.example.com" }',
    source: 'C1',
  }),
  options: textsByName('nothing', 'Custom properties for the service’s pages.', {
    takes: 'map of texts',
    otherwise: 'none',
    source: 'C1',
  }),
} as const satisfies Fields;

/** A custom message. Without an end time it never ends; a link is exactly one entry, title → URL. */
export type CustomMessage = Values<typeof messageFields> &
  Required<Pick<Values<typeof messageFields>, 'title' | 'message' | 'type' | 'authenticated' | 'startTime'>>;

/** A custom message as a person writes it (docs/inside/specification.md C, body fields). */
export const messageSettings = z
  .strictObject({
    ...shapeOf(messageFields),
    title: messageFields.title.schema
      .refine((title) => messageResourceName(title) !== '', 'a title has a letter or a digit')
      .describe(messageFields.title.about),
    type: messageFields.type.schema.default(MessageType.banner).describe(messageFields.type.about),
    authenticated: messageFields.authenticated.schema
      .default(true)
      .describe(messageFields.authenticated.about),
    endTime: instant
      .nullish()
      .transform((end) => end ?? undefined)
      .describe(messageFields.endTime.about),
  })
  .refine(({ startTime, endTime }) => endTime === undefined || isBefore(startTime, endTime), {
    path: ['endTime'],
    message: 'a message ends after it starts',
  });

/**
 * What a message's resource is named: a message has no name of its own, so its title in lower case, with `-` for
 * all that is neither letter nor digit. Two messages of one environment may not come to the same.
 */
export function messageResourceName(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

function isBefore(start: string, end: string): boolean {
  const from = parseInstant(start);
  const to = parseInstant(end);
  return from !== undefined && to !== undefined && from < to;
}

/** Where a message stands: not shown yet, shown, or not shown any more. */
export const MessageState = { scheduled: 'scheduled', active: 'active', ended: 'ended' } as const;
export type MessageState = (typeof MessageState)[keyof typeof MessageState];

type Times = Pick<CustomMessage, 'startTime' | 'endTime'>;

/** Whether a message is shown now, later or no more. */
export function messageState({ startTime, endTime }: Times, now: bigint): MessageState {
  const start = parseInstant(startTime);
  const end = parseInstant(endTime ?? '');
  if (start !== undefined && now < start) return MessageState.scheduled;
  return start === undefined || (end !== undefined && end <= now) ? MessageState.ended : MessageState.active;
}

/**
 * Whether a message is active: start ≤ now < end, or no end
 * (docs/inside/measured/messages.md#when-a-message-is-active).
 */
export function isActive(message: Times, now: bigint): boolean {
  return messageState(message, now) === MessageState.active;
}

/** The text as it goes over the wire. */
export function encodeMessage(text: string): string {
  return toBase64(utf8(text));
}

/** The text of a message read from the wire; undefined when it is no base64 of UTF-8. */
export function decodeMessage(wire: string): string | undefined {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(wire)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(wire));
  } catch {
    return undefined;
  }
}

/** Reads a custom message (docs/inside/specification.md C1). */
export function messageFromWire(wire: ByName): CustomMessage {
  const { title = '', message = '', startTime = '', endTime, ...fields } = readFields(messageFields, wire);
  const { type = MessageType.banner, authenticated = true } = fields;
  const times = { startTime: canonicalInstant(startTime), endTime: endTime && canonicalInstant(endTime) };
  return defined({ ...fields, title, message: decodeMessage(message) ?? '', type, authenticated, ...times });
}

/** A custom message. Several may have one title. */
export const message: Resource<CustomMessage, 'message', 'messages'> = {
  type: 'message',
  list: 'messages',
  fields: messageFields,
  nameOf: ({ title }) => title,
  key: (title) => title,
  isNameable: true,
  canonical: ({ title: _title, ...message }) => {
    const { type, authenticated } = message;
    return { ...canonicalFields(messageFields, message), type, authenticated };
  },
  yaml: { list: 'messages', name: 'title' },
  official: {
    pulumi: 'vault:config/uiCustomMessage:UiCustomMessage',
    // Plural in tools that are made from the service's API, without `config` in older writing.
    terraform: ['vault_config_ui_custom_messages', 'vault_ui_custom_message'],
    name: 'title',
    isShared: true,
    lookedAt: ['message_base64', 'message_id'],
    fromPlan(fields) {
      const link = blockOf(fields['link']);
      const { title, href } = link ?? {};
      return messageFromWire({
        ...fields,
        message: fields['message_base64'],
        link: link && { [textOf(title) ?? '']: textOf(href) ?? '' },
      });
    },
  },
  wire: {
    list: () => 'sys/config/ui/custom-messages',
    nameInList: 'title',
    fromWire: messageFromWire,
  },
};
