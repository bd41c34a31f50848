import { z } from 'zod';
import { messageFields } from '../../../core/model/resources/custom-message.ts';
import {
  answerFields,
  bodyFields,
  instant,
  keysWith,
  map,
  op,
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
  'list sys/config/ui/custom-messages': op('List the messages', {
    query: ['active', 'authenticated', 'type'],
    ...keysWith(z.strictObject(shown)),
  }),
  'update sys/config/ui/custom-messages': op('Create a message', {
    body,
    data: z.strictObject({ ...id, ...active, ...created }),
  }),
  'read sys/config/ui/custom-messages/:id': op('Read a message', {
    data: z.strictObject({ ...id, ...all, ...active }),
  }),
  'update sys/config/ui/custom-messages/:id': op('Replace a message', {
    body,
    data: z.strictObject({ ...shown, ...active, message: z.base64() }),
  }),
  'delete sys/config/ui/custom-messages/:id': op('Delete a message'),
  'read sys/internal/ui/unauthenticated-messages': op('Active messages shown before sign-in', messages),
  'read sys/internal/ui/authenticated-messages': op('Active messages shown after sign-in', messages),
};
