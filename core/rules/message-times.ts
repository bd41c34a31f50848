import { parseInstant } from '../model/values/instant.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'message-times',
  severity: 'error',
  about: 'A message that ends before it starts.',
  check: ({ messages }) =>
    messages
      .filter(({ startTime, endTime }) => {
        const start = parseInstant(startTime);
        const end = endTime === undefined ? undefined : parseInstant(endTime);
        return start !== undefined && end !== undefined && end <= start;
      })
      .map(({ title }) => ({
        subject: { type: 'message', name: title, field: 'endTime' },
        message: 'The message ends before it starts: nobody ever sees it, and the service refuses it.',
        fix: 'Correct the times.',
      })),
};
