import type { Change } from '../rules/change.ts';
import type { Finding, Subject } from '../rules/finding.ts';
import type { PlanResources } from './plan/planned-resource.ts';

const rule = 'cannot-be-judged';

/** Fields that decide on access: where one of them is not known, nobody can say who gains what. */
const deciding = new Set([
  ...['boundAudiences', 'boundSubject', 'boundClaims', 'boundClaimsType', 'groupsClaim', 'tokenBoundCidrs'],
  ...['policies', 'roleType', 'tokenNoDefaultPolicy', 'userClaim', 'text'],
  ...['oidcDiscoveryUrl', 'jwksUrl', 'jwtValidationPubkeys', 'boundIssuer'],
]);

/** Says what a review cannot judge, so that nothing passes in silence. */
export function cannotBeJudged(change: Change): Finding[] {
  return change.unknown.map((subject): Finding => {
    const { field } = subject;
    if (field === undefined) {
      return {
        ...of(subject, 'error'),
        message: `What becomes of ${described(subject)} cannot be judged: the plan does not tell what it is, or two resources of it write the same.`,
        mend: 'Give its name and what it belongs to as plain values, and declare it once.',
      };
    }
    return {
      ...of(subject, deciding.has(field) ? 'error' : 'warning'),
      message: `${field} of ${described(subject)} cannot be judged: the plan does not tell it, because it is hidden as a secret or known only once it is applied.`,
      mend: 'Give it as a plain value, or apply first what it comes from; then plan again.',
    };
  });
}

/** What a plan leaves out, and changes of the secrets service that are not looked into. */
export function leftOut({ incomplete, passedOver }: PlanResources): Finding[] {
  const subject: Subject = { type: 'service', name: 'the plan' };
  return [
    ...incomplete.map(
      (why): Finding => ({
        ...of(subject, 'error'),
        message: `This plan cannot be judged as a whole. ${why}`,
        mend: 'Make a whole plan, then review it.',
      }),
    ),
    ...passedOver
      .filter(({ ofService, changed }) => ofService && changed > 0)
      .map(
        ({ type, changed }): Finding => ({
          ...of(subject, 'warning'),
          message: `${changed === 1 ? 'A resource' : `${changed} resources`} of type ${type} cannot be judged: this review does not look into the type, and it may bear on access.`,
          mend: 'Read this part of the plan yourself.',
        }),
      ),
  ];
}

function of(
  subject: Subject,
  severity: Finding['severity'],
): Pick<Finding, 'rule' | 'severity' | 'subject' | 'docs'> {
  return { rule, severity, subject, docs: `docs/review.md#${rule}` };
}

function described({ type, name, method }: Subject): string {
  return method === undefined
    ? `${type} ${JSON.stringify(name)}`
    : `${type} ${JSON.stringify(name)} of auth/${method}`;
}
