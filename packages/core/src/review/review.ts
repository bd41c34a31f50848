import { type AccessChange, type Answer, strongest } from '../access/access-change.ts';
import { decideAccess } from '../access/questions/change.ts';
import { withOtherNames } from '../access/questions/new-names.ts';
import { type Reason, uniqueReasons } from '../access/reasons/reason.ts';
import { longest } from '../access/sign-in/token-life.ts';
import type { Change } from '../graph/change.ts';
import type { Graph } from '../graph/graph.ts';
import { graphDifferences } from '../graph/graph-difference.ts';
import { partsIn, resources } from '../graph/resources/resources.ts';
import { methodSubject, type Subject, subjectKey, subjectOf } from '../graph/subject.ts';
import { isEqualData } from '../graph/values/equal-data.ts';
import { trimmed } from '../graph/values/loose-values.ts';
import { namespaceWithin } from '../graph/values/namespace-path.ts';
import { composeChanges, type Place, type PlacedChange } from './plan/compose-change.ts';
import { originOf } from './plan/compose-place.ts';
import { type LiveService, serviceNotes } from './plan/live-service.ts';
import type { PassedOver, PlanResources } from './plan/planned-resource.ts';
import type { ReplaySummary } from './replay-summary.ts';
import type { Finding, Severity } from './rules/finding.ts';
import { withExceptions } from './rules/gate.ts';
import { mountLost } from './rules/mount-lost.ts';
import { deletedPolicies } from './rules/policies.ts';
import { policyRemoved } from './rules/policy-removed.ts';
import { brokenPromises, promiseBroken } from './rules/promise-broken.ts';
import type { RuleOptions } from './rules/rule-options.ts';
import { type ChangeOptions, judgeChange, judgeGraph } from './rules/rules.ts';
import { type AccessVerdict, type ReviewedAccess, scopeOf, verdictOf, verdictOfAll } from './verdict.ts';

/** A finding of a review, and where it is. */
export interface ReviewFinding extends Finding, Place {
  /** The resource of the plan that it is about, as the tool calls it; absent where that is not one alone. */
  address?: string;
}
/** What a reviewer has to know of a change. Holds no secret. */
export interface Review extends AccessVerdict {
  /** What made the plan. */
  tool: PlanResources['tool'];
  /** How many resources were looked at, and how many of them change. */
  resources: { reviewed: number; changed: number };
  /** What the plan creates and the service has already. */
  taken: Subject[];
  /** What the change brings, worst first. */
  findings: ReviewFinding[];
  /** Findings that were there before the change, and still are. */
  older: ReviewFinding[];
  passedOver: PassedOver[];
  /** What becomes of the requests of audit logs. Absent where none were given. */
  replay?: ReplaySummary;
  notes: string[];
}

/** By namespace, then by `role auth/ci/web` and `policy shop`: the day, and the sign-ins or requests in 90 days. */
type LastUsed = Readonly<Record<string, Readonly<Record<string, { day: string; count: number }>>>>;

/** What a review judges by. */
export interface ReviewOptions extends ChangeOptions {
  now: bigint;
  /** The state before is unknown: the plan has what will be, and only that is judged. Defaults to false. */
  isBeforeUnknown?: boolean;
  /** When roles and policies of groups were last used. Defaults to not known. */
  lastUsed?: LastUsed;
  /** A mount that goes to another namespace is only a warning. Defaults to false: an error. */
  allowReplace?: boolean;
  /** Options for the environment's other namespaces, by their paths from the root. Defaults to its own namespace alone. */
  namespaces?: Readonly<Record<string, RuleOptions>>;
  /** What the service has that the plan is for: the plan is judged on top of it. Defaults to not known. */
  live?: LiveService;
  /** What becomes of the requests of audit logs. Defaults to not looked at. */
  replay?: ReplaySummary | undefined;
}

/** Two graphs of each place: of two revisions, of two snapshots, or of a service and what is declared. */
export interface Comparison {
  changes: readonly PlacedGraphs[];
  notes: string[];
}

/** A plan that was read, with what it comes to where that is known already. */
export type PlannedSource = PlanResources & { changes?: readonly PlacedChange[] };

/** What can be reviewed: planned resources, or a pair of graphs. */
export type ReviewSource = PlannedSource | Comparison;

type PlacedGraphs = Pick<PlacedChange, 'place' | 'change'> & Partial<Pick<PlacedChange, 'origins'>>;

