import type { z } from 'zod';
import type { messageFields } from '../../../core/model/resources/custom-message.ts';
import type { Field } from '../../../core/model/resources/field.ts';
import { key, type Storage } from '../storage/storage.ts';

type Kept<One extends Field> = One extends { required: true } | { default: unknown }
  ? z.output<One['schema']>
  : z.output<One['schema']> | null;

/** A stored custom message, its text in base64. Times are RFC 3339 in UTC. Null: no link, options or end. */
export type Message = { id: string } & {
  -readonly [Name in keyof typeof messageFields]: Kept<(typeof messageFields)[Name]>;
};

export function readMessage(storage: Storage, namespace: string, id: string): Message | undefined {
  return storage.get(messageKey(namespace, id)) as Message | undefined;
}

/** The messages of a namespace, without its parents'. */
export function messagesOf(storage: Storage, namespace: string): Message[] {
  return storage.list(messageKey(namespace, '')).map(([, message]) => message as Message);
}

export function putMessage(storage: Storage, namespace: string, message: Message): void {
  storage.put(messageKey(namespace, message.id), message);
}

export function deleteMessage(storage: Storage, namespace: string, id: string): void {
  storage.delete(messageKey(namespace, id));
}

function messageKey(namespace: string, id: string): string {
  return key(namespace, 'custom-message', id);
}
