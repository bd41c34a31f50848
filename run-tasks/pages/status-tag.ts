import type { SafeHtml } from '../../web/pages/html.ts';
import { type Look, tag } from './tag.ts';

const looks: Record<string, Look> = {
  pending: 'none',
  canceled: 'none',
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

/** The status of a run, a task or a delivery: what is under way looks like information. */
export function statusTag(status: string): SafeHtml {
  return tag(statusText(status), looks[status] ?? 'info');
}

/** `planned_and_finished`, `post_plan` as people write them. */
export function statusText(status: string): string {
  return status.replace(/^(pre|post)_/, '$1-').replaceAll('_', ' ');
}