/** Reviews a change: who gains and who loses what by it, and what is wrong with it. */
export function review(source: ReviewSource, options: ReviewOptions): Review {
  const isPlan = 'resources' in source;
  const changes: readonly PlacedGraphs[] = isPlan
    ? (source.changes ?? composeChanges(source, options.live))
    : source.changes;
  const { tool, notes, incomplete, passedOver } = isPlan
    ? source
    : { ...source, tool: 'gatehouse' as const, incomplete: [], passedOver: [] };
  const ownNamespace = trimmed(options.service?.namespace ?? '');
  const reviews = reviewsOf(changes, ownNamespace, options);
  const relocated = Object.hasOwn(options.disabled ?? {}, mountLost.id)
    ? []
    : relocatedMounts(changes, options);
  const unseen = passedOver.filter(({ ofService, changed }) => ofService && changed > 0);
  const notWhole = incomplete.map((why): Reason => ({ kind: 'plan-incomplete', why }));
  const leftOut = [...incomplete.map(partial), ...unseen.map(notLookedInto)];
  const beyond: Answer[] = leftOut.length > 0 ? ['unknown'] : [];
  // A mount of secrets that is deleted let no one sign in.
  const isGone = ({ type, relocated }: PassedOver) =>
    relocated === undefined && /^vault_mount$|:Mount$/.test(type);
  const mayGive = incomplete.length > 0 || !unseen.every(isGone);
  const verdict = verdictOfAll(reviews);
  return {
    tool,
    resources: isPlan ? plannedSizes(source) : sizesOf(changes),
    gains: strongest([verdict.gains, ...(mayGive ? beyond : [])]),
    losses: strongest([verdict.losses, ...beyond]),
    life: longest([verdict.life, ...(mayGive && beyond.length > 0 ? (['unknown'] as const) : [])]),
    scope: scopeOf(
      [...unseen.map(notRead), ...verdict.scope.missing],
      verdict.scope.whole,
      verdict.scope.tokens,
    ),
    over: verdict.over,
    taken: reviews.flatMap(({ taken }, index) => {
      const namespace = namespaceWithin(ownNamespace, changes[index]?.place.namespace ?? '');
      return taken.map((subject) => ({ ...subject, ...(namespace !== '' && { namespace }) }));
    }),
    missing: uniqueReasons([...notWhole, ...unseen.map(notRead), ...verdict.missing]),
    findings: sorted([
      ...leftOut.filter(({ rule }) => !Object.hasOwn(options.disabled ?? {}, rule)),
      ...relocated,
      ...withoutRelocated(reviews, relocated),
    ]),
    older: sorted(reviews.flatMap(({ older }) => older)),
    access: verdict.access,
    passedOver,
    ...(options.replay && { replay: options.replay }),
    notes: [...notes, ...serviceNotes(options.live, changes), ...rulesOff(options)],
  };
}

/** The review of each place, by the options that hold there. */
function reviewsOf(
  changes: readonly PlacedGraphs[],
  ownNamespace: string,
  options: ReviewOptions,
): ChangeReview[] {
  // Promises and ends are those of one environment: where a plan has its namespace, they are not about others.
  const own = changes.filter(({ place: { namespace = '' } }) => namespace === ownNamespace);
  const elsewhere = { ...options, promises: [], ends: [] };
  const judge = onceForEqual(options.isBeforeUnknown ? reviewGraph : reviewChange);
  return changes.map((placedChange) => {
    const { place, change, origins = new Map() } = placedChange;
    const isJudged = own.length === 0 || own.includes(placedChange);
    const ofNamespace = options.namespaces?.[place.namespace ?? ''];
    const judged = judge(
      change,
      ofNamespace ? inNamespace(ofNamespace, options) : isJudged ? options : elsewhere,
    );
    const placed = (finding: Finding) => {
      const address = originOf(origins, finding.subject);
      return { ...finding, ...place, ...(address !== undefined && { address }) };
    };
    return {
      ...judged,
      findings: judged.findings.map(placed),
      older: judged.older.map(placed),
      access: judged.access.map((access) => ({
        ...access,
        ...place,
        ...usedOf(access, options.lastUsed, place.namespace ?? ownNamespace),
      })),
    };
  });
}

/** The findings of all places. That a mount is deleted is said with its new place. */
function withoutRelocated(
  reviews: readonly ChangeReview[],
  relocated: readonly ReviewFinding[],
): ReviewFinding[] {
  return reviews
    .flatMap(({ findings }) => findings)
    .filter((finding) => !relocated.some((other) => isSame(finding, other)));
}

/** How many resources a plan has, and how many of them change. */
function plannedSizes({ resources: planned }: PlanResources): Review['resources'] {
  return { reviewed: planned.length, changed: planned.filter(({ changes }) => changes).length };
}

