import type { z } from 'zod';
import type { messageFields } from '../../../core/model/resources/custom-message.ts';
import type { Field } from '../../../core/model/resources/field.ts';
import { Collection } from '../storage/storage.ts';

type Kept<One extends Field> = One extends { required: true } | { default: unknown }
  ? z.output<One['schema']>
  : z.output<One['schema']> | null;

/** A stored custom message, its text in base64. Times are RFC 3339 in UTC. Null: no link, options or end. */
export type Message = { id: string } & {
  -readonly [Name in keyof typeof messageFields]: Kept<(typeof messageFields)[Name]>;
};

/** The messages of each namespace, without its parents'. */
export const messages = new Collection<Message>('custom-message');
