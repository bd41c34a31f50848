import { isActive, type MessageType } from '../../../core/model/resources/custom-message.ts';
import { type Json, key, type Storage } from '../storage/storage.ts';

/** A custom message as it is kept (interface.md C1). Times are RFC 3339 in UTC, down to nanoseconds. */
export type Message = {
  id: string;
  title: string;
  /** Base64, as it came. */
  message: string;
  authenticated: boolean;
  type: MessageType;
  /** One entry: title → URL. */
  link: Record<string, string> | null;
  options: { [name: string]: Json } | null;
  startTime: string;
  /** Null: the message never ends. */
  endTime: string | null;
};

export function readMessage(storage: Storage, namespace: string, id: string): Message | undefined {
  return storage.get(messageKey(namespace, id)) as Message | undefined;
}

/** The messages of this one namespace. */
export function messagesOf(storage: Storage, namespace: string): Message[] {
  return storage.list(messageKey(namespace, '')).map(([, message]) => message as Message);
}

export function putMessage(storage: Storage, namespace: string, message: Message): void {
  storage.put(messageKey(namespace, message.id), message);
}

export function deleteMessage(storage: Storage, namespace: string, id: string): void {
  storage.delete(messageKey(namespace, id));
}

/** Whether a message is active at this instant (nanoseconds). */
export function isActiveAt({ startTime, endTime }: Message, now: bigint): boolean {
  return isActive(endTime === null ? { startTime } : { startTime, endTime }, now);
}

function messageKey(namespace: string, id: string): string {
  return key(namespace, 'custom-message', id);
}
