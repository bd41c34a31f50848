import { hostedIdentityPlatform, signingAlgorithm } from '../model/kinds/hosted-identity-platform.ts';
import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'hosted-algorithm',
  severity: 'error',
  about: 'Hosted identity platform: signatures other than RS256.',
  check: ({ methods }, { kindOf }) =>
    methods
      .filter(({ path, config: { jwtSupportedAlgs: given } }) => {
        return (
          kindOf(path) === hostedIdentityPlatform.kind && given?.length && !given.includes(signingAlgorithm)
        );
      })
      .map((method) => ({
        subject: methodSubject(method, 'jwtSupportedAlgs'),
        message:
          'The platform’s application signs with RS256, and the method does not take it: every sign-in fails.',
        fix: 'Set the application’s signing algorithm to RS256, and jwtSupportedAlgs: [RS256].',
      })),
};
