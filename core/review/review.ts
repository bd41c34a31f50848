import { type AccessChange, type Answer, strongest } from '../access/access-change.ts';
import { type AccessDecision, decideAccess } from '../access/questions/change.ts';
import type { Change } from '../model/change.ts';
import type { Finding, Severity } from '../rules/finding.ts';
import { type ChangeOptions, judgeChange, judgeGraph } from '../rules/rules.ts';
import { leftOut } from './left-out.ts';
import { composeChanges, type Place } from './plan/compose-change.ts';
import { originOf } from './plan/compose-place.ts';
import type { PassedOver, PlanResources } from './plan/planned-resource.ts';

export interface ReviewFinding extends Finding, Place {
  /** The resource of the plan that it is about, as the tool calls it; absent where that is not one alone. */
  address?: string;
}
export type ReviewedAccess = AccessChange & Place;

/** What a reviewer has to know of a change. Holds no secret. */
export interface Review {
  /** What made the plan. */
  tool: PlanResources['tool'] | 'gatehouse';
  /** How many resources were looked at, and how many of them change. */
  resources: { reviewed: number; changed: number };
  /**
   * Whether principals gain access, trust, another identity, or tokens that live longer. `none` holds whatever else the
   * service has; `unknown` where it depends on that.
   */
  gains: Answer;
  /** Whether principals lose any of these, of those that are known. */
  losses: Answer;
  /** What the answers leave open: `missing` was not looked at, and complete is true where it is nothing. */
  scope: { complete: boolean; missing: string[] };
  /** Over what that was decided. */
  over: AccessDecision['over'];
  /** What is missing to decide it; empty where it is decided. */
  missing: string[];
  /** What the change brings, worst first. */
  findings: ReviewFinding[];
  /** How many findings there were before the change and still are: they are not listed. */
  standing: number;
  access: ReviewedAccess[];
  passedOver: PassedOver[];
  notes: string[];
}

export interface ReviewOptions extends ChangeOptions {
  now: bigint;
  /** Nobody knows what was before: the plan has what will be, and only that is judged. Defaults to false. */
  isBeforeUnknown?: boolean;
}

/** Reviews a plan that was read. */
export function reviewPlan(plan: PlanResources, options: ReviewOptions): Review {
  const changes = composeChanges(plan);
  // Promises are those of one environment: where a plan has its namespace, others do not keep or break them.
  const wanted = options.service?.namespace?.replace(/^\/+|\/+$/g, '') ?? '';
  const own = changes.filter(({ place: { namespace = '' } }) => namespace === wanted);
  const reviews = changes.map((one) => {
    const { place, change, origins } = one;
    const isJudged = own.length === 0 || own.includes(one);
    const judged = isJudged ? options : { ...options, promises: [] };
    const { findings, access, ...rest } = (options.isBeforeUnknown ? reviewState : reviewChange)(
      change,
      judged,
    );
    return {
      ...rest,
      findings: findings.map((finding) => {
        const address = originOf(origins, finding.subject);
        return { ...finding, ...place, ...(address !== undefined && { address }) };
      }),
      access: access.map((one) => ({ ...one, ...place })),
    };
  });
  const off = options.off ?? {};
  const unseen = leftOut(plan);
  const answers = (side: 'gains' | 'losses') => reviews.map((one) => one[side]);
  const sum = (count: (one: (typeof reviews)[number]) => number) =>
    reviews.reduce((total, one) => total + count(one), 0);
  const beyond: Answer[] = unseen.length > 0 ? ['unknown'] : [];
  return {
    tool: plan.tool,
    resources: {
      reviewed: plan.resources.length,
      changed: plan.resources.filter(({ changes }) => changes).length,
    },
    gains: strongest([...answers('gains'), ...beyond]),
    losses: strongest([...answers('losses'), ...beyond]),
    scope: scopeOf([...passedOverWords(plan.passedOver), ...reviews.flatMap(({ scope }) => scope.missing)]),
    over: {
      roles: sum(({ over }) => over.roles),
      groups: sum(({ over }) => over.groups),
      paths: sum(({ over }) => over.paths),
    },
    missing: [
      ...new Set([...unseen.map(({ message }) => message), ...reviews.flatMap(({ missing }) => missing)]),
    ],
    findings: sorted([
      ...unseen.filter(({ rule }) => !Object.hasOwn(off, rule)),
      ...reviews.flatMap(({ findings }) => findings),
    ]),
    standing: sum(({ standing }) => standing),
    access: reviews.flatMap(({ access }) => access),
    passedOver: plan.passedOver,
    notes: plan.notes,
  };
}

type ChangeReview = Pick<
  Review,
  'gains' | 'losses' | 'scope' | 'over' | 'missing' | 'findings' | 'standing' | 'access'
>;

/** Findings and access changes of a change: of a plan's, or between what a service has and what is declared. */
export function reviewChange(change: Change, options: ReviewOptions): ChangeReview {
  const access = decideAccess(change, options.now);
  // A promise that was broken before is still an error: of what was before, none is judged.
  const before = new Set(judgeGraph(change.before, { ...options, promises: [] }).map(identityOf));
  const ofState = judgeGraph(change.after, options);
  const fresh = ofState.filter((finding) => !before.has(identityOf(finding)));
  return {
    gains: access.gains,
    losses: access.losses,
    scope: scopeOf(access.unseen),
    over: access.over,
    missing: [...access.uncertain, ...access.changes.flatMap(({ uncertain }) => uncertain)],
    findings: sorted([...judgeChange(change, options, access), ...fresh]),
    standing: ofState.length - fresh.length,
    access: access.changes,
  };
}

/** The findings of what will be, and what of it is not told. Who gains and who loses by it, nobody knows. */
function reviewState(change: Change, options: ReviewOptions): ChangeReview {
  const still = { ...change, before: change.after, replaced: [], rotated: [] };
  const { over, access, ...unchanged } = reviewChange(still, options);
  return {
    gains: 'unknown',
    losses: 'unknown',
    scope: scopeOf(['what was before']),
    over,
    missing: ['what was before', ...unchanged.missing],
    findings: sorted([
      ...unchanged.findings.filter(({ rule }) => rule === 'cannot-be-judged'),
      ...judgeGraph(change.after, options),
    ]),
    standing: 0,
    access,
  };
}

function scopeOf(missing: string[]): Review['scope'] {
  return { complete: missing.length === 0, missing: [...new Set(missing)] };
}

/** Changes of the secrets service that were not looked into. */
function passedOverWords(passedOver: PassedOver[]): string[] {
  return passedOver.flatMap(({ type, changed, ofService }) =>
    ofService && changed > 0
      ? [`${changed} ${changed === 1 ? 'resource' : 'resources'} of type ${type}`]
      : [],
  );
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
