import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'message-link',
  severity: 'error',
  about: 'A message with more or fewer than one link.',
  check: ({ messages }) =>
    messages
      .filter(({ link }) => link !== undefined && Object.keys(link).length !== 1)
      .map(({ title }) => ({
        subject: { type: 'message', name: title, field: 'link' },
        message: 'A message has exactly one link, a title and its URL: the service refuses this one.',
        fix: 'Keep one.',
      })),
};
