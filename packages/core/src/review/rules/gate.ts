import type { Environment } from '../../environment/environment.ts';
import type { Exception } from '../../graph/exception-settings.ts';
import type { Graph } from '../../graph/graph.ts';
import { knownWords } from '../../graph/known.ts';
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
      (one) => one.rule === finding.rule && isSubjectNamed(finding.subject, one.subject),
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
function inForce({ is, was = is }: GateOptions, now: bigint): Exception[] {
  if (was === 'unknown') return [];
  return is.exceptions.flatMap((one) => {
    const before = was.exceptions.find((other) => isSame(one, other));
    if (before === undefined) return [];
    const until = before.until < one.until ? before.until : one.until;
    const end = endOfDay(until) ?? 0n;
    return now < end && end - now <= longest ? [{ ...one, until }] : [];
  });
}

/** What is wrong with exceptions, and what of the gate asks for less than before. No exception is for these. */
export function judgeGate(graph: Graph, { is, was = is }: GateOptions, now: bigint): Finding[] {
  return [
    ...is.exceptions.flatMap((one) => invalid(one, graph, now)),
    ...(was === 'unknown' ? unseen(is) : weaker(was, is)),
  ];
}

function invalid(one: Exception, graph: Graph, now: bigint): Finding[] {
  const end = endOfDay(one.until) ?? 0n;
  const say = (severity: Severity, message: string, fix: string) => [
    finding('exception-invalid', severity, words(one), message, fix),
  ];
  if (now >= end)
    return say('error', `It ended on ${one.until}.`, `Fix the finding, or ask ${one.owner} for a new end.`);
  if (end - now > longest)
    return say('error', `It ends on ${one.until}, more than a year ahead.`, 'Set an end within a year.');
  if (isThere(one, graph)) return [];
  const names = resources.flatMap((resource) =>
    partsIn(graph, resource).map((part) => subjectName(subjectOf(resource, part))),
  );
  return say(
    'warning',
    `No ${one.subject} exists${didYouMean(one.subject, names) || '.'}`,
    'Name it as a report does, or remove the exception.',
  );
}

/** Whether a declarable part of this name is there; of all else, that cannot be told. */
function isThere(one: Exception, graph: Graph): boolean {
  const [type = ''] = one.subject.split(' ', 1);
  if (resourceNamed(type) === undefined) return true;
  return resources.some((resource) =>
    partsIn(graph, resource).some((part) => isSubjectNamed(subjectOf(resource, part), one.subject)),
  );
}

function weaker(was: Gate, is: Gate): Finding[] {
  const promises = new Set(is.promises.map(promiseText));
  const rank = { always: 2, whenGained: 1, never: 0 };
  const [before, after] = [was.deployments, is.deployments];
  return [
    ...is.exceptions.flatMap((one) => {
      const old = was.exceptions.find((other) => isSame(one, other));
      if (old === undefined) return weakened(words(one), `It is new: ${terms(one)}`);
      if (old.until >= one.until) return [];
      return weakened(words(one), `It ended on ${old.until} and now lasts ${terms(one)}`);
    }),
    ...is.known
      .filter((one) => !was.known.some((old) => knownKey(old) === knownKey(one)))
      .flatMap((one) => weakened(`known ${knownWords(one)}`, `It is new: ${one.because}`)),
    ...Object.entries(is.rules.disabled)
      .filter(([id]) => !Object.hasOwn(was.rules.disabled, id))
      .flatMap(([id, because]) =>
        weakened(`rule ${id}`, `The rule is now off for the whole stack: ${because}`),
      ),
    ...(was.rules.preset !== undefined && is.rules.preset !== was.rules.preset
      ? weakened('rules', `preset: ${was.rules.preset} → ${is.rules.preset ?? 'none'}`)
      : []),
    ...was.promises
      .filter((one) => !promises.has(promiseText(one)))
      .flatMap((one) => weakened(`promise (${promiseText(one)})`, 'The promise is removed.')),
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
    ...was.runTasks.flatMap((old) => {
      const one = is.runTasks.find(({ name }) => name === old.name);
      if (one !== undefined && asksAsMuch(old, one)) return [];
      return weakened(
        `run task ${old.name}`,
        one === undefined ? 'The run task is removed.' : 'The run task asks for less, or at a different URL.',
      );
    }),
    ...weakerReviews(was.reviews, is.reviews),
  ];
}

