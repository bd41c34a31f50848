import { randomUUID } from 'node:crypto';
import { isActive } from '../../../core/model/resources/custom-message.ts';
import { found, listReply } from '../protocol/answer.ts';
import { flagField } from '../protocol/fields.ts';
import { type Reply, type RequestContext, readOnly, type SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { checkMessage, isMessageType, type Message, messageOf, messages } from './message-fields.ts';

/** interface.md, Limits: "Custom messages per namespace". */
const mostMessages = 100;

/** interface.md, area C. Each operation returns exactly the fields of its table. */
export const messagePaths: SecretsPath[] = [
  {
    pattern: 'sys/config/ui/custom-messages',
    slashCounts: true,
    operations: { list, update: create },
  },
  {
    pattern: 'sys/config/ui/custom-messages/:id',
    operations: { read, update, delete: remove },
  },
];

function list(context: RequestContext): Reply {
  const { query, now } = context;
  const { type: wanted } = query;
  if (wanted !== undefined && !isMessageType(wanted)) {
    throw new Refusal(400, 'unrecognized type value for filter');
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
        (wanted ?? type) === type,
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
  return { data: shown(found(messages.get(context, context.parameters.id)), context.now) };
}

/** Replaces the whole message: omitted fields are reset (facts/custom-messages.md). */
function update(context: RequestContext): Reply {
  const message = messageOf(context.body, context.parameters.id);
  found(messages.get(context, message.id));
  checkMessage(message, 'update', () => false);
  messages.put(context, message.id, message);
  const {
    active,
    title,
    start_time,
    end_time,
    type,
    message: text,
    authenticated,
  } = shown(message, context.now);
  return { data: { active, title, start_time, end_time, type, message: text, authenticated } };
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
  {
    pattern: 'sys/internal/ui/unauthenticated-messages',
    unauthenticated: true,
    operations: { read: (context) => activeMessages(context, false) },
  },
  readOnly('sys/internal/ui/authenticated-messages', (context) => activeMessages(context, true)),
];

function activeMessages({ storage, namespace, now }: RequestContext, authenticated: boolean): Reply {
  const active = withParents(namespace)
    .flatMap((one) => messages.all({ storage, namespace: one }))
    .map((message) => shown(message, now))
    .filter((message) => message.authenticated === authenticated && message.active);
  const keyInfo = active.map(({ id, active: _, ...info }) => [id, info]);
  return { data: { keys: active.map(({ id }) => id), key_info: Object.fromEntries(keyInfo) } };
}

/** A namespace and its parents, the root namespace first. */
function withParents(namespace: string): string[] {
  const parts = namespace === '' ? [] : namespace.split('/');
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}
