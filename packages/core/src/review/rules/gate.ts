import type { Environment } from '../../environment/environment.ts';
import type { Exception } from '../../graph/exception-settings.ts';
import type { Graph } from '../../graph/graph.ts';
import { knownWords } from '../../graph/known.ts';
import { wordsOf } from '../../graph/nodes/other-node.ts';
import { promiseText } from '../../graph/promise-settings.ts';
import { canonicalPolicyNames } from '../../graph/resources/policy.ts';
import { partsIn, resourceNamed, resources } from '../../graph/resources/resources.ts';
import { isSubjectNamed, subjectName, subjectOf } from '../../graph/subject.ts';
import { endOfDay } from '../../graph/values/day.ts';
import { formatDuration } from '../../graph/values/duration.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import { didYouMean } from '../../graph/values/problem.ts';
import type { Finding, Severity, Subject } from './finding.ts';

/** What is found of the gate itself. It cannot be turned off, and no exception is for it. */
export const gateRules: readonly { id: string; severity: Severity; about: string }[] = [
  {
    id: 'exception-invalid',
    severity: 'error',
    about: 'An exception that is over, ends more than a year ahead, or names something that does not exist.',
  },
  {
    id: 'gate-weakened',
    severity: 'warning',
    about: 'A new exception, known thing or disabled rule, or a removed promise or run task.',
  },
  {
    id: 'reviews-weakened',
    severity: 'warning',
    about: 'Someone new may sign reviews, or less is asked of signed reviews.',
  },
];

/** What an environment says of its own review: what it accepts, and what it asks for. */
export type Gate = Pick<
  Environment,
  'exceptions' | 'known' | 'promises' | 'rules' | 'deployments' | 'runTasks' | 'reviews'
>;

/** The gate of an environment, and what it was at the base revision. */
export interface GateOptions {
  is: Gate;
  /** `unknown` where that revision cannot be found: then nothing counts as accepted. Defaults to `is`. */
  was?: Gate | 'unknown';
}

const longest = 366n * 86_400_000_000_000n;

/** With the findings that exceptions accept marked so: they are shown, and stop nothing. */
export function withExceptions(findings: Finding[], gate: GateOptions | undefined, now: bigint): Finding[] {
  const counted = gate === undefined ? [] : inForce(gate, now);
  if (counted.length === 0) return findings;
  return findings.map((finding) => {
    const exception = counted.find(
      (candidate) => candidate.rule === finding.rule && isSubjectNamed(finding.subject, candidate.subject),
    );
    if (exception === undefined) return finding;
    const { because, owner, until, namespace } = exception;
    return {
      ...finding,
      severity: 'info',
      fix: `Accepted until ${until} by ${owner}: ${because}`,
      exception: { because, owner, until, severity: finding.severity, ...(namespace && { namespace }) },
    };
  });
}

/** Exceptions that count: those of the base revision that are still there, until the earlier of both ends. */
function inForce({ is: gateAfter, was: gateBefore = gateAfter }: GateOptions, now: bigint): Exception[] {
  if (gateBefore === 'unknown') return [];
  return gateAfter.exceptions.flatMap((exception) => {
    const exceptionBefore = gateBefore.exceptions.find((other) => isSame(exception, other));
    if (exceptionBefore === undefined) return [];
    const until = exceptionBefore.until < exception.until ? exceptionBefore.until : exception.until;
    const end = endOfDay(until) ?? 0n;
    return now < end && end - now <= longest ? [{ ...exception, until }] : [];
  });
}

/** What is wrong with exceptions, and what of the gate asks for less than before. No exception is for these. */
export function judgeGate(
  graph: Graph,
  { is: gateAfter, was: gateBefore = gateAfter }: GateOptions,
  now: bigint,
): Finding[] {
  return [
    ...gateAfter.exceptions.flatMap((exception) => invalid(exception, graph, now)),
    ...(gateBefore === 'unknown' ? unseen(gateAfter) : weaker(gateBefore, gateAfter)),
  ];
}

function invalid(exception: Exception, graph: Graph, now: bigint): Finding[] {
  const end = endOfDay(exception.until) ?? 0n;
  const say = (severity: Severity, message: string, fix: string) => [
    finding('exception-invalid', severity, words(exception), message, fix),
  ];
  if (now >= end)
    return say(
      'error',
      `It ended on ${exception.until}.`,
      `Fix the finding, or ask ${exception.owner} for a new end.`,
    );
  if (end - now > longest)
    return say(
      'error',
      `It ends on ${exception.until}, more than a year ahead.`,
      'Set an end within a year.',
    );
  if (isThere(exception, graph)) return [];
  const names = resources.flatMap((resource) =>
    partsIn(graph, resource).map((part) => subjectName(subjectOf(resource, part))),
  );
  return say(
    'warning',
    `No ${exception.subject} exists${didYouMean(exception.subject, names) || '.'}`,
    'Name it as a report does, or remove the exception.',
  );
}

