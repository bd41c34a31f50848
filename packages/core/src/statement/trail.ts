import { createPublicKey } from 'node:crypto';
import { type ReviewPolicy, reviewKeyId } from '../environment/review-settings.ts';
import { isSame } from '../graph/resources/field.ts';
import { isSubjectNamed } from '../graph/subject.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { defined } from '../graph/values/loose-values.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { didYouMean } from '../graph/values/problem.ts';
import { openStatement, uncheckedStatement } from './open-statement.ts';
import type { ReviewPredicate, ReviewStatement } from './predicate.ts';
import { keyProblem } from './require-review.ts';

/** What is known of a statement where it is kept. Times are as `Date` reads them. */
interface Keeping {
  /** When it came into git. */
  keptAt?: string | undefined;
  /** Id of the run of a platform that made it. */
  run?: string | undefined;
  /** Who took a deploying token for it, and when. */
  takenBy?: string | undefined;
  takenAt?: string | undefined;
  /** When the change was applied. */
  appliedAt?: string | undefined;
}

/** A statement that was kept. */
export interface KeptReview extends Keeping {
  /** Where, as a person would find it. */
  name: string;
  text: string;
}

type StatedAccess = ReviewPredicate['access'][number];

/** A change that was reviewed, as its statements say of one subject. Times are RFC 3339, in UTC. */
interface TrailChange extends Keeping {
  /** The time of its newest review. */
  at: string;
  /** Whether its signatures were checked: not with a key that the stack does not name now. */
  isChecked: boolean;
  signed: { by: string; at: string; verdict: ReviewPredicate['verdict'] }[];
  access: Omit<StatedAccess, 'who'>[];
  /** Who let it go on although a mandatory run task did not pass. */
  accepted: NonNullable<ReviewPredicate['accepted']>;
  /** The exceptions for this subject. */
  exceptions: Omit<ReviewPredicate['exceptions'][number], 'subject'>[];
  commit?: string;
  /** Name of the plan file, or of the stack. */
  plan: string;
  /** Where the stack wrote then: the address of the service, and the namespace, which is empty for the root. */
  service?: string;
  namespace?: string;
  /** Where its statements are. */
  statements: string[];
}

/** What became of the access of a subject, the newest first. */
interface Trail {
  changes: TrailChange[];
  /** Statements that do not count, and why. */
  notCounted: { name: string; problem: string }[];
  /** How many were read, of this stack. */
  read: number;
}

interface TrailQuestion {
  policy: Pick<ReviewPolicy, 'signers' | 'maxAge'>;
  stack: { project: string; name: string };
}

interface ReadReview {
  kept: KeptReview;
  by: string;
  isChecked: boolean;
  statement: ReviewStatement;
  at: number;
}

/**
 * Tells which reviewed changes gave or took what, for one subject.
 *
 * @param subject as settings name it: `role staff/reader`
 * @throws GatehouseError `principal_unknown` if no statement names it
 */
export function trailOf(
  subject: string,
  kept: readonly KeptReview[],
  { policy, stack }: TrailQuestion,
): Trail {
  const notCounted: Trail['notCounted'] = [];
  const read: ReadReview[] = [];
  for (const review of merged(kept)) {
    const opened = readKept(review, policy);
    if (typeof opened === 'string') notCounted.push({ name: review.name, problem: opened });
    else if (opened.statement.predicate.stack === undefined)
      notCounted.push({ name: review.name, problem: 'it names no stack' });
    else if (isSame(placeOf(opened.statement.predicate.stack), placeOf(stack))) read.push(opened);
  }
  const isWanted = (who: string) => plain(who) === plain(subject);
  const about = read.filter(({ statement }) =>
    statement.predicate.access.some(({ who }) => who.some(isWanted)),
  );
  if (about.length === 0) throw unknownSubject(subject, read);
  about.sort((left, right) => right.at - left.at);
  const changes: [ReadReview, ...ReadReview[]][] = [];
  for (const review of about) {
    const same = changes.find(
      ([first]) => isSameChange(first, review) && first.at - review.at <= policy.maxAge * 1000,
    );
    if (same === undefined) changes.push([review]);
    else same.push(review);
  }
  return { changes: changes.map((all) => changeOf(all, subject, isWanted)), notCounted, read: read.length };
}

const placeOf = ({ project, name }: TrailQuestion['stack']) => [project, name];

