import { type CustomMessage, message as resource } from '../../graph/resources/custom-message.ts';
import { subjectOf } from '../../graph/subject.ts';
import { parseInstant } from '../../graph/values/instant.ts';
import { limits } from '../../graph/values/limits.ts';
import { type ChangeRule, type GraphRule, type PartRule, partRule } from './rule.ts';

const secrets =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(hvs|hvb|hvr|s|b)\.[A-Za-z0-9_-]{24,}|\b(ghp|gho|ghs|glpat|xox[abp])[-_][A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.|\b(password|passphrase|secret|token|api[ _-]?key)\b\s*(is|[:=])\s*\S{6,}/i;
const internal =
  /\b(10(\.\d{1,3}){3}|192\.168(\.\d{1,3}){2}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2})\b|\b[a-z0-9-]+(\.[a-z0-9-]+)*\.(internal|corp|lan|local|intranet)\b|\.svc\.cluster\.local\b/i;

/** A rule over each message. */
function messageRule({ field, ...rule }: PartRule<CustomMessage> & { field: string }): GraphRule {
  return partRule(rule, ({ messages }) =>
    messages.map((part) => ({ part, subject: () => subjectOf(resource, part, field) })),
  );
}

/** All that people can read of a message. */
function messageText({ title, message, link = {}, options = {} }: CustomMessage): string {
  return [title, message, ...Object.entries({ ...link, ...options }).flat()].map(String).join('\n');
}

/** Rules over custom messages. */
export const messageRules: GraphRule[] = [
  messageRule({
    id: 'message-reveals',
    severity: 'error',
    about: 'A message before sign-in that appears to contain a secret or an internal host.',
    field: 'message',
    isWrong(message) {
      const text = messageText(message);
      return !message.authenticated && (secrets.test(text) || internal.test(text));
    },
    severityOf: (message) => (secrets.test(messageText(message)) ? 'error' : 'warning'),
    message: (message) =>
      `The message appears to contain ${secrets.test(messageText(message)) ? 'a secret' : 'the name of an internal host'}. Anyone can read it before sign-in.`,
    fix: 'Remove it, or show the message after sign-in (authenticated: true).',
  }),
  messageRule({
    id: 'message-times',
    severity: 'error',
    about: 'A message that ends before it starts.',
    field: 'endTime',
    isWrong({ startTime, endTime = '' }) {
      const start = parseInstant(startTime);
      const end = parseInstant(endTime);
      return start !== undefined && end !== undefined && end <= start;
    },
    message: 'The message ends before it starts. The service refuses it.',
    fix: 'Set endTime after startTime.',
  }),
  messageRule({
    id: 'message-link',
    severity: 'error',
    about: 'A message with more or fewer than one link.',
    field: 'link',
    isWrong: ({ link }) => link !== undefined && Object.keys(link).length !== 1,
    message: 'The message does not have exactly one link (a title and its URL). The service refuses it.',
    fix: 'Keep one link.',
  }),
  {
    id: 'too-many-messages',
    severity: 'error',
    about: 'More messages than a namespace can hold.',
    check: ({ messages }, { service }) =>
      messages.length <= limits.customMessagesPerNamespace
        ? []
        : [
            {
              subject: { type: 'service', name: service?.address ?? '', field: 'messages' },
              message: `The namespace has ${messages.length} messages and can hold ${limits.customMessagesPerNamespace}. The service refuses the rest.`,
              fix: 'Remove messages that have ended.',
            },
          ],
  },
];

export const messagePublished: ChangeRule = {
  id: 'message-published',
  severity: 'warning',
  about: 'A message that becomes readable by anyone.',
  check: ({ before, after }) => {
    const known = Map.groupBy(before.messages, ({ title }) => title);
    return after.messages
      .filter(({ authenticated }) => !authenticated)
      .flatMap(({ title, message }) => {
        const [messageBefore] = known.get(title) ?? [];
        if (messageBefore !== undefined && !messageBefore.authenticated && messageBefore.message === message)
          return [];
        return {
          subject: { type: 'message' as const, name: title, field: 'authenticated' },
          message: 'The message is shown before sign-in. Anyone who reaches the service can read it.',
          fix: 'Check that it reveals nothing, or show it after sign-in (authenticated: true).',
        };
      });
  },
};
