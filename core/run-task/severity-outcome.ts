import type { Outcome, Tag, TagLevel } from './outcome.ts';

/**
 * An outcome with the tags that platforms enrich (interface.md A3). With level `error` it is why its task fails; the others
 * say what was not checked, so they have no `Status`.
 *
 * @param body Markdown
 */
export function severityOutcome(
  outcomeId: string,
  level: Exclude<TagLevel, 'none'>,
  description: string,
  body?: string,
): Outcome {
  const tags: Record<string, Tag[]> = { Severity: [{ label: level, level }] };
  if (level === 'error') tags['Status'] = [{ label: 'failed', level }];
  return { outcomeId, description, body, tags };
}
