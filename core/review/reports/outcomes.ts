import { cut } from '../../model/values/cut.ts';
import type { Severity } from '../../rules/finding.ts';
import { hasFindingsAt, type Review } from '../review.ts';
import {
  accessBundles,
  boundsLines,
  findingTitle,
  kindWords,
  principalWords,
  summaryWords,
} from './words.ts';

/** An outcome of a run task (interface.md A3), with its tags (A4). */
export interface ReviewOutcome {
  type: 'task-result-outcomes';
  attributes: {
    'outcome-id': string;
    description: string;
    /** Markdown. */
    body: string;
    tags: Record<string, { label: string; level: 'none' | 'info' | 'warning' | 'error' }[]>;
  };
}

/** What a run task answers of a review (interface.md A2). */
export interface ReviewResult {
  status: 'passed' | 'failed';
  message: string;
  outcomes: ReviewOutcome[];
}

/**
 * Published limits of real platforms (facts/run-tasks.md): strict where we send. A message is shown beside the status, so
 * ours is shorter. Outcomes are those of a task, in all its callbacks; a platform need not keep more.
 */
const most = { outcomes: 2000, message: 200, description: 1000, body: 10_000, label: 32, outcomeId: 64 };

const accessLevels = {
  opened: 'warning',
  widened: 'warning',
  changed: 'info',
  closed: 'info',
  narrowed: 'info',
} as const;

/** Who gains and who loses first, then the findings, worst first. What does not fit is counted in the last outcome. */
export function reviewResult(review: Review, failOn: Severity): ReviewResult {
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
    const [first] = changes;
    const who =
      changes.length === 1 && first !== undefined ? principalWords(first) : `${changes.length} ways in`;
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
    ...(summary.length <= most.message ? [] : [outcome('summary', 'In short', inert(summary), {})]),
  ];
  const fitting = all.length <= most.outcomes ? all : all.slice(0, most.outcomes - 1);
  const left = all.length - fitting.length;
  const more = outcome('more', `${left} more, which do not fit here`, 'gatehouse review shows them all.', {});
  return {
    status: hasFindingsAt(review, failOn) ? 'failed' : 'passed',
    message: cut(summary, most.message),
    outcomes: left === 0 ? fitting : [...fitting, more],
  };
}

const passed = { label: 'passed', level: 'none' } as const;
const failed = { label: 'failed', level: 'error' } as const;
const notJudged = { label: 'not judged', level: 'warning' } as const;

function outcome(
  id: string,
  description: string,
  body: string,
  tags: ReviewOutcome['attributes']['tags'],
): ReviewOutcome {
  const fitting = Object.entries(tags).map(
    ([name, entries]) =>
      [name, entries.map(({ label, level }) => ({ label: cut(label, most.label), level }))] as const,
  );
  return {
    type: 'task-result-outcomes',
    attributes: {
      'outcome-id': cut(id, most.outcomeId),
      description: cut(description.replace(/\s+/g, ' '), most.description),
      body: cut(body, most.body),
      tags: Object.fromEntries(fitting),
    },
  };
}

/** Text from outside, as Markdown that is nothing but text. */
function inert(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>#|~!]/g, (sign) => `\\${sign}`);
}
