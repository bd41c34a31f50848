import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'message-link',
  severity: 'error',
  about: 'A message whose link is not exactly one.',
  check: ({ messages }) =>
    messages
      .filter(({ link }) => link !== undefined && Object.keys(link).length !== 1)
      .map(({ title }) => ({
        subject: { type: 'message', name: title, field: 'link' },
        message:
          'A link is one property, its title and its URL; this one has none or several: the service refuses it.',
        fix: 'Leave one.',
      })),
};
