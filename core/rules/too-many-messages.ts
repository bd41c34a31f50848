import { limits } from '../model/values/limits.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'too-many-messages',
  severity: 'error',
  about: 'More messages than a namespace can hold.',
  check: ({ messages }, { service }) =>
    messages.length <= limits.customMessagesPerNamespace
      ? []
      : [
          {
            subject: { type: 'service', name: service?.address ?? '', field: 'messages' },
            message: `There are ${messages.length} messages, but a namespace can hold ${limits.customMessagesPerNamespace}: the service refuses the rest.`,
            fix: 'Remove those that have ended.',
          },
        ],
};
