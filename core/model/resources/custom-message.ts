import { z } from 'zod';
import { instant, parseInstant } from '../values/instant.ts';

export const MessageType = { banner: 'banner', modal: 'modal' } as const;
export type MessageType = (typeof MessageType)[keyof typeof MessageType];

/**
 * A message that the service's pages show (interface.md C1). `id` and `active` are the service's own; the text
 * is plain here and base64 on the wire.
 */
export interface CustomMessage {
  title: string;
  message: string;
  type: MessageType;
  /** True: shown after sign-in. False: shown before it, to anyone. */
  authenticated: boolean;
  startTime: string;
  /** Absent: the message never ends. */
  endTime?: string;
  /** Exactly one entry: title → URL. */
  link?: Record<string, string>;
  options?: Record<string, string>;
}

const link = z
  .record(z.string().min(1), z.url({ protocol: /^https?$/ }))
  .refine((given) => Object.keys(given).length === 1, 'a link is exactly one entry: its title and its URL');

/** A custom message as a person writes it (interface.md C, body fields). */
export const messageSettings = z
  .strictObject({
    title: z.string().refine((title) => messageResourceName(title) !== '', 'a title has a letter or a digit'),
    message: z.string().min(1),
    type: z.enum(MessageType).default('banner'),
    authenticated: z.boolean().default(true),
    startTime: instant,
    endTime: instant.nullish().transform((end) => end ?? undefined),
    link: link.optional(),
    options: z.record(z.string(), z.string()).optional(),
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

/** Whether a message is active: start ≤ now < end, or no end (facts/custom-messages.md). */
export function isActive(message: Pick<CustomMessage, 'startTime' | 'endTime'>, now: bigint): boolean {
  const start = parseInstant(message.startTime);
  const end = message.endTime === undefined ? undefined : parseInstant(message.endTime);
  return start !== undefined && start <= now && (end === undefined || now < end);
}

/** Where a message stands: not shown yet, shown, or not shown any more. */
export const MessageState = { scheduled: 'scheduled', active: 'active', ended: 'ended' } as const;
export type MessageState = (typeof MessageState)[keyof typeof MessageState];

export function messageState(
  message: Pick<CustomMessage, 'startTime' | 'endTime'>,
  now: bigint,
): MessageState {
  if (isActive(message, now)) return MessageState.active;
  const start = parseInstant(message.startTime);
  return start !== undefined && now < start ? MessageState.scheduled : MessageState.ended;
}

/** The text as it goes over the wire. */
export function encodeMessage(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** The text of a message read from the wire; undefined when it is no base64 of UTF-8. */
export function decodeMessage(wire: string): string | undefined {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(wire)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(wire, 'base64'));
  } catch {
    return undefined;
  }
}
