/** The nine checks of a sign-in, in the order in which they are made (facts/jwt-oidc.md, "JWT login, in this order"). */
export const LoginStep = {
  /** The method is configured, a role is named or there is a default, and it exists. */
  role: 'role',
  /** The role is one for tokens, and a token is there. */
  request: 'request',
  /** The caller's address is among the role's. */
  sourceAddress: 'source_address',
  /** Signature, algorithm, issuer, subject, audience and times. */
  token: 'token',
  /** No audience where the role binds none. */
  audience: 'audience',
  userClaim: 'user_claim',
  /** With what a directory tells of the person, where the method asks one. */
  claimMappings: 'claim_mappings',
  /** With the groups of a directory, where the method asks one. */
  groups: 'groups',
  boundClaims: 'bound_claims',
} as const;
export type LoginStep = (typeof LoginStep)[keyof typeof LoginStep];

/** The steps in their order: whoever is refused at one has passed those before it. */
export const loginSteps: readonly LoginStep[] = Object.values(LoginStep);

/** A sign-in that is refused: at which step, and in the words of the secrets service. Never holds a token. */
export class LoginRefused extends Error {
  readonly step: LoginStep;

  constructor(step: LoginStep, message: string) {
    super(message);
    this.name = 'LoginRefused';
    this.step = step;
  }
}
