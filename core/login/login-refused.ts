/** The checks of a sign-in, in the order in which they are made. */
export const LoginStep = {
  configuration: 'configuration',
  role: 'role',
  sourceAddress: 'source_address',
  token: 'token',
  audience: 'audience',
  userClaim: 'user_claim',
  claimMappings: 'claim_mappings',
  groups: 'groups',
  boundClaims: 'bound_claims',
} as const;
export type LoginStep = (typeof LoginStep)[keyof typeof LoginStep];

/** A sign-in that is refused: at which step, and in the words of the secrets service. Never holds a token. */
export class LoginRefused extends Error {
  readonly step: LoginStep;

  constructor(step: LoginStep, message: string) {
    super(message);
    this.name = 'LoginRefused';
    this.step = step;
  }
}
