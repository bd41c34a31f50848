import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'directory-discovery-url',
  severity: 'error',
  about: 'Cloud directory: a discovery URL that does not end in `/v2.0`.',
  check: ({ methods }, { kindOf }) =>
    methods
      .filter(({ path, config: { oidcDiscoveryUrl: url } }) => {
        return kindOf(path) === 'cloud_directory' && url !== undefined && !url.endsWith('/v2.0');
      })
      .map((method) => ({
        subject: methodSubject(method, 'oidcDiscoveryUrl'),
        message:
          'The directory’s issuer ends in /v2.0, and this URL does not: the issuers differ, and the service refuses the configuration.',
        fix: 'Use <authority>/<tenant id>/v2.0, without a slash at its end.',
      })),
};
