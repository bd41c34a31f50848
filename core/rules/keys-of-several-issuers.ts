import type { AuthMethod } from '../model/resources/auth-method.ts';
import { methodSubject } from '../model/subject.ts';
import type { Objection, StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'keys-of-several-issuers',
  severity: 'warning',
  about: 'A method whose keys may be those of several issuers.',
  check: ({ methods }) => methods.filter(({ type }) => type === 'jwt').flatMap(several),
};

/** The service takes any key of a method for any issuer, whatever the method binds. */
function several(method: AuthMethod): Objection[] {
  const { jwksPairs = [], jwtValidationPubkeys: keys = [], boundIssuer } = method.config;
  const places = new Set(jwksPairs.map(({ jwks_url: url }) => url));
  if (places.size > 1) {
    return [
      {
        subject: methodSubject(method, 'jwksPairs'),
        message: `The keys come from ${places.size} addresses, and the service does not bind keys to issuers: the keys of one sign tokens in the name of another.`,
        fix: 'Give each issuer an auth method of its own.',
      },
    ];
  }
  if (keys.length < 2 || boundIssuer) return [];
  return [
    {
      subject: methodSubject(method, 'jwtValidationPubkeys'),
      message: `The method takes ${keys.length} public keys for any issuer: if they are of several clusters, a key of one signs for the others.`,
      fix: 'Give each issuer an auth method of its own (`clusters` of a container orchestrator), and bind it: `issuer`.',
    },
  ];
}
