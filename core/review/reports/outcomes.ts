import { cut } from '../../model/values/cut.ts';
import { visible } from '../../model/values/visible.ts';
import type { Severity } from '../../rules/finding.ts';
import { limits } from '../../run-task/limits.ts';
import { type Outcome, sentOutcome } from '../../run-task/outcome.ts';
import type { FinalResult } from '../../run-task/result.ts';
import { hasFindingsAt, type Review } from '../review.ts';
import {
  accessBundles,
  boundsLines,
  findingTitle,
  kindWords,
  principalWords,
  summaryWords,
} from './words.ts';

/** Characters: it is shown next to the status, so it is shorter than it could be. */
const longestMessage = 200;

const accessLevels = {
  opened: 'warning',
  widened: 'warning',
  changed: 'info',
  closed: 'info',
  narrowed: 'info',
} as const;

/**
 * What a run task answers of a review: who gains and who loses first, then the findings, worst first. What does not fit is
 * counted in the last outcome.
 */
export function reviewResult(review: Review, failOn: Severity): FinalResult {
  const findings = review.findings.map((finding, at) =>
    outcome(
      `finding-${at + 1}-${finding.rule}`,
      `${findingTitle(finding)}: ${finding.message}`,
      `${inert(finding.message)}\n\n${inert(finding.fix)}`,
      {
        Severity: [{ label: finding.severity, level: finding.severity }],
        Status: [hasFindingsAt({ findings: [finding] }, failOn) ? failed : passed],
        Rule: [{ label: finding.rule, level: 'none' }],
      },
    ),
  );
  const access = accessBundles(review.access).map(({ kind, changes, effect }, at) => {
    const who = changes.length === 1 ? changes.map(principalWords).join() : `${changes.length} ways in`;
    const lines = [
      ...changes.flatMap((change) => [
        `- ${inert(principalWords(change))}`,
        ...boundsLines(change).map(({ about, text }) => `  - ${about}: ${inert(text)}`),
      ]),
      ...effect.map(({ about, text }) => `- ${about}: ${inert(text)}`),
    ];
    const level = accessLevels[kind];
    const isJudged = changes.every(({ gains, losses }) => gains !== 'unknown' && losses !== 'unknown');
    return outcome(`access-${at + 1}-${kind}`, `${kindWords[kind]}: ${who}`, lines.join('\n'), {
      Severity: [{ label: level, level }],
      // Findings fail a task; that something could not be judged is one, too.
      Status: [isJudged ? passed : notJudged],
      Access: [{ label: kindWords[kind], level: 'none' }],
    });
  });
  const summary = summaryWords(review);
  const all = [
    ...access,
    ...findings,
    ...(summary.length <= longestMessage ? [] : [outcome('summary', 'In short', inert(summary), {})]),
  ];
  const fitting = all.length <= limits.taskOutcomes ? all : all.slice(0, limits.taskOutcomes - 1);
  const left = all.length - fitting.length;
  const more = outcome('more', `${left} more, which do not fit here`, 'gatehouse review shows them all.', {});
  return {
    status: hasFindingsAt(review, failOn) ? 'failed' : 'passed',
    message: cut(visible(summary), longestMessage),
    outcomes: left === 0 ? fitting : [...fitting, more],
  };
}

const passed = { label: 'passed', level: 'none' } as const;
const failed = { label: 'failed', level: 'error' } as const;
const notJudged = { label: 'not judged', level: 'warning' } as const;

function outcome(id: string, description: string, body: string, tags: Outcome['tags']): Outcome {
  return sentOutcome({ outcomeId: id, description: visible(description).replace(/\s+/g, ' '), body, tags });
}

/** Text from outside, as Markdown that is nothing but text. */
function inert(text: string): string {
  return visible(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>#|~!]/g, (sign) => `\\${sign}`);
}
