import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import { methodSubject, roleSubject } from '../../graph/subject.ts';
import { partName } from '../../graph/values/visible.ts';
import { type GraphRule, methodRule, type Objection, roleRule } from './rule.ts';

const keySources = ['oidcDiscoveryUrl', 'jwksUrl', 'jwksPairs', 'jwtValidationPubkeys'] as const;

/** Claims that are lists in the tokens of every provider, or of the providers that send them. */
const lists = ['aud', 'amr', 'groups', 'roles', 'groups_direct', 'cognito:groups'];

/** Rules over how methods and their roles are set up, whatever the provider. */
export const setUpRules: GraphRule[] = [
  {
    id: 'well-known-url',
    severity: 'error',
    about: 'A bound issuer that ends in its well-known suffix.',
    check: ({ methods }) =>
      methods
        .filter(({ config }) => config.boundIssuer?.includes('/.well-known/'))
        .map((method) => ({
          subject: methodSubject(method, 'boundIssuer'),
          message: 'The issuer contains /.well-known/…. No token carries that, so no one can sign in.',
          fix: 'Remove /.well-known and everything after it.',
        })),
  },
  {
    id: 'key-source',
    severity: 'error',
    about: 'A method with several key sources, or with none.',
    check: ({ methods }) =>
      methods.flatMap((method) => {
        const sources = keySources.filter((source) => method.config[source]?.length);
        if (sources.length === 1) return [];
        return {
          subject: methodSubject(method, sources[1]),
          message:
            sources.length === 0
              ? 'The method has no keys to verify tokens with. No one can sign in.'
              : `The keys come from ${sources.join(' and ')}. The service accepts exactly one source.`,
          fix: `Set one of ${keySources.join(', ')}.`,
        };
      }),
  },
  {
    id: 'keys-of-several-issuers',
    severity: 'warning',
    about: 'A method whose keys may belong to several issuers.',
    check: ({ methods }) => methods.filter(({ type }) => type === 'jwt').flatMap(severalIssuers),
  },
  {
    id: 'mixed-case-name',
    severity: 'warning',
    about: 'A role, or a default role, whose name is not lower case.',
    check: ({ methods, roles }) =>
      [
        ...roles.filter(({ name }) => name !== name.toLowerCase()).map((role) => roleSubject(role, 'name')),
        ...methods
          .filter(({ config: { defaultRole = '' } }) => defaultRole !== defaultRole.toLowerCase())
          .map((method) => methodSubject(method, 'defaultRole')),
      ].map((subject) => ({
        subject,
        message:
          'The name has capitals. The service stores it in lower case, so every comparison finds a difference.',
        fix: 'Write it in lower case.',
      })),
  },
  methodRule({
    id: 'default-role-missing',
    severity: 'error',
    about: 'A default role that does not exist.',
    field: 'defaultRole',
    // Where no role of the method is known, its roles may be declared elsewhere.
    isWrong: ({ config: { defaultRole } }, { roles }) =>
      defaultRole &&
      roles.length > 0 &&
      roles.every(({ name }) => name.toLowerCase() !== defaultRole.toLowerCase()),
    message: ({ config: { defaultRole } }) =>
      `Default ${partName('role', defaultRole)} does not exist. Sign-ins that name no role fail.`,
    fix: 'Set defaultRole to a role of the method, or remove it.',
  }),
  {
    id: 'list-claim-mapping',
    severity: 'error',
    about: 'A claim that is a list, mapped to metadata.',
    check: ({ roles }) =>
      roles.flatMap((role) =>
        Object.keys(role.claimMappings ?? {})
          .filter((source) => lists.includes(source.replace(/^\//, '')))
          .map((source) => ({
            subject: roleSubject(role, 'claimMappings'),
            message: `Claim ${JSON.stringify(source)} is a list, and only text can be mapped. Every sign-in with it fails (“error converting claim to string”).`,
            fix: 'Remove the mapping; use groupsClaim for groups.',
          })),
      ),
  },
  roleRule({
    id: 'oidc-role-on-jwt-method',
    severity: 'error',
    about: 'An oidc role on a method that is not set up for people.',
    field: 'roleType',
    // On a mount of type oidc, the id of an application that a plan is yet to create is not known.
    isWrong: ({ roleType }, { method }) => roleType === 'oidc' && method?.type === 'jwt',
    severityOf: (_, { config: { oidcClientId } }) => (oidcClientId ? 'warning' : 'error'),
    message: (_, { config: { oidcClientId } }) =>
      oidcClientId
        ? 'The role is of type oidc, and its mount of type jwt. The sign-in page asks people for a token there.'
        : 'The role is of type oidc, and its method has no client. No one can sign in with it.',
    fix: 'Move the role to a mount of type oidc, or make it a jwt role.',
  }),
  methodRule({
    id: 'unsafe-algorithm',
    severity: 'error',
    about: 'A method that accepts `none` or a shared-secret algorithm.',
    field: 'jwtSupportedAlgs',
    isWrong: (method) => unsafeAlgorithms(method).length > 0,
    message: (method) =>
      `${unsafeAlgorithms(method).join(', ')} does not prove who made a token. With none anyone can make one; with a shared secret every verifier can.`,
    fix: 'Remove it; RS256, ES256 and EdDSA are safe.',
  }),
  methodRule({
    id: 'rs256-missing',
    severity: 'warning',
    about: 'A method that does not accept RS256.',
    field: 'jwtSupportedAlgs',
    isWrong: ({ config: { jwtSupportedAlgs: algorithms } }) =>
      algorithms?.length && !algorithms.includes('RS256'),
    message:
      'The method does not accept RS256. OpenID Connect requires it of every provider, and most sign with it.',
    fix: 'Add RS256, unless the provider signs with another algorithm.',
  }),
  roleRule({
    id: 'direct-callback',
    severity: 'error',
    about: 'A role in direct callback mode.',
    field: 'callbackMode',
    isWrong: ({ callbackMode }) => callbackMode === 'direct',
    message:
      'The provider’s response goes straight to the service without confirmation. An attacker with a prepared link can sign in as its victim (CVE-2026-33757).',
    fix: 'Set callback_mode back to client.',
  }),
];

/** The service takes any key of a method for any issuer, whatever the method binds. */
function severalIssuers(method: AuthMethod): Objection[] {
  const { jwksPairs = [], jwtValidationPubkeys: keys = [], boundIssuer } = method.config;
  const places = new Set(jwksPairs.map(({ jwks_url: url }) => url));
  if (places.size > 1) {
    return [
      {
        subject: methodSubject(method, 'jwksPairs'),
        message: `The keys come from ${places.size} addresses. The service does not bind keys to issuers, so one issuer’s keys can sign for another.`,
        fix: 'Give each issuer its own auth method.',
      },
    ];
  }
  if (keys.length < 2 || boundIssuer) return [];
  return [
    {
      subject: methodSubject(method, 'jwtValidationPubkeys'),
      message: `The method accepts ${keys.length} public keys for any issuer. If they belong to several clusters, one cluster’s key signs for the others.`,
      fix: 'Give each issuer its own auth method (`clusters` of a container orchestrator) and bind `issuer`.',
    },
  ];
}

function unsafeAlgorithms({ config: { jwtSupportedAlgs = [] } }: AuthMethod): string[] {
  return jwtSupportedAlgs.filter((name) => /^(none|HS\d*)$/i.test(name));
}
