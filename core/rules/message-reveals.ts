import type { StateRule } from './rule.ts';

const secrets =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(hvs|hvb|hvr|s|b)\.[A-Za-z0-9_-]{24,}|\b(ghp|gho|ghs|glpat|xox[abp])[-_][A-Za-z0-9_-]{16,}|\bAKIA[0-9A-Z]{16}\b|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.|\b(password|passphrase|secret|token|api[ _-]?key)\b\s*(is|[:=])\s*\S{6,}/i;
const internal =
  /\b(10(\.\d{1,3}){3}|192\.168(\.\d{1,3}){2}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2})\b|\b[a-z0-9-]+(\.[a-z0-9-]+)*\.(internal|corp|lan|local|intranet)\b|\.svc\.cluster\.local\b/i;

export const rule: StateRule = {
  id: 'message-reveals',
  severity: 'error',
  about: 'A message before sign-in with what looks like a secret or an internal host.',
  check: ({ messages }) =>
    messages
      .filter(({ authenticated }) => !authenticated)
      .flatMap(({ title, message, link = {}, options = {} }) => {
        const all = [title, message, ...Object.entries({ ...link, ...options }).flat()]
          .map(String)
          .join('\n');
        const isSecret = secrets.test(all);
        if (!isSecret && !internal.test(all)) return [];
        return {
          subject: { type: 'message' as const, name: title, field: 'message' },
          severity: isSecret ? ('error' as const) : ('warning' as const),
          message: `Anyone can read a message that is shown before sign-in, and this one has what looks like ${isSecret ? 'a secret' : 'the name of an internal host'}.`,
          fix: 'Remove it, or show the message after sign-in (authenticated: true).',
        };
      }),
};