/** How many parts the graphs have, before and after, and how many of them are not the same. */
function sizesOf(changes: readonly PlacedGraphs[]): Review['resources'] {
  const sum = (countOf: (change: Change) => number) =>
    changes.reduce((total, { change }) => total + countOf(change), 0);
  const keysOf = (graph: Graph) =>
    resources.flatMap((resource) =>
      partsIn(graph, resource).map((part) => subjectKey(subjectOf(resource, part))),
    );
  return {
    reviewed: sum(({ before, after }) => new Set([...keysOf(before), ...keysOf(after)]).size),
    changed: sum(
      ({ before, after }) =>
        new Set(graphDifferences(after, before).map(({ subject }) => subjectKey(subject))).size,
    ),
  };
}

/** How another namespace of an environment is judged: rules are off for all of it, and who applies it has no policies there. */
function inNamespace(ofNamespace: RuleOptions, options: ReviewOptions): ReviewOptions {
  const own = { ...options, endsBefore: undefined, ...ofNamespace, deployer: undefined };
  return options.disabled === undefined ? own : { ...own, disabled: options.disabled };
}

/**
 * A mount cannot go to another namespace: it is deleted, and another one is made there. A namespace of the environment that
 * goes where one of the same path comes is taken for that one.
 */
function relocatedMounts(
  changes: readonly Pick<PlacedChange, 'place' | 'change'>[],
  { allowReplace, namespaces = {}, gate, now }: ReviewOptions,
): ReviewFinding[] {
  if (Object.keys(namespaces).length === 0) return [];
  const only = (graph: Graph, otherGraph: Graph) =>
    graph.methods.filter(({ path }) => !otherGraph.methods.some((method) => method.path === path));
  const placeByPath = new Map(
    changes.flatMap(({ place, change }) =>
      only(change.after, change.before).map(({ path }) => [path, place] as const),
    ),
  );
  return changes.flatMap(({ place, change }) =>
    only(change.before, change.after).flatMap((method): ReviewFinding[] => {
      const newPlace = placeByPath.get(method.path);
      if (newPlace === undefined) return [];
      const finding: Finding = {
        rule: mountLost.id,
        subject: methodSubject(method),
        docs: 'docs/rules.md#mount-lost',
        severity: allowReplace ? 'warning' : 'error',
        message: `The mount goes to ${namespaceText(newPlace)}. It is deleted and made anew there: its accessor, everyone’s identity and all its sessions are lost.`,
        fix: 'Leave its namespace as it was. If it is to be made anew, say so with --allow-replace.',
      };
      const ofNamespace = namespaces[place.namespace ?? ''];
      return withExceptions([finding], ofNamespace ? ofNamespace.gate : gate, now).map((accepted) => ({
        ...accepted,
        ...place,
      }));
    }),
  );
}

function isSame(left: ReviewFinding, right: ReviewFinding): boolean {
  return (
    left.rule === right.rule &&
    left.namespace === right.namespace &&
    subjectKey(left.subject) === subjectKey(right.subject)
  );
}

function namespaceText({ namespace }: Place): string {
  return namespace === undefined ? 'the root namespace' : `namespace ${namespace}`;
}

type JudgeChange = (change: Change, options: ReviewOptions) => ChangeReview;

/** The changes that are kept: equal ones of a plan are of namespaces that are made by one module. */
const mostKept = 8;

/** Judges a change once for all places where it is equal, with the same options. */
function onceForEqual(judge: JudgeChange): JudgeChange {
  const kept: { change: Change; options: ReviewOptions; judged: ChangeReview }[] = [];
  return (change, options) => {
    const equal = kept.find((known) => known.options === options && isEqualData(known.change, change));
    if (equal !== undefined) return equal.judged;
    const judged = judge(change, options);
    kept.unshift({ change, options, judged });
    kept.splice(mostKept);
    return judged;
  };
}

/** For a group, the last time that anyone held one of the policies that it had before: which group gave it, no log tells. */
function usedOf(
  { principals: { kind, method, name }, policies }: AccessChange,
  lastUsed: LastUsed | undefined,
  namespace: string,
): Pick<ReviewedAccess, 'lastUsed'> {
  if (lastUsed === undefined || !['role', 'alias', 'group'].includes(kind)) return {};
  const policiesBefore = [...policies.kept, ...policies.lost].filter((policy) => policy !== 'default');
  const names =
    kind === 'role' ? [`role auth/${method}/${name}`] : policiesBefore.map((policy) => `policy ${policy}`);
  const uses = names.flatMap((key) => lastUsed[namespace]?.[key] ?? []);
  const [last] = uses.sort((left, right) => (left.day < right.day ? 1 : -1));
  const isUnread = lastUsed['']?.['unread lines'] !== undefined;
  const unused = isUnread ? 'not known: lines of the logs could not be read' : 'not in the logs of 90 days';
  if (last === undefined) return names.length === 0 ? {} : { lastUsed: unused };
  const what = `${kind === 'role' ? 'sign-in' : 'request'}${last.count === 1 ? '' : 's'}`;
  return { lastUsed: `${last.day}, ${last.count} ${what} in 90 days` };
}

