import type { Change } from '../model/change.ts';
import type { Finding, Severity } from '../rules/finding.ts';
import { judgeChange, judgeState, type RuleOptions } from '../rules/rules.ts';
import { type AccessChange, accessChanges } from './access/access-changes.ts';
import { type Deployer, lockOuts } from './access/lock-out.ts';
import { graded, leftOut } from './cannot-be-judged.ts';
import { composeChanges, type Place } from './plan/compose-change.ts';
import type { PassedOver, PlanResources } from './plan/planned-resource.ts';

export type ReviewFinding = Finding & Place;
export type ReviewedAccess = AccessChange & Place;

/** What a reviewer has to know of a change. Holds no secret. */
export interface Review {
  /** What made the plan. */
  tool: PlanResources['tool'] | 'gatehouse';
  /** How many resources were looked at, and how many of them change. */
  resources: { reviewed: number; changed: number };
  /** What the change brings, worst first. */
  findings: ReviewFinding[];
  /** How many findings there were before the change and still are: they are not listed. */
  standing: number;
  access: ReviewedAccess[];
  passedOver: PassedOver[];
  notes: string[];
}

export interface ReviewOptions extends RuleOptions {
  /** Nanoseconds since 1970: rules of policies may expire. */
  now: bigint;
  /** Who applies the change, where that is known: guards them against locking themselves out. */
  deployer?: Deployer;
}

/** Reviews a plan that was read. */
export function reviewPlan(plan: PlanResources, options: ReviewOptions): Review {
  const reviews = composeChanges(plan).map(({ place, change }) => {
    const { findings, standing, access } = reviewChange(change, options);
    return {
      findings: findings.map((finding) => ({ ...finding, ...place })),
      standing,
      access: access.map((one) => ({ ...one, ...place })),
    };
  });
  const off = options.off ?? {};
  return {
    tool: plan.tool,
    resources: {
      reviewed: plan.resources.length,
      changed: plan.resources.filter(({ changes }) => changes).length,
    },
    findings: sorted([
      ...leftOut(plan).filter(({ rule }) => !Object.hasOwn(off, rule)),
      ...reviews.flatMap(({ findings }) => findings),
    ]),
    standing: reviews.reduce((sum, one) => sum + one.standing, 0),
    access: reviews.flatMap(({ access }) => access),
    passedOver: plan.passedOver,
    notes: plan.notes,
  };
}

/** Findings and access changes of a change: of a plan's, or between what a service has and what is declared. */
export function reviewChange(
  change: Change,
  options: ReviewOptions,
): Pick<Review, 'findings' | 'standing' | 'access'> {
  const { now, deployer, off = {}, ...rest } = options;
  const rules: RuleOptions = { off, ...rest };
  const before = new Set(judgeState(change.before, rules).map(identityOf));
  const ofState = judgeState(change.after, rules);
  const fresh = ofState.filter((finding) => !before.has(identityOf(finding)));
  const own = lockOuts(change, now, deployer);
  return {
    findings: sorted([
      ...own.filter(({ rule }) => !Object.hasOwn(off, rule)),
      ...judgeChange(change, rules).map(graded),
      ...fresh,
    ]),
    standing: ofState.length - fresh.length,
    access: accessChanges(change, now),
  };
}

/** Whether a review has a finding that is at least so severe. */
export function hasFindingsAt(review: Pick<Review, 'findings'>, least: Severity): boolean {
  return review.findings.some(({ severity }) => ranks[severity] <= ranks[least]);
}

const ranks: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

function sorted<F extends Finding>(findings: F[]): F[] {
  return findings.toSorted((a, b) => ranks[a.severity] - ranks[b.severity]);
}

function identityOf({ rule, subject, message }: Finding): string {
  return JSON.stringify([rule, subject.type, subject.method, subject.name, subject.field, message]);
}