/** Whether a part of this name exists. Parts that no stack declares count as existing: that is not known here. */
function isThere(exception: Exception, graph: Graph): boolean {
  const [type = ''] = exception.subject.split(' ', 1);
  if (resourceNamed(type) === undefined) return true;
  const subjects = resources.flatMap((resource) =>
    partsIn(graph, resource).map((part) => subjectOf(resource, part)),
  );
  const ofOthers = (graph.others ?? []).map((node): Subject => ({ type: 'other', name: wordsOf(node) }));
  return [...subjects, ...ofOthers].some((subject) => isSubjectNamed(subject, exception.subject));
}

function weaker(gateBefore: Gate, gateAfter: Gate): Finding[] {
  const promises = new Set(gateAfter.promises.map(promiseText));
  const rank = { always: 2, whenGained: 1, never: 0 };
  const before = gateBefore.deployments;
  const after = gateAfter.deployments;
  return [
    ...gateAfter.exceptions.flatMap((exception) => {
      const exceptionBefore = gateBefore.exceptions.find((other) => isSame(exception, other));
      if (exceptionBefore === undefined) return weakened(words(exception), `It is new: ${terms(exception)}`);
      if (exceptionBefore.until >= exception.until) return [];
      return weakened(
        words(exception),
        `It ended on ${exceptionBefore.until} and now lasts ${terms(exception)}`,
      );
    }),
    ...gateAfter.known
      .filter((known) => !gateBefore.known.some((knownBefore) => knownKey(knownBefore) === knownKey(known)))
      .flatMap((known) => weakened(`known ${knownWords(known)}`, `It is new: ${known.because}`)),
    ...Object.entries(gateAfter.rules.disabled)
      .filter(([id]) => !Object.hasOwn(gateBefore.rules.disabled, id))
      .flatMap(([id, because]) =>
        weakened(`rule ${id}`, `The rule is now off for the whole stack: ${because}`),
      ),
    ...(gateBefore.rules.preset !== undefined && gateAfter.rules.preset !== gateBefore.rules.preset
      ? weakened('rules', `preset: ${gateBefore.rules.preset} → ${gateAfter.rules.preset ?? 'none'}`)
      : []),
    ...gateBefore.promises
      .filter((promise) => !promises.has(promiseText(promise)))
      .flatMap((promise) => weakened(`promise (${promiseText(promise)})`, 'The promise is removed.')),
    ...(rank[after.confirm] < rank[before.confirm]
      ? weakened('deployments', `confirm: ${before.confirm} → ${after.confirm}`)
      : []),
    ...(before.complete && !after.complete
      ? weakened('deployments', 'Unchecked access is no longer an error (complete).')
      : []),
    ...(after.acceptWith !== undefined && after.acceptWith !== before.acceptWith
      ? weakened('deployments', `acceptWith: ${before.acceptWith ?? 'none'} → ${after.acceptWith}`)
      : []),
    ...(policyList(after.planPolicies) === policyList(before.planPolicies)
      ? []
      : weakened(
          'deployments',
          `planPolicies: ${policyList(before.planPolicies)} → ${policyList(after.planPolicies)}`,
        )),
    ...gateBefore.runTasks.flatMap((taskBefore) => {
      const taskAfter = gateAfter.runTasks.find(({ name }) => name === taskBefore.name);
      if (taskAfter !== undefined && asksAsMuch(taskBefore, taskAfter)) return [];
      return weakened(
        `run task ${taskBefore.name}`,
        taskAfter === undefined
          ? 'The run task is removed.'
          : 'The run task asks for less, or at a different URL.',
      );
    }),
    ...weakerReviews(gateBefore.reviews, gateAfter.reviews),
  ];
}

const reviewsWeakened = (message: string) => weakened('reviews', message, 'reviews-weakened');

/** Who may let a change in, and by how much: as grave as administration. */
function weakerReviews(before: Gate['reviews'], after: Gate['reviews']): Finding[] {
  if (before === undefined) return strongerToken(undefined, after?.deployingToken).flatMap(reviewsWeakened);
  if (after === undefined) return reviewsWeakened('Changes of this stack need no signed review anymore.');
  return [
    ...newSigners(before.signers, after.signers).flatMap(reviewsWeakened),
    ...(after.maxAge > before.maxAge
      ? reviewsWeakened(`maxAge: ${formatDuration(before.maxAge)} → ${formatDuration(after.maxAge)}`)
      : []),
    ...(after.failed && !before.failed ? reviewsWeakened('Reviews with errors count, too (failed).') : []),
    ...(after.administration < before.administration
      ? reviewsWeakened(`administration: ${before.administration} → ${after.administration} signers`)
      : []),
    ...strongerToken(before.deployingToken, after.deployingToken).flatMap(reviewsWeakened),
  ];
}

