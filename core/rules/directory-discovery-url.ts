import { cloudDirectory } from '../model/kinds/cloud-directory.ts';
import { matchIssuer } from '../model/kinds/kind.ts';
import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'directory-discovery-url',
  severity: 'error',
  about: 'Cloud directory: a discovery URL that does not end in `/v2.0`.',
  check: ({ methods }, { kindOf }) =>
    methods
      .filter(({ path, config: { oidcDiscoveryUrl: url } }) => {
        return (
          kindOf(path) === cloudDirectory.kind &&
          url !== undefined &&
          !matchIssuer(cloudDirectory.issuer, url)
        );
      })
      .map((method) => ({
        subject: methodSubject(method, 'oidcDiscoveryUrl'),
        message:
          'The directory’s issuer ends in /v2.0, and this URL does not: the issuers differ, and the service refuses the configuration.',
        fix: `Use ${cloudDirectory.issuer}, without a slash at its end.`,
      })),
};
