import { matchIssuer } from '../model/kinds/kind.ts';
import { openSourceIdentityServer } from '../model/kinds/open-source-identity-server.ts';
import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'realm-url',
  severity: 'error',
  about: 'Open-source identity server: a discovery URL that is not a realm’s.',
  check: ({ methods }, { kindOf }) =>
    methods
      .filter(({ path, config: { oidcDiscoveryUrl: url } }) => {
        return (
          kindOf(path) === openSourceIdentityServer.kind &&
          url !== undefined &&
          !matchIssuer(openSourceIdentityServer.issuer, url)
        );
      })
      .map((method) => ({
        subject: methodSubject(method, 'oidcDiscoveryUrl'),
        message:
          'The server’s issuers are its realms, and this URL is not a realm: there is nothing to discover.',
        fix: `Use ${openSourceIdentityServer.issuer}.`,
      })),
};
