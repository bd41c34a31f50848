import { type Field, formatInstant, MessageType, messageFields, parseInstant } from '@gatehouse/core/graph';
import type { z } from 'zod';
import { FieldRefusal, flagField, mapField, type RequestFields, textField } from '../protocol/fields.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { Collection } from '../storage/storage.ts';

type StoredField<Definition extends Field> = Definition extends { required: true } | { default: unknown }
  ? z.output<Definition['schema']>
  : z.output<Definition['schema']> | null;

/** A stored custom message, its text in base64. Times are RFC 3339 in UTC. Null: no link, options or end. */
export type Message = { id: string } & {
  -readonly [Name in keyof typeof messageFields]: StoredField<(typeof messageFields)[Name]>;
};

/** The messages of each namespace, without its parents'. */
export const messages = new Collection<Message>('custom-message');

/**
 * The message that a body describes. `checkMessage` compares its fields later: real servers look up the message first.
 *
 * @throws {RequestRefusal} 400, with the texts of docs/inside/measured/messages.md#refused-messages
 */
export function messageOf(body: RequestFields, id: string): Message {
  const title = required(body, 'title');
  const authenticated = audienceOf(body);
  const type = textField(body, 'type') ?? messageFields.type.default;
  const message = required(body, 'message');
  if (!isBase64(message)) {
    throw new RequestRefusal(400, 'invalid message parameter value, must be base64 encoded');
  }
  const link = linkOf(mapField(body, 'link') ?? {});
  const options = (mapField(body, 'options') ?? null) as Message['options'];
  const startTime = instantOf(body, 'start_time');
  if (startTime === null) throw new RequestRefusal(400, 'missing start_time parameter value');
  const endTime = instantOf(body, 'end_time');
  // `checkMessage` checks the type.
  return { id, title, message, authenticated, type: type as MessageType, link, options, startTime, endTime };
}

/** @throws {RequestRefusal} 400 for invalid times, an invalid type, or too many messages. */
export function checkMessage(message: Message, verb: 'create' | 'update', isFull: () => boolean): void {
  const refused = (why: string) => new RequestRefusal(400, `failed to ${verb} custom message: ${why}`);
  const end = message.endTime === null ? undefined : parseInstant(message.endTime);
  if (end !== undefined && (parseInstant(message.startTime) ?? end) >= end) {
    throw refused('message start time must occur before end time');
  }
  if (!isMessageType(message.type)) throw refused('unrecognized message type');
  if (isFull()) throw refused('maximum number of messages already exist');
}

export function isMessageType(type: string): type is MessageType {
  return Object.values<string>(MessageType).includes(type);
}

function required(body: RequestFields, name: string): string {
  const text = textField(body, name);
  if (text === undefined || text === '') throw new RequestRefusal(400, `missing ${name} parameter value`);
  return text;
}

/** Null and empty texts are false elsewhere. Here that would show a message to everyone, unasked. */
function audienceOf(body: RequestFields): boolean {
  const authenticated = body['authenticated'];
  if (authenticated !== null && authenticated !== '') {
    return flagField(body, 'authenticated') ?? messageFields.authenticated.default;
  }
  throw new FieldRefusal('authenticated', "'' cannot parse value as 'bool': neither true nor false");
}

/** Go's decoder requires padding and allows line ends. */
function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replace(/[\r\n]/g, ''));
}

function linkOf(link: RequestFields): Record<string, string> | null {
  const [first, ...rest] = Object.entries(link);
  if (first === undefined) return null;
  if (rest.length > 0) {
    const text = 'invalid number of elements in link parameter value; only a single element can be provided';
    throw new RequestRefusal(400, text);
  }
  const [title, url] = first;
  if (typeof url !== 'string') {
    throw new RequestRefusal(400, `invalid url for ${JSON.stringify(title)} key in link parameter value`);
  }
  if (title === '' && url === '') return null;
  if (title === '') throw new RequestRefusal(400, 'missing title key in link parameter value');
  if (url === '') {
    throw new RequestRefusal(400, `missing url for ${JSON.stringify(title)} key in link parameter value`);
  }
  return Object.fromEntries([first]) as Record<string, string>;
}

function instantOf(body: RequestFields, name: string): string | null {
  const value = body[name] ?? null;
  if (value === null || value === '') return null;
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  if (instant === undefined) {
    throw new RequestRefusal(400, `invalid ${name} parameter value: an RFC 3339 timestamp is expected`);
  }
  return formatInstant(instant);
}
