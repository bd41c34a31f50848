import type { AuthMethod } from '../model/resources/auth-method.ts';
import { methodSubject, roleSubject } from '../model/subject.ts';
import { type GraphRule, methodRule, type Objection, roleRule } from './rule.ts';

const keySources = ['oidcDiscoveryUrl', 'jwksUrl', 'jwksPairs', 'jwtValidationPubkeys'] as const;

/** Claims that are lists in the tokens of every provider, or of the providers that send them. */
const lists = ['aud', 'amr', 'groups', 'roles', 'groups_direct', 'cognito:groups'];

/** Rules over how methods and their roles are set up, whatever the provider. */
export const setUpRules: GraphRule[] = [
  {
    id: 'well-known-url',
    severity: 'error',
    about: 'A discovery URL or issuer with its well-known suffix.',
    check: ({ methods }) =>
      methods.flatMap((method) =>
        (['oidcDiscoveryUrl', 'boundIssuer'] as const)
          .filter((field) => method.config[field]?.includes('/.well-known/'))
          .map((field) => ({
            subject: methodSubject(method, field),
            message: `The URL has the suffix /.well-known/…, which the service adds itself: it finds nothing there.`,
            fix: 'Cut it off before /.well-known.',
          })),
      ),
  },
  {
    id: 'key-source',
    severity: 'error',
    about: 'A method with several sources of keys, or with none.',
    check: ({ methods }) =>
      methods.flatMap((method) => {
        const given = keySources.filter((source) => method.config[source]?.length);
        if (given.length === 1) return [];
        return {
          subject: methodSubject(method, given[1]),
          message:
            given.length === 0
              ? 'Nothing says with which keys tokens are verified: no one can sign in.'
              : `The keys come from ${given.join(' and ')}: the service takes exactly one source.`,
          fix: `Give one of ${keySources.join(', ')}.`,
        };
      }),
  },
  {
    id: 'keys-of-several-issuers',
    severity: 'warning',
    about: 'A method whose keys may be those of several issuers.',
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
        message: 'The service stores the name in lower case: every comparison with it finds a difference.',
        fix: 'Write it in lower case.',
      })),
  },
  methodRule({
    id: 'default-role-missing',
    severity: 'error',
    about: 'A default role that the method does not have.',
    field: 'defaultRole',
    // Where no role of the method is known, its roles may be declared elsewhere.
    isWrong: ({ config: { defaultRole } }, { roles }) =>
      defaultRole &&
      roles.length > 0 &&
      roles.every(({ name }) => name.toLowerCase() !== defaultRole.toLowerCase()),
    message: ({ config: { defaultRole } }) =>
      `The default role ${JSON.stringify(defaultRole)} does not exist: sign-ins that name no role fail.`,
    fix: 'Name a role of the method, or remove it.',
  }),
  roleRule({
    id: 'reserved-metadata-key',
    severity: 'error',
    about: 'A claim mapped to the metadata key `role`.',
    field: 'claimMappings',
    isWrong: ({ claimMappings = {} }) => Object.values(claimMappings).includes('role'),
    message: 'The metadata key "role" is reserved: the service refuses the role.',
    fix: 'Map the claim to another name.',
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
            message: `The claim ${JSON.stringify(source)} is a list, and only a text can be mapped: every sign-in with it fails (“error converting claim to string”).`,
            fix: 'Leave it out; groups are for groupsClaim.',
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
        ? 'The role is of type oidc, and its mount of type jwt: the sign-in page asks people for a token there.'
        : 'The role is of type oidc, and its method has no client: no one can sign in to it.',
    fix: 'Put people’s roles on a mount of type oidc, or make this one a jwt role.',
  }),
  methodRule({
    id: 'unsafe-algorithm',
    severity: 'error',
    about: '`none` or a shared-secret algorithm among those that a method takes.',
    field: 'jwtSupportedAlgs',
    isWrong: (method) => unsafeAlgorithms(method).length > 0,
    message: (method) =>
      `${unsafeAlgorithms(method).join(', ')} does not prove who made a token: with none anyone can, and with a shared secret anyone who may verify can.`,
    fix: 'Leave it out. RS256, ES256 and EdDSA are fine.',
  }),
  methodRule({
    id: 'rs256-missing',
    severity: 'warning',
    about: 'A method that does not take RS256.',
    field: 'jwtSupportedAlgs',
    isWrong: ({ config: { jwtSupportedAlgs: given } }) => given?.length && !given.includes('RS256'),
    message:
      'RS256 is not among the algorithms, and it is what OpenID Connect asks of every provider, and what most sign with.',
    fix: 'Add RS256, unless the provider is known to sign with another.',
  }),
  roleRule({
    id: 'direct-callback',
    severity: 'error',
    about: 'A role in direct callback mode.',
    field: 'callbackMode',
    isWrong: ({ callbackMode }) => callbackMode === 'direct',
    message:
      'The provider’s response goes straight to the service, and no one confirms it: an attacker who lures a person to a prepared link signs in as that person (CVE-2026-33757).',
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

function unsafeAlgorithms({ config: { jwtSupportedAlgs = [] } }: AuthMethod): string[] {
  return jwtSupportedAlgs.filter((name) => /^(none|HS\d*)$/i.test(name));
}
