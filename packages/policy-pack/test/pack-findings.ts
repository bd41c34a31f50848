import { findingTitle } from '../../core/src/review/reports/words.ts';
import type { Review } from '../../core/src/review/review.ts';
import { type Diagnostic, EnforcementLevel } from './hosted-pack.ts';

/** What a pack found: policy, level and text. Hidden values are counted, not named: theirs are others. */
export function packFindings(found: Diagnostic[]): unknown[] {
  return found
    .filter(({ policy }) => policy !== 'who-gains-who-loses')
    .map(({ policy, level, message }) => [
      policy,
      level,
      unnumbered(message.split('\n').slice(1).join('\n')),
    ]);
}

/** What a review found, as the pack should say it. */
export function reviewedFindings({ findings, tool }: Pick<Review, 'findings' | 'tool'>): unknown[] {
  return findings.map((finding) => [
    finding.rule,
    finding.severity === 'error' ? EnforcementLevel.MANDATORY : EnforcementLevel.ADVISORY,
    unnumbered(`${findingTitle(finding, tool)}: ${finding.message}\n${finding.fix}\n${finding.docs}`),
  ]);
}

function unnumbered(text: string): string {
  return text.replace(/\(hidden \d+\)/g, '(hidden)');
}
