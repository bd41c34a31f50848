import { shortened } from '../../graph/values/cut.ts';
import type { Review } from '../review.ts';
import type { ReportFinding } from './fold-places.ts';
import type { ReportRow } from './rows.ts';
import { findingTitle } from './words.ts';

/** Findings that say the same of several. */
export interface FindingGroup
  extends Pick<ReportFinding, 'rule' | 'severity' | 'message' | 'fix' | 'exception'> {
  /** `role ci/deploy, group on-call`. */
  who: string;
  all: ReportFinding[];
}

/** Names of a group of findings. */
const mostNamed = 3;

/** Findings that say the same become one, in the order of their first. @param listed places that are named of one, at most */
export function groupedFindings(
  findings: readonly ReportFinding[],
  tool: Review['tool'],
  listed?: number,
): FindingGroup[] {
  const contentOf = ({ rule, severity, message, fix, exception }: ReportFinding) =>
    JSON.stringify([rule, severity, message, fix, exception]);
  return [...Map.groupBy(findings, contentOf).values()].map((all) => {
    const [{ rule, severity, message, fix, exception }] = all as [ReportFinding];
    const names = [...new Set(all.map((finding) => findingTitle(finding, tool, listed)))];
    return {
      rule,
      severity,
      message,
      fix,
      ...(exception && { exception }),
      who: shortened(names, mostNamed),
      all,
    };
  });
}

/** What every report begins with: the finding to look at first, and the others. */
export interface WorstFirst {
  /** An error, or else a warning; absent where all is accepted, only informs, or says what a row shows. */
  worst?: FindingGroup;
  /** Errors, those of the first rows before others. */
  errors: FindingGroup[];
  /** Warnings and what only informs, also accepted ones, and those that a row shows as well. */
  nonErrors: FindingGroup[];
}

/** The findings of a report. @param report what `reportRows` has of the review */
export function worstFirst(
  {
    rows,
    findings,
    repeated,
  }: {
    rows: readonly ReportRow[];
    findings: readonly ReportFinding[];
    repeated: readonly ReportFinding[];
  },
  tool: Review['tool'],
): WorstFirst {
  const isError = ({ severity }: Pick<ReportFinding, 'severity'>) => severity === 'error';
  const isOpen = ({ exception }: FindingGroup) => exception === undefined;
  const own = groupedFindings(
    [...rows.flatMap((row) => row.errors), ...findings, ...repeated.filter(isError)],
    tool,
  );
  const errors = own.filter(isError);
  const notErrors = own.filter((group) => !isError(group));
  // What a row shows as well is not the first thing to say once more.
  const worst =
    errors.find(isOpen) ?? notErrors.find((group) => isOpen(group) && group.severity === 'warning');
  const nonErrors = [
    ...notErrors,
    ...groupedFindings(
      repeated.filter((finding) => !isError(finding)),
      tool,
    ),
  ];
  const isOther = (group: FindingGroup) => group !== worst;
  return { ...(worst && { worst }), errors: errors.filter(isOther), nonErrors: nonErrors.filter(isOther) };
}
