import { type Subject, subjectName, subjectWithin } from '../graph/subject.ts';
import { namespaceWithin } from '../graph/values/namespace-path.ts';
import { changeWords } from '../review/reports/change-words.ts';
import { hasFindingsAt, type Review } from '../review/review.ts';
import { subjectOf } from '../review/rules/access-subject.ts';
import { reasonWords } from '../words/reason-words.ts';
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
  /** The version of Gatehouse. */
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
  const { findings, gains, losses, life, scope, tool, notes } = review;
  const subjectIn = ({ subject, namespace = '' }: SubjectInPlace) =>
    subjectWithin(namespaceWithin(change.stack?.namespace ?? '', namespace), subject);
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
      judgedOn: { ...judgedOn, notes, missing: scope.missing.map(reasonWords) },
      verdict: hasFindingsAt(review, 'error') ? 'failed' : 'passed',
      gains,
      losses,
      life,
      administration: findings.some(isAdministration),
      access: accessOf(review, subjectIn),
      findings: findings.map((finding) => ({
        rule: finding.rule,
        severity: finding.severity,
        subject: subjectName(subjectIn(finding)),
      })),
      exceptions: findings.flatMap((finding) => {
        if (finding.exception === undefined) return [];
        const { because, owner, until, namespace = '' } = finding.exception;
        return {
          rule: finding.rule,
          subject: subjectWithin(namespace, finding.subject),
          because,
          owner,
          until,
        };
      }),
    },
  };
}

/** How much a statement says of each change: less where there are many, so that it stays small. */
const words = { few: { lines: 8, characters: 400 }, many: { lines: 1, characters: 80 } };
const few = 200;

/** A subject, and its namespace from the root. */
interface SubjectInPlace {
  subject: Subject;
  namespace?: string | undefined;
}

/** @param subjectIn as settings name it: what is in the stack's own namespace without that */
function accessOf(
  { access, tool }: Review,
  subjectIn: (placed: SubjectInPlace) => Subject,
): ReviewPredicate['access'] {
  const most = access.length > few ? words.many : words.few;
  const all = access.map((change) => {
    const { gains, losses, life, server, namespace } = change;
    const who = subjectName(subjectIn({ subject: subjectOf(change), namespace }));
    const what = { gains, losses, life, ...changeWords(change, tool, most) };
    return { who: server === undefined ? who : `${who} on ${server}`, what, key: JSON.stringify(what) };
  });
  return [...Map.groupBy(all, ({ key }) => key).values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : { who: [...new Set(same.map(({ who }) => who))], ...first.what };
  });
}
