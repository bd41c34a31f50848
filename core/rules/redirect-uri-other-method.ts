import { roleSubject } from '../model/subject.ts';
import { methodOfUri } from './redirect-uri.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'redirect-uri-other-method',
  severity: 'error',
  about: 'A redirect URI that names the path of another auth method.',
  check: ({ roles }) =>
    roles.flatMap((role) =>
      (role.allowedRedirectUris ?? []).flatMap((uri) => {
        const named = methodOfUri(uri);
        if (named === undefined || named === role.method) return [];
        return {
          subject: roleSubject(role, 'allowedRedirectUris'),
          message: `The redirect URI ${uri} is that of auth/${named}, and the role is of auth/${role.method}: the pages answer there with another method, and the sign-in fails.`,
          fix: `Write auth/${role.method} in it, here and at the provider.`,
        };
      }),
    ),
};
