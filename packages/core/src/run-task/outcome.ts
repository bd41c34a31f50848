import { z } from 'zod';
import { cut } from '../graph/values/cut.ts';
import {
  largestBody,
  largestOutcomes,
  limits,
  longestReceived,
  longestReceivedUrl,
  mostOutcomes,
  mostTags,
} from './limits.ts';

/** How a tag is shown: all but `none` have a color and an icon (docs/inside/specification.md A4). */
export const TagLevel = { none: 'none', info: 'info', warning: 'warning', error: 'error' } as const;
export type TagLevel = (typeof TagLevel)[keyof typeof TagLevel];

const tag = z.object({ label: z.string(), level: z.enum(TagLevel) });
/** A label of an outcome. */
export type Tag = z.output<typeof tag>;

/** One thing that a task found (docs/inside/specification.md A3), as it is stored and shown. */
export const outcome = z.object({
  /** The integrator's identifier: a later outcome with the same one replaces it. */
  outcomeId: z.string(),
  /** One line. */
  description: z.string(),
  /** Markdown. From outside: sanitized before it is shown. */
  body: z.string().optional(),
  url: z.string().optional(),
  /** By name of the tag, for example `Severity`. */
  tags: z.record(z.string(), z.array(tag)).optional(),
});
/** One finding of a run task. */
export type Outcome = z.output<typeof outcome>;

/**
 * An outcome with the tags that platforms enrich (docs/inside/specification.md A3). With level `error` it is why its
 * task fails; the others say what was not checked, so they have no `Status`.
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

/** What a database does not store, NUL and half a surrogate pair, becomes U+FFFD. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Text that can be stored and shown, whatever came. */
const receivedText = z.string().transform(storable);
/** Every answer about a run repeats it, so it has an end. */
export const receivedLine = receivedText.transform((text) => cut(text, longestReceived));
export const receivedUrl = receivedText.transform((url) =>
  url.length > longestReceivedUrl ? undefined : url,
);
/** A name is compared, so it is never cut. */
const receivedName = z.string().min(1).max(longestReceived).pipe(receivedText);
const receivedLevel = z.enum(TagLevel).nullish();
const receivedTag = z.object({
  label: receivedLine,
  level: receivedLevel.transform((level) => level ?? TagLevel.none),
});

/** Reads one from the wire. It may exceed the published limits, within reason. */
export const receivedOutcome = z
  .object({
    type: z.literal('task-result-outcomes'),
    attributes: z.object({
      'outcome-id': receivedName,
      description: z.string().min(1).pipe(receivedLine),
      body: z.string().max(largestBody).pipe(receivedText).nullish(),
      url: receivedUrl.nullish(),
      tags: z
        .record(z.string().max(longestReceived).pipe(receivedText), z.array(receivedTag))
        .refine(
          (tags) => Math.max(Object.keys(tags).length, Object.values(tags).flat().length) <= mostTags,
          `at most ${mostTags} tags`,
        )
        .nullish(),
    }),
  })
  .transform(({ attributes: { 'outcome-id': outcomeId, description, body, url, tags } }): Outcome => {
    return { outcomeId, description, ...(body && { body }), ...(url && { url }), ...(tags && { tags }) };
  });

/** One line of text as it is sent. Beyond a published limit it is cut, and ends with `…`. */
export function sentLine(text: string, most: number): string {
  return cut(storable(text.replace(/\s*[\n\r]\s*/g, ' ')), most);
}

/** An outcome within every published limit: text beyond one is cut, and ends with `…`; further tags are left out. */
export function sentOutcome({ outcomeId, description, body, url, tags }: Outcome): Outcome {
  return {
    outcomeId: sentLine(outcomeId, limits.outcomeId),
    description: sentLine(description, limits.description),
    ...(body === undefined ? {} : { body: cut(storable(body), limits.body) }),
    ...(url === undefined || url.length > limits.url || !URL.canParse(url) ? {} : { url }),
    ...(tags === undefined ? {} : { tags: sentTags(tags) }),
  };
}

function sentTags(tags: Record<string, Tag[]>): Record<string, Tag[]> {
  let left: number = limits.tags;
  const kept = Object.entries(tags).map(([name, entries]) => {
    const some = entries.slice(0, left);
    left -= some.length;
    const sent = some.map(({ label, level }) => ({ label: sentLine(label, limits.label), level }));
    return [storable(name), sent] as const;
  });
  return Object.fromEntries(kept.filter(([, entries]) => entries.length > 0));
}

/** An outcome as it is sent: within every published limit. */
export function outcomeToWire(outcome: Outcome) {
  const { outcomeId, ...attributes } = sentOutcome(outcome);
  return { type: 'task-result-outcomes', attributes: { 'outcome-id': outcomeId, ...attributes } };
}

/** The tags that get special handling, whatever their case (docs/inside/specification.md A3). */
export function enrichedTag(name: string): 'severity' | 'status' | undefined {
  const lower = name.toLowerCase();
  return lower === 'severity' || lower === 'status' ? lower : undefined;
}

/** Why a task cannot keep these outcomes, if it cannot. */
export function surplusOf(outcomes: readonly Outcome[]): string | undefined {
  if (outcomes.length > mostOutcomes) return `a task has at most ${mostOutcomes} outcomes`;
  const isTooLong = JSON.stringify(outcomes).length > largestOutcomes;
  return isTooLong ? `the outcomes of a task have at most ${largestOutcomes} characters` : undefined;
}
