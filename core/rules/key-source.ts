import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

const sources = ['oidcDiscoveryUrl', 'jwksUrl', 'jwksPairs', 'jwtValidationPubkeys'] as const;

export const rule: StateRule = {
  id: 'key-source',
  severity: 'error',
  about: 'A method with several sources of keys, or with none.',
  check: ({ methods }) =>
    methods.flatMap((method) => {
      const given = sources.filter((source) => method.config[source]?.length);
      if (given.length === 1) return [];
      return {
        subject: methodSubject(method, given[1]),
        message:
          given.length === 0
            ? 'Nothing says with which keys tokens are verified: nobody can sign in.'
            : `The keys come from ${given.join(' and ')}: the service takes exactly one source.`,
        fix: `Give one of ${sources.join(', ')}.`,
      };
    }),
};
