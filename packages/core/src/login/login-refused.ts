/**
 * The checks of a sign-in, in the order in which they are made: the nine of the auth method
 * (docs/inside/measured/sign-in.md#jwt-login-in-this-order), and those of the service behind it.
 */
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
  /** The role's policies can be given, and the alias has a name. */
  session: 'session',
} as const;
export type LoginStep = (typeof LoginStep)[keyof typeof LoginStep];

/** The steps in their order: a sign-in refused at one has passed the earlier ones. */
export const loginSteps: readonly LoginStep[] = Object.values(LoginStep);

/** Why a sign-in is refused: stable codes, each with its step before the dot. */
export const LoginReason = {
  methodNotConfigured: 'role.method_not_configured',
  roleMissing: 'role.missing',
  roleUnknown: 'role.unknown',
  roleForPeople: 'request.role_for_people',
  tokenMissing: 'request.token_missing',
  sourceAddress: 'source_address.not_bound',
  tokenMalformed: 'token.malformed',
  keysUnavailable: 'token.keys_unavailable',
  keyNotPublished: 'token.key_not_published',
  signature: 'token.signature',
  algorithm: 'token.algorithm',
  claimAmbiguous: 'token.claim_ambiguous',
  claimMalformed: 'token.claim_malformed',
  issuer: 'token.issuer',
  subject: 'token.subject',
  subjectMissing: 'token.subject_missing',
  audience: 'token.audience',
  accessTokenHash: 'token.access_token_hash',
  authorizedParty: 'token.authorized_party',
  nonce: 'token.nonce',
  timesMissing: 'token.times_missing',
  notYetValid: 'token.not_yet_valid',
  expired: 'token.expired',
  issuedInFuture: 'token.issued_in_future',
  signedInTooLongAgo: 'token.signed_in_too_long_ago',
  audienceNotBound: 'audience.not_bound',
  userClaimMissing: 'user_claim.missing',
  userClaimNotText: 'user_claim.not_text',
  mappedClaimNotText: 'claim_mappings.not_text',
  userInfoUnavailable: 'claim_mappings.user_info_unavailable',
  groupsMissing: 'groups.missing',
  groupsMalformed: 'groups.malformed',
  groupsUnavailable: 'groups.unavailable',
  boundClaimMissing: 'bound_claims.missing',
  boundClaimMalformed: 'bound_claims.malformed',
  boundClaimDiffers: 'bound_claims.differs',
  policyTemplate: 'session.policy_template',
  nameMissing: 'session.name_missing',
  policyNotGiven: 'session.policy_not_given',
} as const;
export type LoginReason = (typeof LoginReason)[keyof typeof LoginReason];

/** A sign-in that is refused: why, and in the words of the secrets service. Never holds a token. */
export class LoginRefused extends Error {
  readonly reason: LoginReason;
  readonly step: LoginStep;
  /** The claim that caused the refusal, if the role names it. */
  readonly claim: string | undefined;

  constructor(reason: LoginReason, message: string, claim?: string) {
    // A refusal is an answer, and a decision over sign-ins makes thousands: their stack traces are never read.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'LoginRefused';
    this.reason = reason;
    this.step = reason.slice(0, reason.indexOf('.')) as LoginStep;
    this.claim = claim;
  }
}
