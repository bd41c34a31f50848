import { isEnd, type Outcome, type RunView, TagLevel, type TaskView } from '@gatehouse/core/run-task';
import { EnforcementLevel } from '@gatehouse/core/values';
import { type Content, html, type SafeHtml } from '@gatehouse/host';
import { levels } from './outcome-query.ts';
import { icon, isGood, type Look, tag, withCode } from './tag.ts';

/** Errors that the verdict names; the outcomes have all. */
const mostErrors = 3;

/** What the review says of the plan in a sentence, and its worst findings. */
export function verdictPart(run: RunView): SafeHtml {
  const worst = worstFindings(run);
  const errors = worst.filter(({ level }) => level === TagLevel.error);
  const [headline] = run.gained ?? [];
  const look = errors.length > 0 ? TagLevel.error : isFine(run, worst) ? 'good' : TagLevel.warning;
  const shown = errors.length > 0 ? errors : worst.slice(0, 1);
  return verdictPanel({
    ...(headline === undefined ? { headline: withoutVerdict(run) } : { headline, look }),
    rest: shown.length > 0 && worstPart(shown),
  });
}

interface VerdictPanel {
  headline: string | undefined;
  /** Defaults to none: there is no verdict. */
  look?: Exclude<Look, 'none'>;
  rest: Content;
}

/** A verdict in a sentence, and what belongs to it. */
export function verdictPanel({ headline, look, rest }: VerdictPanel): SafeHtml {
  return html`<section class="verdict${look !== undefined && html` ${look}`}" aria-labelledby="verdict"><h2 id="verdict">Verdict</h2>
<p class="headline">${look !== undefined && icon(look)}<span>${headline}</span></p>
${rest}</section>`;
}

function isFine(run: RunView, worst: readonly RankedOutcome[]): boolean {
  return isGood(run) && worst.length === 0;
}

function withoutVerdict({ status, hasChanges }: RunView): string {
  if (!isEnd(status)) return hasChanges === null ? 'There is no plan yet.' : 'The plan is not reviewed yet.';
  return hasChanges === null ? 'There was no plan.' : 'The plan was not reviewed.';
}

function worstPart(findings: readonly RankedOutcome[]): SafeHtml {
  const left = findings.length - mostErrors;
  return html`<h3>${findings.length > 1 ? `Worst findings: ${findings.length} errors` : 'Worst finding'}</h3>
<ul class="worst">${findings.slice(0, mostErrors).map(
    ({ outcome, level }) => html`<li>${tag(level, level)} ${withCode(outcome.description)}</li>
`,
  )}${left > 0 && html`<li>${left} more errors</li>`}</ul>`;
}

interface RankedOutcome {
  outcome: Outcome;
  level: Look & TagLevel;
  isMandatory: boolean;
}

/** Errors and warnings of the tasks that count, worst first; those that can stop a run come before advice. */
export function worstFindings({ tasks }: Pick<RunView, 'tasks'>): RankedOutcome[] {
  return tasks
    .filter(({ supersededAt }) => supersededAt === null)
    .flatMap(({ enforcement, outcomes }) =>
      outcomes.map((outcome) => ({
        outcome,
        level: levelOf(outcome),
        isMandatory: enforcement === EnforcementLevel.mandatory,
      })),
    )
    .filter(({ level }) => level === TagLevel.error || level === TagLevel.warning)
    .sort(
      (a, b) =>
        levels.indexOf(a.level) - levels.indexOf(b.level) || Number(b.isMandatory) - Number(a.isMandatory),
    );
}

/** The worst level of its tags. */
export function levelOf({ tags = {} }: Outcome): TagLevel {
  const own = Object.values(tags)
    .flat()
    .map(({ level }) => level);
  return levels.find((level) => own.includes(level)) ?? TagLevel.none;
}

/** The heading of the lines about a verdict. */
export function gainedTitle(gains: RunView['gains']): string {
  return gains === 'some' ? 'Who gains' : gains === 'none' ? 'What else changes' : 'Not known';
}

/** The principals of lines about access. */
export function namesIn(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.startsWith(' ')).map((line) => line.split(': ')[0] ?? line);
}

/** Who gains or loses what. Lines that begin with a space are details of the line above. */
export function accessList(lines: readonly string[]): SafeHtml {
  return html`<ul class="access">${lines.map((line) => html`<li${line.startsWith(' ') && html` class="more-about"`}>${line.trim()}</li>`)}</ul>`;
}

/** Mandatory tasks whose result counts and is not `passed`, of a run that they block. */
export function blockingTasks({ status, tasks }: RunView): TaskView[] {
  if (status !== 'waiting_for_acceptance' && status !== 'stopped') return [];
  return tasks.filter(
    (task) =>
      task.enforcement === EnforcementLevel.mandatory &&
      task.supersededAt === null &&
      task.endedAt !== null &&
      task.status !== 'passed',
  );
}

/** Whether a task's message says what the verdict says: `✗ 1 error. 1 role gains access.`, cut or whole. */
export function repeatsVerdict(message: string, { gained }: Pick<RunView, 'gained'>): boolean {
  const [headline] = gained ?? [];
  const sentence = message
    .replace(/^[✗!+?~✓] /, '')
    .replace(/^\d+ errors?\. /, '')
    .replace(/…$/, '');
  return headline !== undefined && sentence !== '' && headline.startsWith(sentence);
}

/**
 * Whether an outcome is a row of access that the run's own review has, line by line. It is not listed again.
 *
 * @param run with all rows that the page shows
 */
export function repeatsRow(outcome: Outcome, { gained, lost }: Pick<RunView, 'gained' | 'lost'>): boolean {
  const { body, tags = {} } = outcome;
  if (body === undefined || !Object.hasOwn(tags, 'Access') || levelOf(outcome) === TagLevel.error)
    return false;
  const shown = new Set([...(gained ?? []), ...(lost ?? [])].map((line) => line.trim()));
  return body.split('\n').every((line) => {
    const text = plainLine(line);
    return shown.has(text) || shown.has(`by ${text}`);
  });
}

/** A line of a list without its mark and the backslashes of Markdown. */
function plainLine(line: string): string {
  return line
    .replace(/^- /, '')
    .replace(/\\([\\`*_{}[\]<>#|~!])/g, '$1')
    .trim();
}
