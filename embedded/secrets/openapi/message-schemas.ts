import { z } from 'zod';
import { MessageType } from '../../../core/model/resources/custom-message.ts';
import { flag, instant, keysWith, type PathSchemas, textsByName } from './operation-schema.ts';

// interface.md C1 and C: each operation answers with exactly the fields of its table.
const type = z.enum(MessageType);
const shown = {
  title: z.string(),
  type,
  authenticated: z.boolean(),
  start_time: instant,
  end_time: instant.nullable(),
};
const details = {
  message: z.base64(),
  link: textsByName.nullable(),
  options: z.record(z.string(), z.unknown()).nullable(),
};
const active = { active: z.boolean() };
const id = { id: z.string() };
const { title: _, ...created } = shown;

const body = z.object({
  title: z.string(),
  message: z.base64(),
  start_time: instant,
  end_time: instant.nullable().optional(),
  authenticated: flag.optional(),
  type: type.optional(),
  link: textsByName.nullable().optional(),
  options: z.record(z.string(), z.unknown()).nullable().optional(),
});

const messages = keysWith(z.strictObject({ ...shown, ...details }));

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
      answer: { data: z.strictObject({ ...id, ...shown, ...details, ...active }) },
    },
    update: {
      summary: 'Replace a message',
      body,
      answer: { data: z.strictObject({ ...shown, ...active, message: details.message }) },
    },
    delete: { summary: 'Delete a message' },
  },
  'sys/internal/ui/unauthenticated-messages': {
    read: { summary: 'Active messages that are shown before a sign-in', answer: messages },
  },
  'sys/internal/ui/authenticated-messages': {
    read: { summary: 'Active messages that are shown after a sign-in', answer: messages },
  },
};