type Signers = NonNullable<Gate['reviews']>['signers'];

/** Whose key counts from now on, or for longer, in sentences. */
function newSigners(signersBefore: Signers, signersAfter: Signers): string[] {
  return signersAfter.flatMap((signer) => {
    const signerBefore = signersBefore.find(({ name, key }) => name === signer.name && key === signer.key);
    if (signerBefore === undefined) return `${signer.name} signs with a new key, until ${signer.until}.`;
    if (signerBefore.until >= signer.until && (signerBefore.from ?? '') <= (signer.from ?? '')) return [];
    return `The key of ${signer.name} counts for longer: until ${signer.until}.`;
  });
}

type TokenForReview = NonNullable<Gate['reviews']>['deployingToken'];

/** What a signed review is good for from now on, in sentences. */
function strongerToken(tokenBefore: TokenForReview, tokenAfter: TokenForReview): string[] {
  if (tokenAfter === undefined) return [];
  const policiesBefore = canonicalPolicyNames(tokenBefore?.policies ?? []);
  const added = canonicalPolicyNames(tokenAfter.policies).filter((name) => !policiesBefore.includes(name));
  if (tokenBefore === undefined || added.length > 0)
    return [`Signed reviews are exchanged for a token with the policies ${added.join(', ')}.`];
  return [
    ...(tokenAfter.ttl > tokenBefore.ttl
      ? [
          `The token for a signed review lives longer: ${formatDuration(tokenBefore.ttl)} → ${formatDuration(tokenAfter.ttl)}`,
        ]
      : []),
    ...(tokenAfter.uses > tokenBefore.uses
      ? [`Uses of that token: ${tokenBefore.uses} → ${tokenAfter.uses}`]
      : []),
  ];
}

const policyList = (names: string[] | undefined) => names?.join(', ') ?? 'those of the token that applies';

type GateTask = Gate['runTasks'][number];

function asksAsMuch(taskBefore: GateTask, taskAfter: GateTask): boolean {
  return (
    taskAfter.url === taskBefore.url &&
    taskBefore.stages.every((stage) => taskAfter.stages.includes(stage)) &&
    (taskAfter.enforcement === taskBefore.enforcement || taskAfter.enforcement === 'mandatory') &&
    (taskAfter.environments === undefined ||
      (taskBefore.environments?.every((name) => taskAfter.environments?.includes(name)) ?? false))
  );
}

/** Without a base revision, all that is accepted is new. */
function unseen({ exceptions, known, rules, reviews }: Gate): Finding[] {
  const why = 'No base revision shows it.';
  return [
    // A change of the stack's address hides what there was.
    ...newSigners([], reviews?.signers ?? []).flatMap(reviewsWeakened),
    ...weakerReviews(undefined, reviews),
    ...exceptions.flatMap((exception) => weakened(words(exception), `${why} ${terms(exception)}`)),
    ...unseenKnown(known),
    ...Object.entries(rules.disabled).flatMap(([id, because]) => weakened(`rule ${id}`, `${why} ${because}`)),
  ];
}

/** Adopted services have many: one finding says it of all. */
function unseenKnown(known: Gate['known']): Finding[] {
  const [first, ...rest] = known;
  if (first === undefined) return [];
  const name = `known ${knownWords(first)}`;
  if (rest.length === 0) return weakened(name, `No base revision shows it. ${first.because}`);
  return weakened(`${name} and ${rest.length} more`, 'No base revision shows them.');
}

function weakened(name: string, message: string, rule = 'gate-weakened'): Finding[] {
  const fix = 'Merge it by itself first; it counts once it is in the base revision (--base).';
  return [finding(rule, 'warning', name, message, fix)];
}

function finding(rule: string, severity: Severity, name: string, message: string, fix: string): Finding {
  const subject: Subject = { type: 'other', name };
  return { rule, severity, subject, message, fix, docs: `docs/rules.md#${rule}` };
}

function words({ rule, subject }: Exception): string {
  return `exception from ${rule} for ${subject}`;
}

function terms({ because, owner, until }: Exception): string {
  return `until ${until}, by ${owner}: ${because}`;
}

function isSame(left: Exception, right: Exception): boolean {
  return left.rule === right.rule && nameKey(left.subject) === nameKey(right.subject);
}

function knownKey({ name, ...known }: Gate['known'][number]): string {
  return knownWords({ ...known, name: nameKey(name) });
}
