import type { Role } from '../model/resources/role.ts';
import { roleSubject } from '../model/subject.ts';
import { isCommandLine, uriOf } from './redirect-uri.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'redirect-uri-missing',
  severity: 'error',
  about: 'An oidc role without a redirect URI for the command line, or without one for the pages.',
  check: ({ roles }) =>
    roles
      .filter(({ roleType }) => roleType === 'oidc')
      .flatMap((role) => {
        const uris = role.allowedRedirectUris ?? [];
        const missing = [
          ...(uris.some(isCommandLine) ? [] : ['the command line (http://localhost:8250/oidc/callback)']),
          ...(uris.some((uri) => isPages(uri, role)) ? [] : ['the service’s pages']),
        ];
        if (missing.length === 0) return [];
        return {
          subject: roleSubject(role, 'allowedRedirectUris'),
          message: `No redirect URI is for ${missing.join(', and none for ')}: people cannot sign in there.`,
          fix: `Allow it; that of the pages is <address>/ui/vault/auth/${role.method}/oidc/callback.`,
        };
      }),
};

/** A callback of the pages, or the one to which a provider posts its answer (`form_post`). */
function isPages(text: string, { method }: Role): boolean {
  const path = uriOf(text)?.pathname ?? '';
  return path.endsWith(`/auth/${method}/oidc/callback`);
}
