import { type ListedRun, TagLevel } from '@gatehouse/core/run-task';
import { type Content, html, SafeHtml } from '@gatehouse/host';

/** The levels of the protocol, and `good` for success. */
export type Look = TagLevel | 'good';

/** Icons that differ in shape, too, for people who cannot tell the colors apart. */
const icons: Record<Exclude<Look, 'none'>, string> = {
  info: '<circle cx="8" cy="8" r="6.25"/><path d="M8 7.25v4M8 4.75v.01"/>',
  warning: '<path d="M8 1.9 14.6 13.6H1.4zM8 6.25v3.5M8 11.6v.01"/>',
  error: '<path d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3zM5.5 5.5l5 5M10.5 5.5l-5 5"/>',
  good: '<circle cx="8" cy="8" r="6.25"/><path d="m5 8.25 2.1 2.1L11 6"/>',
};

/** A short word with the color and the icon of its look; plain for `none` (docs/inside/specification.md A4). */
export function tag(label: string, look: Look): SafeHtml {
  if (look === TagLevel.none) return html`<span class="tag">${label}</span>`;
  return html`<span class="tag ${look}">${icon(look)}${label}</span>`;
}

/** The icon of a look. A screen reader passes over it. */
export function icon(look: Exclude<Look, 'none'>): SafeHtml {
  return new SafeHtml(`<svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">${icons[look]}</svg>`);
}

const looks: Record<string, Look> = {
  pending: 'none',
  canceled: 'none',
  discarded: 'none',
  waiting_for_acceptance: 'warning',
  waiting_for_confirmation: 'warning',
  unsure: 'warning',
  unreachable: 'error',
  received: 'none',
  applied: 'good',
  planned_and_finished: 'good',
  passed: 'good',
  delivered: 'good',
  stopped: 'error',
  errored: 'error',
  failed: 'error',
  given_up: 'error',
};

/** What a review decided of access. */
type Verdict = Pick<ListedRun, 'gains' | 'life' | 'gate'>;

/** The verdict of a plan's review in few words. Undefined before there is a review. */
export function verdictTag(verdict: Verdict): Content {
  const { gains, life, gate } = verdict;
  if (gains === null) return undefined;
  if (isGood(verdict)) return tag('no one gains', 'good');
  if (gains === 'some') return tag('someone gains', 'warning');
  if (gains === 'unknown' || life === 'unknown' || life === null) return tag('not known', 'warning');
  return tag(gate === 'weaker' ? 'asked for less' : 'tokens last longer', 'warning');
}

/** Whether it is known that no one gains, no token lives longer, and later deployments are asked for as much. */
export function isGood({ gains, life, gate }: Verdict): boolean {
  return gains === 'none' && (life === 'same' || life === 'shorter') && gate !== 'weaker';
}

/** The status of a run, a task or a delivery. Work in progress looks like information. */
export function statusTag(status: string): SafeHtml {
  return tag(statusText(status), looks[status] ?? 'info');
}

/** `post_plan` becomes `post-plan`, and `planned_and_finished` `planned and finished`. */
export function statusText(status: string): string {
  return status.replace(/^(pre|post)_/, '$1-').replaceAll('_', ' ');
}

/** A text whose parts between backticks are shown as code. */
export function withCode(text: string): SafeHtml {
  return html`${text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
