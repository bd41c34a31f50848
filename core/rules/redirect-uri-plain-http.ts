import { roleSubject } from '../model/subject.ts';
import { isLoopback, uriOf } from './redirect-uri.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'redirect-uri-plain-http',
  severity: 'error',
  about: 'A redirect URI of plain http on a host that is not loopback.',
  check: ({ roles }) =>
    roles.flatMap((role) =>
      (role.allowedRedirectUris ?? []).flatMap((text) => {
        const uri = uriOf(text);
        if (uri?.protocol !== 'http:' || isLoopback(uri)) return [];
        return {
          subject: roleSubject(role, 'allowedRedirectUris'),
          message: `The redirect URI ${text} is plain http: the code of a sign-in crosses the network in clear. Providers refuse it.`,
          fix: 'Use https.',
        };
      }),
    ),
};
