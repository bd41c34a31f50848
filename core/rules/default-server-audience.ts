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
          return (
            kindOf(path) === 'enterprise_identity_provider' &&
            /\/oauth2\/default\/?$/.test(config.oidcDiscoveryUrl ?? '')
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
        fix: 'Set boundAudiences: [api://default], and the client id beside it.',
      }));
  },
};
