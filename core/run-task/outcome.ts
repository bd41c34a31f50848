import { z } from 'zod';
import { cut } from '../model/values/cut.ts';
import { largestBody, limits, mostTags } from './limits.ts';

/** How a tag is shown: all but `none` have a colour and an icon (interface.md A4). */
export const TagLevel = { none: 'none', info: 'info', warning: 'warning', error: 'error' } as const;
export type TagLevel = (typeof TagLevel)[keyof typeof TagLevel];

export interface Tag {
  label: string;
  level: TagLevel;
}

/** One thing that a task found (interface.md A3). */
export interface Outcome {
  /** The integrator's identifier: a later outcome with the same one replaces it. */
  outcomeId: string;
  /** One line. */
  description: string;
  /** Markdown. From outside: sanitised before it is shown. */
  body?: string;
  url?: string;
  /** By name of the tag, for example `Severity`. */
  tags?: Record<string, Tag[]>;
}

/** On the wire, as we send one: within every published limit. */
const sentOutcome = z.strictObject({
  type: z.literal('task-result-outcomes'),
  attributes: z.strictObject({
    'outcome-id': z.string().min(1).max(limits.outcomeId),
    description: z.string().min(1).max(limits.description),
    body: z.string().max(limits.body).optional(),
    url: z.url().max(limits.url).optional(),
    tags: z
      .record(
        z.string().min(1),
        z.array(z.strictObject({ label: z.string().min(1).max(limits.label), level: z.enum(TagLevel) })),
      )
      .refine((tags) => Object.values(tags).flat().length <= limits.tags, `at most ${limits.tags} tags`)
      .optional(),
  }),
});
type SentOutcome = z.output<typeof sentOutcome>;

/** What a database does not store, NUL and half a surrogate pair, becomes U+FFFD. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Text that can be stored and shown, whatever came. */
export const receivedText = z.string().transform(storable);

/** As we receive one. It may exceed the published limits, within reason. */
export const receivedOutcome = z.looseObject({
  type: z.literal('task-result-outcomes'),
  attributes: z.looseObject({
    'outcome-id': z.string().min(1).pipe(receivedText),
    description: z.string().min(1).pipe(receivedText),
    body: z.string().max(largestBody).pipe(receivedText).nullish(),
    url: receivedText.nullish(),
    tags: z
      .record(
        receivedText,
        z.array(
          z.looseObject({
            label: receivedText,
            level: z
              .enum(TagLevel)
              .nullish()
              .transform((level) => level ?? TagLevel.none),
          }),
        ),
      )
      .refine(
        (tags) => Math.max(Object.keys(tags).length, Object.values(tags).flat().length) <= mostTags,
        `at most ${mostTags} tags`,
      )
      .nullish(),
  }),
});

export function outcomeFromWire({ attributes }: z.output<typeof receivedOutcome>): Outcome {
  const { 'outcome-id': outcomeId, description, body, url, tags } = attributes;
  return {
    outcomeId,
    description,
    ...(body ? { body } : {}),
    ...(url ? { url } : {}),
    ...(tags
      ? {
          tags: Object.fromEntries(
            Object.entries(tags).map(([name, entries]) => [
              name,
              entries.map(({ label, level }) => ({ label, level })),
            ]),
          ),
        }
      : {}),
  };
}

/** One line of text as it is sent. Beyond a published limit it is cut, and ends with `…`. */
export function sentLine(text: string, most: number): string {
  return cut(storable(text.replace(/\s*[\n\r]\s*/g, ' ')), most);
}

/** An outcome as it is sent. Text beyond a published limit is cut, and ends with `…`. */
export function outcomeToWire({ outcomeId, description, body, url, tags }: Outcome): SentOutcome {
  return sentOutcome.parse({
    type: 'task-result-outcomes',
    attributes: {
      'outcome-id': sentLine(outcomeId, limits.outcomeId),
      description: sentLine(description, limits.description),
      ...(body === undefined ? {} : { body: cut(storable(body), limits.body) }),
      ...(url === undefined || url.length > limits.url || !URL.canParse(url) ? {} : { url }),
      ...(tags === undefined ? {} : { tags: cutTags(tags) }),
    },
  });
}

function cutTags(tags: Record<string, Tag[]>): Record<string, Tag[]> {
  let left: number = limits.tags;
  const kept = Object.entries(tags).map(([name, entries]) => {
    const some = entries
      .slice(0, left)
      .map(({ label, level }) => ({ label: sentLine(label, limits.label), level }));
    left -= some.length;
    return [storable(name), some] as const;
  });
  return Object.fromEntries(kept.filter(([, entries]) => entries.length > 0));
}

/** The tags that get special handling, whatever their case (interface.md A3). */
export function enrichedTag(name: string): 'severity' | 'status' | undefined {
  const lower = name.toLowerCase();
  return lower === 'severity' || lower === 'status' ? lower : undefined;
}
