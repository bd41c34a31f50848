import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'message-published',
  severity: 'warning',
  about: 'A message that becomes readable by anyone.',
  check: ({ before, after }) => {
    const known = Map.groupBy(before.messages, ({ title }) => title);
    return after.messages
      .filter(({ authenticated }) => !authenticated)
      .flatMap(({ title, message }) => {
        const [was] = known.get(title) ?? [];
        if (was !== undefined && !was.authenticated && was.message === message) return [];
        return {
          subject: { type: 'message' as const, name: title, field: 'authenticated' },
          message: 'It is shown before sign-in: anyone who reaches the service can read it.',
          fix: 'Check that it tells strangers nothing, or show it after sign-in (authenticated: true).',
        };
      });
  },
};