/** Each statement once, with what is known of it in every place that keeps it. */
function merged(kept: readonly KeptReview[]): KeptReview[] {
  return [...Map.groupBy(kept, ({ text }) => text.trim()).values()].map((same) => ({
    ...Object.fromEntries(same.flatMap((review) => Object.entries(known(review)))),
    name: same.map(({ name }) => name).join(', '),
    text: same[0]?.text ?? '',
  }));
}

/** Times in one zone. */
function known({ keptAt, run, takenBy, takenAt, appliedAt }: Keeping): Keeping {
  const times = Object.entries({ keptAt, takenAt, appliedAt }).flatMap(([name, time]) =>
    time === undefined || Number.isNaN(Date.parse(time)) ? [] : [[name, new Date(time).toISOString()]],
  );
  return defined({ run, takenBy, ...Object.fromEntries(times) });
}

function readKept(kept: KeptReview, policy: TrailQuestion['policy']): ReadReview | string {
  const unchecked = uncheckedStatement(kept.text);
  if (typeof unchecked === 'string') return unchecked;
  const { keyId, statement } = unchecked;
  const at = Date.parse(statement.predicate.timeCreated);
  if (policy.signers.some(({ key }) => reviewKeyId(createPublicKey(key)) === keyId)) {
    const opened = openStatement(kept.text, policy);
    if (typeof opened === 'string') return opened;
    // What was signed while the key counted stays, whatever became of it.
    const problem = keyProblem(opened.signer, at, at);
    return problem ?? { kept, by: opened.signer.name, isChecked: true, statement: opened.statement, at };
  }
  if (!/^[0-9a-f]{64}$/.test(keyId)) return 'it names no key';
  const by = `a key that the stack does not name now (${keyId.slice(0, 12)})`;
  return { kept, by, isChecked: false, statement, at };
}

function isSameChange(left: ReadReview, right: ReadReview): boolean {
  const about = ({ isChecked, statement: { subject, predicate } }: ReadReview) => [
    isChecked,
    predicate.stack,
    subject[0].digest.sha256,
    predicate.state?.sha256,
    predicate.declared?.sha256,
  ];
  return isSame(about(left), about(right));
}

/** @param all reviews of one change, the newest first */
function changeOf(
  all: [ReadReview, ...ReadReview[]],
  subject: string,
  isWanted: (who: string) => boolean,
): TrailChange {
  const [{ isChecked, statement, at }] = all;
  const { subject: plan, predicate } = statement;
  const accessOfSubject = all.flatMap((review) =>
    review.statement.predicate.access.filter(({ who }) => who.some(isWanted)),
  );
  const access = unique(accessOfSubject.map(({ who: _, ...rest }) => rest));
  const exceptions = all
    .flatMap((review) => review.statement.predicate.exceptions)
    .filter((exception) => isSubjectNamed(exception.subject, subject))
    .map(({ subject: _, ...rest }) => rest);
  const signed = all.map(
    ({
      by,
      statement: {
        predicate: { timeCreated, verdict },
      },
    }) => ({
      by,
      at: timeCreated,
      verdict,
    }),
  );
  return {
    at: new Date(at).toISOString(),
    isChecked,
    access,
    // One person may have signed twice.
    signed: [...Map.groupBy(signed, ({ by }) => by).values()].flatMap(([newest]) => newest ?? []),
    accepted: unique(all.flatMap((review) => review.statement.predicate.accepted ?? [])),
    exceptions: unique(exceptions),
    ...(predicate.base && { commit: predicate.base.gitCommit }),
    ...(predicate.stack && { service: predicate.stack.service, namespace: predicate.stack.namespace }),
    plan: plan[0].name,
    statements: all.map(({ kept }) => kept.name),
    ...Object.fromEntries(all.toReversed().flatMap(({ kept }) => Object.entries(known(kept)))),
  };
}

function unique<Item extends object>(items: Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** A name without its quotes, in one spelling. */
function plain(name: string): string {
  return nameKey(name.trim().replace(/^(\S+) "(.*)"/, '$1 $2'));
}

function unknownSubject(subject: string, read: readonly ReadReview[]): GatehouseError {
  const names = read.flatMap(({ statement }) => statement.predicate.access.flatMap(({ who }) => who));
  return new GatehouseError('principal_unknown.trail', {
    given: subject,
    values: { count: read.length, suggestion: didYouMean(subject, [...new Set(names)]) },
  });
}
