import type { Outcome, TagLevel } from '../../core/run-task/outcome.ts';

/** An outcome with the tag that platforms enrich (interface.md A3). @param body Markdown */
export function severityOutcome(
  outcomeId: string,
  level: Exclude<TagLevel, 'none'>,
  description: string,
  body?: string,
): Outcome {
  return { outcomeId, description, body, tags: { Severity: [{ label: level, level }] } };
}
