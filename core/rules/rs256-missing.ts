import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'rs256-missing',
  severity: 'warning',
  about: 'A method that does not take RS256.',
  check: ({ methods }) =>
    methods
      .filter(({ config: { jwtSupportedAlgs: given } }) => given?.length && !given.includes('RS256'))
      .map((method) => ({
        subject: methodSubject(method, 'jwtSupportedAlgs'),
        message:
          'RS256 is not among the algorithms, and it is what OpenID Connect asks of every provider, and what most sign with.',
        fix: 'Add RS256, unless the provider is known to sign with another.',
      })),
};
