import { defaultServer, enterpriseIdentityProvider } from '../model/kinds/enterprise-identity-provider.ts';
import { matchIssuer } from '../model/kinds/kind.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'default-server-audience',
  severity: 'error',
  about: 'Enterprise identity provider: the default authorization server without its audience.',
  check: ({ methods, roles }, { kindOf }) => {
    const onDefault = new Set(
      methods
        .filter(({ path, config }) => {
          const url = config.oidcDiscoveryUrl?.replace(/\/$/, '') ?? '';
          const issuer = matchIssuer(enterpriseIdentityProvider.issuer, url);
          return (
            kindOf(path) === enterpriseIdentityProvider.kind &&
            issuer?.['authorizationServer'] === defaultServer.name
          );
        })
        .map(({ path }) => path),
    );
    return roles
      .filter(({ method, boundAudiences }) => onDefault.has(method) && !boundAudiences?.length)
      .map((role) => ({
        subject: roleSubject(role, 'boundAudiences'),
        message:
          'The default authorization server makes its tokens for its own audience, not for the client: the role has to bind it.',
        fix: `Set boundAudiences to [${defaultServer.audience}] and the client id.`,
      }));
  },
};
