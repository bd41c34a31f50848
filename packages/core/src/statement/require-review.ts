import type { ReviewPolicy } from '../environment/review-settings.ts';
import type { Exception } from '../graph/exception-settings.ts';
import { isSubjectNamed, subjectName } from '../graph/subject.ts';
import { endOfDay } from '../graph/values/day.ts';
import { formatDuration } from '../graph/values/duration.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { type OpenedStatement, openStatement } from './open-statement.ts';
import type { ReviewedChange } from './statement.ts';

/** The review policy at the base revision, and what holds with it. */
interface ReviewsAsked {
  policy: ReviewPolicy;
  /** The exceptions in force. Defaults to not known: then those of a statement count until they end. */
  exceptions?: readonly Exception[];
  /** Whether the change has other settings of reviews than what counts. Defaults to not known. */
  changesPolicy?: boolean;
  /** When a token was given for this change, or a gate began to apply it. Defaults to not known. */
  spentAt?: Date | undefined;
}

/** Milliseconds by which the clock of who signed may be ahead. */
const clockSkew = 60_000;

/**
 * Checks that a change was reviewed, by signers of the stack.
 *
 * @param files with signed statements
 * @param change what is about to be applied; what it has, a statement must say in the same way
 * @returns the statements that count, each of another signer
 * @throws GatehouseError `review_missing`, with what is wrong with each statement
 */
export function requireReview(
  change: Omit<ReviewedChange, 'name'>,
  files: readonly { name: string; text: string }[],
  reviews: ReviewsAsked,
  now: Date,
): OpenedStatement[] {
  const { policy } = reviews;
  const counted = new Map<string, OpenedStatement>();
  const problems: string[] = [];
  for (const { name, text } of files) {
    const opened = openStatement(text, policy);
    const problem = typeof opened === 'string' ? opened : problemOf(opened, change, reviews, now);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
    else if (typeof opened !== 'string') counted.set(opened.signer.name, opened);
  }
  const statements = [...counted.values()];
  const isAdministration =
    reviews.changesPolicy === true || statements.some(({ statement }) => statement.predicate.administration);
  const needed = isAdministration ? policy.administration : 1;
  if (statements.length >= needed) return statements;
  const signed = statements.length === 0 ? 'no one' : statements.map(({ signer }) => signer.name).join(', ');
  const signersWanted = needed === 1 ? 'one' : `${needed}, as it gives administration`;
  throw new GatehouseError('review_missing', {
    given: [`signed by ${signed}`, ...problems].join('; '),
    allowed: `statements of ${signersWanted} of: ${policy.signers.map(({ name }) => name).join(', ')}`,
  });
}

/** Why a statement with a right signature does not count for a change; undefined where it does. */
function problemOf(
  { signer, statement }: OpenedStatement,
  change: Omit<ReviewedChange, 'name'>,
  { policy, exceptions, spentAt }: ReviewsAsked,
  now: Date,
): string | undefined {
  const { subject, predicate } = statement;
  const [{ digest }] = subject;
  const created = Date.parse(predicate.timeCreated);
  const age = (now.getTime() - created) / 1000;
  if (digest.sha256 !== change.digest) return 'it is about another plan';
  const { stack } = predicate;
  if (change.stack !== undefined && !isSame(stack, change.stack))
    return stack === undefined ? 'it names no stack' : `it is for stack ${placeOf(stack)}`;
  if (change.state !== undefined && predicate.state?.sha256 !== change.state)
    return 'the state has changed since';
  // People name any digest as that of a file; the plan of a stack must be compared with its state, too.
  if (predicate.declared?.sha256 !== change.declared)
    return change.declared === undefined
      ? 'it is about the plan of a stack, not about a file'
      : 'the stack declares something else now';
  // One that was signed before counts no more, also where the clock of who signed was ahead.
  if (spentAt !== undefined && created <= spentAt.getTime() + clockSkew)
    return `the change was let in at ${spentAt.toISOString()}: review it again`;
  if (created > now.getTime() + clockSkew) return `it is of ${predicate.timeCreated}, which is to come`;
  if (age > policy.maxAge)
    return `it is ${formatDuration(Math.floor(age))} old; at most ${formatDuration(policy.maxAge)}`;
  const notInForce = keyProblem(signer, created, now.getTime());
  if (notInForce !== undefined) return notInForce;
  if (predicate.verdict !== 'passed' && !policy.failed) return 'the review found errors';
  const over = predicate.exceptions.find(
    (exception) => now.getTime() >= endOf(exception.until) || !isInForce(exception, exceptions),
  );
  if (over !== undefined)
    return `it counts on an exception from ${over.rule} for ${subjectName(over.subject)}, which is not in force`;
  return undefined;
}

/** Why the key of a signer does not count from one time to another, in milliseconds; undefined where it does. */
export function keyProblem(
  { name, from: begin, until }: OpenedStatement['signer'],
  start: number,
  end: number,
): string | undefined {
  const begins = begin === undefined ? 0 : firstOf(begin);
  if (start >= begins && end < endOf(until)) return undefined;
  return `the key of ${name} counts ${begin === undefined ? '' : `from ${begin} `}until ${until}`;
}

function isInForce(
  stated: OpenedStatement['statement']['predicate']['exceptions'][number],
  exceptions: readonly Exception[] | undefined,
): boolean {
  const { rule, subject, owner, because } = stated;
  const { namespace, ...named } = subject;
  return (
    exceptions?.some(
      (exception) =>
        exception.rule === rule &&
        exception.namespace === namespace &&
        isSubjectNamed(named, exception.subject) &&
        exception.owner === owner &&
        exception.because === because,
    ) ?? true
  );
}

/** Milliseconds since 1970. */
function endOf(day: string): number {
  return Number((endOfDay(day) ?? 0n) / 1_000_000n);
}

function firstOf(day: string): number {
  return endOf(day) - 24 * 60 * 60 * 1000;
}

function isSame(stated: ReviewedChange['stack'], stack: NonNullable<ReviewedChange['stack']>): boolean {
  return (['project', 'name', 'service', 'namespace'] as const).every(
    (part) => stated?.[part] === stack[part],
  );
}

function placeOf({ project, name, service, namespace }: NonNullable<ReviewedChange['stack']>): string {
  return `${project}/${name} at ${service}${namespace === '' ? '' : `, namespace ${namespace}`}`;
}
