import { z } from 'zod';
import { messageFields } from '../../../core/model/resources/custom-message.ts';
import {
  answerFields,
  bodyFields,
  instant,
  keysWith,
  map,
  type PathSchemas,
  textsByName,
} from './operation-schema.ts';

// interface.md C: each operation answers with exactly the fields of its table.
const all: Record<string, z.ZodType> = {
  ...answerFields(messageFields, () => true),
  message: z.base64(),
  options: map.nullable(),
};
const some = (...names: string[]) => Object.fromEntries(names.map((name) => [name, all[name] ?? z.never()]));
const created = some('start_time', 'end_time', 'type', 'authenticated');
const shown = { ...created, ...some('title') };
const active = { active: z.boolean() };
const id = { id: z.string() };

const body = z.object({
  ...bodyFields(messageFields),
  message: z.base64(),
  end_time: instant.nullable().optional(),
  link: textsByName.nullable().optional(),
  options: map.nullable().optional(),
});

const messages = keysWith(z.strictObject(all));

export const messageSchemas: PathSchemas = {
  'sys/config/ui/custom-messages': {
    list: {
      summary: 'List the messages',
      query: ['active', 'authenticated', 'type'],
      answer: keysWith(z.strictObject(shown)),
    },
    update: {
      summary: 'Create a message',
      body,
      answer: { data: z.strictObject({ ...id, ...active, ...created }) },
    },
  },
  'sys/config/ui/custom-messages/:id': {
    read: {
      summary: 'Read a message',
      answer: { data: z.strictObject({ ...id, ...all, ...active }) },
    },
    update: {
      summary: 'Replace a message',
      body,
      answer: { data: z.strictObject({ ...shown, ...active, message: z.base64() }) },
    },
    delete: { summary: 'Delete a message' },
  },
  'sys/internal/ui/unauthenticated-messages': {
    read: { summary: 'Active messages shown before sign-in', answer: messages },
  },
  'sys/internal/ui/authenticated-messages': {
    read: { summary: 'Active messages shown after sign-in', answer: messages },
  },
};