const ofPlan = {
  rule: 'cannot-be-judged',
  subject: { type: 'service', name: 'the plan' },
  docs: 'docs/rules.md#cannot-be-judged',
} as const;

function partial(why: string): Finding {
  return {
    ...ofPlan,
    severity: 'error',
    message: `This plan was not checked in full. ${why}`,
    fix: 'Make a whole plan, then review it.',
  };
}

function notLookedInto({ type, changed, relocated = 0 }: PassedOver): Finding {
  const what = changed === 1 ? '1 resource' : `${changed} resources`;
  const effect =
    relocated > 0 ? 'What it holds moves: rules for its new path then apply to it.' : 'It may affect access.';
  return {
    ...ofPlan,
    severity: 'warning',
    message: `Not checked: ${what} of type ${type}. ${effect}`,
    fix: 'Read this part of the plan yourself.',
  };
}

function notRead({ type, changed: count }: PassedOver): Reason {
  return { kind: 'resources-not-read', type, count };
}

type ChangeReview = Omit<Review, 'tool' | 'resources' | 'passedOver' | 'replay' | 'notes'>;

function reviewChange(change: Change, options: ReviewOptions): ChangeReview {
  const access = decideAccess(change, options.now);
  // A promise that was broken before is still an error, and an end comes nearer: of what was before, none is judged.
  const before = new Set(
    judgeGraph(change.before, { ...options, promises: [], ends: [], gate: undefined }).map(identityOf),
  );
  const broken = options.isRestoring ? brokenPromises(change.before, options) : undefined;
  const isRemovalJudged = !Object.hasOwn(options.disabled ?? {}, policyRemoved.id);
  const deleted = isRemovalJudged ? deletedPolicies(change.before, change.after) : undefined;
  const ofState = judgeGraph(change.after, { ...options, unknown: change.unknown, deleted });
  const isOlder = (finding: Finding) =>
    before.has(identityOf(finding)) ||
    (finding.rule === promiseBroken.id && broken?.has(finding.subject.name) === true);
  // Accepted findings are always shown.
  const isFresh = (finding: Finding) => finding.exception !== undefined || !isOlder(finding);
  return {
    ...verdictOf(change, access),
    access: withOtherNames(change, access, options.now),
    taken: change.taken ?? [],
    findings: sorted([...judgeChange(change, options, access), ...ofState.filter(isFresh)]),
    older: ofState.filter((finding) => !isFresh(finding)),
  };
}

const beforeUnknown: Reason = { kind: 'state-before-unknown' };

/** The findings of what will be, and what is unknown of it. Gains and losses are unknown. */
function reviewGraph(change: Change, options: ReviewOptions): ChangeReview {
  const still = { ...change, before: change.after, replaced: [], rotated: [] };
  const { over, access, taken, ...unchanged } = reviewChange(still, options);
  return {
    gains: 'unknown',
    losses: 'unknown',
    life: 'unknown',
    scope: scopeOf([beforeUnknown]),
    over,
    taken,
    missing: [beforeUnknown, ...unchanged.missing],
    findings: sorted([
      ...unchanged.findings.filter(({ rule }) => rule === 'cannot-be-judged'),
      ...judgeGraph(change.after, { ...options, unknown: change.unknown }),
    ]),
    older: [],
    access,
  };
}

/** Which rules judge nothing, in a sentence. */
export function rulesOff({ disabled = {} }: ReviewOptions): string[] {
  const all = Object.entries(disabled).map(([id, because]) => `${id} (${because})`);
  return all.length === 0 ? [] : [`Turned off for the whole stack: ${all.join(', ')}.`];
}

/** Whether a review has a finding that is at least so severe. */
export function hasFindingsAt(review: Pick<Review, 'findings'>, least: Severity): boolean {
  return review.findings.some(({ severity, exception }) => !exception && ranks[severity] <= ranks[least]);
}

const ranks: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

function sorted<F extends Finding>(findings: F[]): F[] {
  return findings.toSorted((a, b) => ranks[a.severity] - ranks[b.severity]);
}

function identityOf({ rule, subject, message }: Finding): string {
  return JSON.stringify([rule, subject.type, subject.method, subject.name, subject.field, message]);
}
