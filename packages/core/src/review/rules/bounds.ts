import { kindById, providerKinds } from '../../graph/kinds/kinds.ts';
import type { Role } from '../../graph/resources/role.ts';
import { roleSubject } from '../../graph/subject.ts';
import { type GraphRule, type PartRule, partRule, roleRule } from './rule.ts';
import { sharedIssuerUnbound } from './shared-issuer-unbound.ts';

/** Claims that are `true` or `false` in every provider's tokens (OpenID Connect Core 1.0, 5.1). */
const booleans = ['email_verified', 'phone_number_verified'];

/** Claims that are texts in the tokens of CI platforms, whatever they look like. */
const texts = [
  ...providerKinds.flatMap((kind) => kindById(kind).textClaims ?? []),
  'runner_id',
  'user_id',
  'job_id',
  'actor_id',
  'run_id',
  'run_number',
  'run_attempt',
  'enterprise_id',
];

/** Claim that can change hands → the one next to it that never does. */
const better: Record<string, string> = {
  ...Object.fromEntries(providerKinds.flatMap((kind) => Object.entries(kindById(kind).shared?.names ?? {}))),
  actor: 'actor_id',
  user_login: 'user_id',
  terraform_workspace_name: 'terraform_workspace_id',
  email: 'sub',
  preferred_username: 'sub',
};

/** Rules over what a token must carry for a role. */
export const boundRules: GraphRule[] = [
  roleRule({
    id: 'jwt-role-without-audience',
    severity: 'error',
    about: 'A jwt role that binds no audience.',
    field: 'boundAudiences',
    isWrong: ({ roleType, boundAudiences }) => roleType === 'jwt' && !boundAudiences?.length,
    message:
      'The role binds no audience. The service refuses tokens that have one: “audience claim found in JWT but no audiences bound to the role”.',
    fix: 'Set boundAudiences to the audience of the tokens.',
  }),
  sharedIssuerUnbound,
  claimRule({
    id: 'bound-claim-not-text',
    severity: 'error',
    about: 'A bound claim of a different type than the claim in tokens.',
    isWrong: ({ claim, values }) =>
      texts.includes(claim)
        ? values.some((value) => typeof value !== 'string')
        : values.some((value) => value === 'true' || value === 'false'),
    severityOf: ({ claim }) => (booleans.includes(claim) ? 'error' : 'warning'),
    message: ({ claim }) =>
      texts.includes(claim)
        ? `Claim ${JSON.stringify(claim)} is bound to a boolean or a number. CI platforms send text and types are strict, so no token matches.`
        : `Claim ${JSON.stringify(claim)} is bound to the text "true" or "false". Types are strict, so a token with a boolean never matches.`,
    fix: ({ claim }) =>
      texts.includes(claim)
        ? 'Put the value in quotes, unless your provider sends another type.'
        : 'Remove the quotes, or add an exception if the provider sends text.',
  }),
  claimRule({
    id: 'glob-not-enabled',
    severity: 'warning',
    about: 'A bound claim with a `*` where values are compared exactly.',
    isWrong: ({ values, role }) =>
      role.boundClaimsType !== 'glob' && values.some((value) => String(value).includes('*')),
    message: ({ claim }) =>
      `A value of claim ${JSON.stringify(claim)} contains a *. Values are compared exactly, so only a token with a literal * matches.`,
    fix: 'Set boundClaimsType: glob, or write the whole value.',
  }),
  claimRule({
    id: 'mutable-bound-claim',
    severity: 'info',
    about: 'A bound claim whose value can be reassigned.',
    isWrong: ({ claim }) => Object.hasOwn(better, claim),
    // Where names alone tell whose pipelines sign in, the next owner of one signs in from anywhere in the world.
    severityOf({ claim, role: { method, boundClaims = {}, boundSubject } }, { kindOf }) {
      const kind = kindOf(method);
      const names = (kind && kindById(kind).shared?.names) ?? {};
      const hasId = boundSubject || Object.values(names).some((id) => Object.hasOwn(boundClaims, id));
      return Object.hasOwn(names, claim) && !hasId ? 'warning' : 'info';
    },
    message: ({ claim }) =>
      `Claim ${JSON.stringify(claim)} is a name. Its next owner, after a rename or deletion, can sign in.`,
    fix: ({ claim }) => `Bind ${JSON.stringify(better[claim])} instead, or in addition.`,
  }),
];

/** A rule over each claim that a role binds. */
function claimRule(rule: PartRule<{ claim: string; values: unknown[]; role: Role }>): GraphRule {
  return partRule(rule, ({ roles }) =>
    roles.flatMap((role) =>
      Object.entries(role.boundClaims ?? {}).map(([claim, values]) => ({
        part: { claim, values: [values].flat(), role },
        path: role.method,
        subject: () => roleSubject(role, 'boundClaims'),
      })),
    ),
  );
}
