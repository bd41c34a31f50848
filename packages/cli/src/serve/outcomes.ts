import { mayLastLonger } from '@gatehouse/core/access';
import {
  codePart,
  declaredHeadline,
  findingTitle,
  foldFindings,
  hasFindingsAt,
  headline,
  type ReplaySummary,
  type ReportFinding,
  type ReportRow,
  type Review,
  replayDetails,
  replayLine,
  reportRows,
  type Severity,
  sameWords,
} from '@gatehouse/core/review';
import { type FinalResult, limits, type Outcome, sentOutcome } from '@gatehouse/core/run-task';
import { cut, shortened, visible } from '@gatehouse/core/values';

/** Characters of a message. Platforms allow more, but show it next to the status. */
const longestMessage = 200;

/**
 * What a run task answers of a review: errors, who gains and who loses, then the other findings. The last outcome counts the rest.
 */
export function reviewResult(review: Review, failOn: Severity): FinalResult {
  return resultOf(review, failOn, headline(review), [
    ...(review.replay ? [replayOutcome(review.replay)] : []),
    ...reportRows(review).rows.map((row, at) => rowOutcome(row, at + 1)),
  ]);
}

/** What a run task answers before anything is planned: there is no change of access to judge, only what is declared. */
export function declaredResult(findings: Review['findings'], failOn: Severity): FinalResult {
  const passes = !hasFindingsAt({ findings }, failOn);
  return resultOf({ findings, tool: 'gatehouse' }, failOn, declaredHeadline(findings, passes), []);
}

/** @param access stands between the errors and the other findings */
function resultOf(
  { findings, tool }: Pick<Review, 'findings' | 'tool'>,
  failOn: Severity,
  summary: string,
  access: Outcome[],
): FinalResult {
  const folded = foldFindings(findings);
  const outcomesWhere = (isListed: (severity: Severity) => boolean) =>
    folded.flatMap((finding, at) =>
      isListed(finding.severity) ? [findingOutcome(finding, tool, at + 1, failOn)] : [],
    );
  const errors = outcomesWhere((severity) => severity === 'error');
  const nonErrors = outcomesWhere((severity) => severity !== 'error');
  const all = [
    ...errors,
    ...access,
    ...nonErrors,
    ...(summary.length <= longestMessage ? [] : [outcome('summary', 'In short', inert(summary), {})]),
  ];
  const fitting = all.length <= limits.taskOutcomes ? all : all.slice(0, limits.taskOutcomes - 1);
  const left = all.length - fitting.length;
  const leftOut = outcome(
    'more',
    `${left} more, which do not fit here`,
    'gatehouse review shows them all.',
    {},
  );
  return {
    status: hasFindingsAt({ findings }, failOn) ? 'failed' : 'passed',
    message: cut(visible(summary), longestMessage),
    outcomes: left === 0 ? fitting : [...fitting, leftOut],
  };
}

/** Principals, with what was and what is for each. */
function rowOutcome(
  { policy, who, same, why, cells, reasons, sign, gains, losses, life }: ReportRow,
  at: number,
): Outcome {
  const level = gains === 'none' && !mayLastLonger(life) ? 'info' : 'warning';
  const names = [...(policy === undefined ? [] : [policy]), ...who.map(({ name }) => name)];
  const [first] = cells;
  const change = first === undefined ? '' : `: ${first.before} → ${first.after}`;
  const leftOut = cells.length > 1 ? `, and ${cells.length - 1} more` : '';
  const lines = [
    ...(policy === undefined ? [] : [`- ${inert(policy)}`]),
    ...who.map(({ name, details }) => `- ${[name, ...details].map(inert).join(': ')}`),
    ...(same === undefined ? [] : [`- ${inert(sameWords(same))}`]),
    ...why.map((text) => `- ${inert(text)}`),
    ...cells.map(({ before, after }) => `- ${inert(before)} → ${inert(after)}`),
    ...reasons.map((text) => `- ${inert(text)}`),
  ];
  const isJudged = ![gains, losses, life].includes('unknown');
  return outcome(`access-${at}`, `${shortened(names, 3)}${change}${leftOut}`, lines.join('\n'), {
    Severity: [{ label: level, level }],
    // Findings fail a task; that something cannot be judged is one, too.
    Status: [isJudged ? passed : notJudged],
    Access: [{ label: accessWords[sign], level: 'none' }],
  });
}

/** What becomes of the requests of audit logs. It fails no task. */
function replayOutcome(replay: ReplaySummary): Outcome {
  const { refused, unknown, missing } = replay;
  const level = refused.requests > 0 ? 'warning' : 'info';
  const isJudged = unknown.requests + missing.length === 0;
  const lines = replayDetails(replay).map((text) => `- ${inert(text)}`);
  return outcome('replay', replayLine(replay), lines.join('\n'), {
    Severity: [{ label: level, level }],
    Status: [isJudged ? passed : notJudged],
  });
}

const accessWords = { '+': 'new', '-': 'gone', '~': 'changed', '?': 'not known' } as const;

function findingOutcome(finding: ReportFinding, tool: Review['tool'], at: number, failOn: Severity): Outcome {
  const { rule, severity, message, fix } = finding;
  return outcome(
    `finding-${at}-${rule}`,
    `${findingTitle(finding, tool)}: ${message}`,
    `${prose(message)}\n\n${prose(fix)}`,
    {
      Severity: [{ label: severity, level: severity }],
      Status: [hasFindingsAt({ findings: [finding] }, failOn) ? failed : passed],
      Rule: [{ label: rule, level: 'none' }],
    },
  );
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

/** Sentences, with what stands in backticks as code. */
function prose(text: string): string {
  return text
    .split(codePart)
    .map((part, at) => (at % 2 === 1 ? `\`${visible(part).replace(/\s+/g, ' ')}\`` : inert(part)))
    .join('');
}
