import { randomUUID } from 'node:crypto';
import { isActive, messageFields } from '@gatehouse/core/graph';
import { z } from 'zod';
import { listReply, orNotFound } from '../protocol/answer.ts';
import { flagField } from '../protocol/fields.ts';
import {
  op,
  type Reply,
  type RequestContext,
  readOnly,
  route,
  type SecretsPath,
  withoutToken,
} from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { answerFields, bodyFields, instant, keysWith, map, textsByName } from '../protocol/schemas.ts';
import { checkMessage, isMessageType, type Message, messageOf, messages } from './message-fields.ts';

/** docs/inside/specification.md, Limits: "Custom messages per namespace". */
const mostMessages = 100;

const all: Record<string, z.ZodType> = {
  ...answerFields(messageFields, () => true),
  message: z.base64(),
  options: map.nullable(),
};
const schemasOf = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, all[name] ?? z.never()]));
const createdFields = schemasOf('start_time', 'end_time', 'type', 'authenticated');
const listedFields = { ...createdFields, ...schemasOf('title') };
const active = { active: z.boolean() };
const id = { id: z.string() };
const body = z.object({
  ...bodyFields(messageFields),
  message: z.base64(),
  end_time: instant.nullable().optional(),
  link: textsByName.nullable().optional(),
  options: map.nullable().optional(),
});

/** docs/inside/specification.md, area C. Each operation returns exactly the fields of its table. */
export const messagePaths: SecretsPath[] = [
  route(
    'sys/config/ui/custom-messages',
    {
      list: op('List the messages', list, {
        query: ['active', 'authenticated', 'type'],
        ...keysWith(z.strictObject(listedFields)),
      }),
      update: op('Create a message', create, {
        body,
        data: z.strictObject({ ...id, ...active, ...createdFields }),
      }),
    },
    { slashCounts: true },
  ),
  route('sys/config/ui/custom-messages/:id', {
    read: op('Read a message', read, { data: z.strictObject({ ...id, ...all, ...active }) }),
    update: op('Replace a message', update, {
      body,
      data: z.strictObject({ ...listedFields, ...active, message: z.base64() }),
    }),
    delete: op('Delete a message', remove),
  }),
];

function list(context: RequestContext): Reply {
  const { query, now } = context;
  const { type: wantedType } = query;
  if (wantedType !== undefined && !isMessageType(wantedType)) {
    throw new RequestRefusal(400, 'unrecognized type value for filter');
  }
  const wantsActive = flagField(query, 'active');
  const wantsAuthenticated = flagField(query, 'authenticated');
  const matching = messages
    .all(context)
    .map((message) => shown(message, now))
    .filter(
      ({ active, authenticated, type }) =>
        (wantsActive ?? active) === active &&
        (wantsAuthenticated ?? authenticated) === authenticated &&
        (wantedType ?? type) === type,
    );
  return listReply(
    matching.map(({ id, title, type, authenticated, start_time, end_time }) => [
      id,
      { title, type, authenticated, start_time, end_time },
    ]),
  );
}

function create(context: RequestContext): Reply {
  const message = messageOf(context.body, randomUUID());
  checkMessage(message, 'create', () => messages.all(context).length >= mostMessages);
  messages.put(context, message.id, message);
  const { id, active, start_time, end_time, type, authenticated } = shown(message, context.now);
  return { data: { id, active, start_time, end_time, type, authenticated } };
}

function read(context: RequestContext): Reply {
  return { data: shown(orNotFound(messages.get(context, context.parameters.id)), context.now) };
}

/** Replaces the whole message: omitted fields are reset (docs/inside/measured/messages.md#read-update-and-delete). */
function update(context: RequestContext): Reply {
  const message = messageOf(context.body, context.parameters.id);
  orNotFound(messages.get(context, message.id));
  checkMessage(message, 'update', () => false);
  messages.put(context, message.id, message);
  const { id: _, link: __, options: ___, ...data } = shown(message, context.now);
  return { data };
}

function remove(context: RequestContext): Reply {
  messages.delete(context, context.parameters.id);
  return {};
}

function shown(message: Message, now: bigint) {
  const { startTime, endTime, ...same } = message;
  const active = isActive({ startTime, endTime: endTime ?? undefined }, now);
  return { ...same, active, start_time: startTime, end_time: endTime };
}

/** For the service's pages: the active messages of a namespace and its parents. */
export const uiMessagePaths: SecretsPath[] = [
  withoutToken(activeMessages('unauthenticated', 'Active messages shown before sign-in')),
  activeMessages('authenticated', 'Active messages shown after sign-in'),
];

function activeMessages(audience: 'authenticated' | 'unauthenticated', summary: string): SecretsPath {
  const read = ({ storage, namespace, now }: RequestContext): Reply => {
    const active = lineageOf(namespace)
      .flatMap((path) => messages.all({ storage, namespace: path }))
      .map((message) => shown(message, now))
      .filter(({ authenticated, active }) => active && authenticated === (audience === 'authenticated'));
    const keyInfo = active.map(({ id, active: _, ...info }) => [id, info]);
    return { data: { keys: active.map(({ id }) => id), key_info: Object.fromEntries(keyInfo) } };
  };
  return readOnly(`sys/internal/ui/${audience}-messages`, summary, read, keysWith(z.strictObject(all)));
}

/** A namespace and its parents, the root namespace first. */
function lineageOf(namespace: string): string[] {
  const parts = namespace === '' ? [] : namespace.split('/');
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}
