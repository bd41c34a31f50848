import { enrichedTag, type Outcome, type Tag, TagLevel } from '@gatehouse/core/run-task';
import { visible } from '@gatehouse/core/values';

export const sorts = {
  severity: 'severity',
  reported: 'as reported',
  status: 'status',
  description: 'description',
} as const;
type Sort = keyof typeof sorts;

/** Which outcomes to show, in which order: `?severity=High&status=Failed&sort=severity`. */
export interface OutcomeQuery {
  /** Label of a `Severity` tag, in any case; empty for all. */
  severity: string;
  /** Label of a `Status` tag, in any case; empty for all. */
  status: string;
  sort: Sort;
}

/** Reads a query. Invalid values are ignored. */
export function readOutcomeQuery(query: URLSearchParams): OutcomeQuery {
  const sort = query.get('sort') ?? '';
  return {
    severity: visible(query.get('severity') ?? ''),
    status: visible(query.get('status') ?? ''),
    sort: Object.hasOwn(sorts, sort) ? (sort as Sort) : 'severity',
  };
}

/** Tags of the name, whatever its case (docs/inside/specification.md A3), with labels as pages show them. */
export function enrichedTags({ tags }: Outcome, name: 'severity' | 'status'): Tag[] {
  return Object.entries(tags ?? {})
    .filter(([tagName]) => enrichedTag(tagName) === name)
    .flatMap(([, entries]) => entries.map(({ label, level }) => ({ label: visible(label), level })));
}

/** The labels of all tags of that name, each once, whatever its case, worst first. */
export function labelsOf(outcomes: readonly Outcome[], name: 'severity' | 'status'): string[] {
  const tags = outcomes.flatMap((outcome) => enrichedTags(outcome, name)).sort(worstFirst);
  const byLabel = Map.groupBy(tags, ({ label }) => label.toLowerCase());
  return [...byLabel.values()].flatMap(([worst]) => worst?.label ?? []);
}

export function selectOutcomes(outcomes: readonly Outcome[], query: OutcomeQuery): Outcome[] {
  const chosen = outcomes.filter((outcome) =>
    (['severity', 'status'] as const).every((name) => {
      const chosenLabel = query[name].toLowerCase();
      if (chosenLabel === '') return true;
      return enrichedTags(outcome, name).some(({ label }) => label.toLowerCase() === chosenLabel);
    }),
  );
  const { sort } = query;
  if (sort === 'reported') return chosen;
  if (sort === 'description') return chosen.sort((a, b) => a.description.localeCompare(b.description, 'en'));
  // Outcomes without such a tag come last; equals stay as reported.
  return chosen.sort((a, b) => byWorstTag(a, b, sort));
}

function byWorstTag(a: Outcome, b: Outcome, name: 'severity' | 'status'): number {
  const [worstOfA] = enrichedTags(a, name).sort(worstFirst);
  const [worstOfB] = enrichedTags(b, name).sort(worstFirst);
  if (worstOfA === undefined || worstOfB === undefined)
    return Number(worstOfA === undefined) - Number(worstOfB === undefined);
  return worstFirst(worstOfA, worstOfB);
}

/** Worst first. */
export const levels: readonly TagLevel[] = [TagLevel.error, TagLevel.warning, TagLevel.info, TagLevel.none];

function worstFirst(a: Tag, b: Tag): number {
  return levels.indexOf(a.level) - levels.indexOf(b.level) || a.label.localeCompare(b.label, 'en');
}
