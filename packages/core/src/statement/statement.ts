import { subjectName } from '../graph/subject.ts';
import { whoWords } from '../review/reports/rows.ts';
import { hasFindingsAt, type Review } from '../review/review.ts';
import {
  predicateType,
  type ReviewPredicate,
  type ReviewStatement,
  statementType,
  verifierId,
} from './predicate.ts';

/** What a statement is about. Digests are SHA-256, in hexadecimal digits. */
export interface ReviewedChange {
  /** Name of the file that is applied, or of the stack. */
  name: string;
  /** Digest of that file, or of the steps that the stack plans. */
  digest: string;
  stack?: ReviewPredicate['stack'];
  /** Digest of the state that the plan was made on. */
  state?: string;
  /** Digest of the resources that the stack declares. */
  declared?: string;
}

/** How a change was reviewed. */
export interface ReviewCircumstances {
  /** Of Gatehouse. */
  version: string;
  now: Date;
  /** Commit from which exceptions counted. */
  base?: string;
  judgedOn: Pick<ReviewPredicate['judgedOn'], 'source' | 'digest'>;
}

/** What is stated of a change that was reviewed. */
export function statementOf(
  change: ReviewedChange,
  review: Review,
  { version, now, base, judgedOn }: ReviewCircumstances,
): ReviewStatement {
  const { findings, access, gains, losses, life, scope, tool, notes } = review;
  const isAdministration = ({ rule }: { rule: string }) =>
    rule === 'administration-gained' || rule === 'reviews-weakened';
  return {
    _type: statementType,
    subject: [{ name: change.name, digest: { sha256: change.digest } }],
    predicateType,
    predicate: {
      verifier: { id: verifierId, version },
      timeCreated: now.toISOString(),
      ...(change.stack && { stack: change.stack }),
      tool,
      ...(base !== undefined && { base: { gitCommit: base } }),
      ...(change.declared !== undefined && { declared: { sha256: change.declared } }),
      ...(change.state !== undefined && { state: { sha256: change.state } }),
      judgedOn: { ...judgedOn, notes, missing: scope.missing },
      verdict: hasFindingsAt(review, 'error') ? 'failed' : 'passed',
      ...{ gains, losses, life },
      administration: findings.some(isAdministration),
      access: access.map((one) => ({
        who: whoWords(one),
        ...{ gains: one.gains, losses: one.losses, life: one.life },
      })),
      findings: findings.map(({ rule, severity, subject }) => ({
        ...{ rule, severity, subject: subjectName(subject) },
      })),
      exceptions: findings.flatMap(({ rule, subject, exception }) =>
        exception === undefined
          ? []
          : {
              ...{ rule, subject, because: exception.because },
              ...{ owner: exception.owner, until: exception.until },
            },
      ),
    },
  };
}