const reviewsWeakened = (message: string) => weakened('reviews', message, 'reviews-weakened');

/** Who may let a change in, and by how much: as grave as administration. */
function weakerReviews(was: Gate['reviews'], is: Gate['reviews']): Finding[] {
  if (was === undefined) return strongerToken(undefined, is?.deployingToken).flatMap(reviewsWeakened);
  if (is === undefined) return reviewsWeakened('Changes of this stack need no signed review anymore.');
  return [
    ...newSigners(was.signers, is.signers).flatMap(reviewsWeakened),
    ...(is.maxAge > was.maxAge
      ? reviewsWeakened(`maxAge: ${formatDuration(was.maxAge)} → ${formatDuration(is.maxAge)}`)
      : []),
    ...(is.failed && !was.failed ? reviewsWeakened('Reviews with errors count, too (failed).') : []),
    ...(is.administration < was.administration
      ? reviewsWeakened(`administration: ${was.administration} → ${is.administration} signers`)
      : []),
    ...strongerToken(was.deployingToken, is.deployingToken).flatMap(reviewsWeakened),
  ];
}

type Signers = NonNullable<Gate['reviews']>['signers'];

/** Whose key counts from now on, or for longer, in sentences. */
function newSigners(was: Signers, is: Signers): string[] {
  return is.flatMap((one) => {
    const old = was.find(({ name, key }) => name === one.name && key === one.key);
    if (old === undefined) return `${one.name} signs with a new key, until ${one.until}.`;
    if (old.until >= one.until && (old.from ?? '') <= (one.from ?? '')) return [];
    return `The key of ${one.name} counts for longer: until ${one.until}.`;
  });
}

type DeployingToken = NonNullable<Gate['reviews']>['deployingToken'];

/** What a signed review is good for from now on, in sentences. */
function strongerToken(was: DeployingToken, is: DeployingToken): string[] {
  if (is === undefined) return [];
  const before = canonicalPolicyNames(was?.policies ?? []);
  const added = canonicalPolicyNames(is.policies).filter((name) => !before.includes(name));
  if (was === undefined || added.length > 0)
    return [`Signed reviews are exchanged for a token with the policies ${added.join(', ')}.`];
  return [
    ...(is.ttl > was.ttl
      ? [`The token for a signed review lives longer: ${formatDuration(was.ttl)} → ${formatDuration(is.ttl)}`]
      : []),
    ...(is.uses > was.uses ? [`Uses of that token: ${was.uses} → ${is.uses}`] : []),
  ];
}

const policyList = (names: string[] | undefined) => names?.join(', ') ?? 'those of the token that applies';

type RunTask = Gate['runTasks'][number];

function asksAsMuch(old: RunTask, one: RunTask): boolean {
  return (
    one.url === old.url &&
    old.stages.every((stage) => one.stages.includes(stage)) &&
    (one.enforcement === old.enforcement || one.enforcement === 'mandatory') &&
    (one.environments === undefined ||
      (old.environments?.every((name) => one.environments?.includes(name)) ?? false))
  );
}

/** Without a base revision, all that is accepted is new. */
function unseen({ exceptions, known, rules, reviews }: Gate): Finding[] {
  const why = 'No base revision shows it.';
  return [
    // A change of the stack's address hides what there was.
    ...newSigners([], reviews?.signers ?? []).flatMap(reviewsWeakened),
    ...weakerReviews(undefined, reviews),
    ...exceptions.flatMap((one) => weakened(words(one), `${why} ${terms(one)}`)),
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

function isSame(one: Exception, other: Exception): boolean {
  return one.rule === other.rule && nameKey(one.subject) === nameKey(other.subject);
}

function knownKey({ name, ...one }: Gate['known'][number]): string {
  return knownWords({ ...one, name: nameKey(name) });
}
