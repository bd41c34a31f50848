import type { RequestContext, SecretsPath } from '../protocol/path.ts';
import { isActiveAt, messagesOf } from './message.ts';

/** What the service's own pages read: the active messages of a namespace and of those it lies in. */
export const uiMessagePaths: SecretsPath[] = [
  {
    pattern: 'sys/internal/ui/unauthenticated-messages',
    unauthenticated: true,
    operations: { read: (context) => activeMessages(context, false) },
  },
  {
    pattern: 'sys/internal/ui/authenticated-messages',
    operations: { read: (context) => activeMessages(context, true) },
  },
];

function activeMessages({ storage, request, now }: RequestContext, authenticated: boolean) {
  const messages = withParents(request.namespace)
    .flatMap((namespace) => messagesOf(storage, namespace))
    .filter((message) => message.authenticated === authenticated && isActiveAt(message, now));
  const keyInfo = messages.map(({ id, startTime, endTime, ...same }) => [
    id,
    { ...same, start_time: startTime, end_time: endTime },
  ]);
  return { data: { keys: messages.map(({ id }) => id), key_info: Object.fromEntries(keyInfo) } };
}

/** A namespace and all it lies in, the root one first. */
function withParents(namespace: string): string[] {
  const parts = namespace === '' ? [] : namespace.split('/');
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}
