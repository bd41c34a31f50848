import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'unsafe-algorithm',
  severity: 'error',
  about: '`none` or a shared-secret algorithm among those that a method takes.',
  check: ({ methods }) =>
    methods.flatMap((method) => {
      const unsafe = (method.config.jwtSupportedAlgs ?? []).filter((name) => /^(none|HS\d*)$/i.test(name));
      if (unsafe.length === 0) return [];
      return {
        subject: methodSubject(method, 'jwtSupportedAlgs'),
        message: `${unsafe.join(', ')} does not prove who made a token: with none anyone can, and with a shared secret anyone who may verify can.`,
        fix: 'Leave it out. RS256, ES256 and EdDSA are fine.',
      };
    }),
};
