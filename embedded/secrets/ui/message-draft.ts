import { encodeMessage, messageFields } from '../../../core/model/resources/custom-message.ts';
import { wireNameIn } from '../../../core/model/resources/field.ts';
import { formatInstant, parseInstant } from '../../../core/model/values/instant.ts';
import { isWebLink } from '../../../web/pages/content.ts';
import type { Json } from '../storage/storage.ts';
import { textOf, type WireMessage } from './shown-messages.ts';

/** A message as the service returns it (interface.md C, Read). */
export interface StoredMessage extends WireMessage {
  id: string;
  authenticated: boolean;
  start_time: string;
  end_time: string | null;
  /** Every other field of the table, by its name on the wire. */
  [field: string]: unknown;
}

/** Fields of the table that the form has. */
const inForm = ['title', 'message', 'type', 'authenticated', 'startTime', 'endTime', 'link'] as const;

/** Names on the wire of the fields that the form does not have: a save repeats them as they are stored. */
const kept: readonly string[] = Object.keys(messageFields)
  .filter((name) => !inForm.some((one) => one === name))
  .map((name) => wireNameIn(messageFields, name));

/** The fields of the form, with their labels. Instants are `datetime-local` values in UTC: `2026-12-01T02:00`. */
export const draftLabels = {
  title: 'Title',
  message: 'Text',
  authenticated: 'Who sees it',
  type: 'How it is shown',
  start: 'Starts (UTC)',
  end: 'Ends (UTC), empty for never',
  linkTitle: 'Text of a link',
  linkUrl: 'Where the link leads',
} as const;

export type DraftField = keyof typeof draftLabels;

/** What the form holds, valid or not. */
export type Draft = Record<DraftField, string>;

/** Problems of a draft by field. */
export type Problems = Partial<Draft>;

/** A new message begins now, to the minute, and is for everyone. */
export function emptyDraft(now: bigint): Draft {
  const start = formatInstant(now - (now % 60_000_000_000n));
  const type = messageFields.type.default;
  return draftOfStored({
    id: '',
    title: '',
    message: '',
    authenticated: false,
    type,
    start_time: start,
    end_time: null,
  });
}

export function draftOfStored(stored: StoredMessage): Draft {
  const [[linkTitle, linkUrl] = ['', '']] = Object.entries(stored.link ?? {});
  return {
    title: stored.title,
    message: textOf(stored.message),
    authenticated: String(stored.authenticated),
    type: stored.type,
    start: localTime(stored.start_time),
    end: localTime(stored.end_time ?? ''),
    linkTitle,
    linkUrl,
  };
}

export function draftOfForm(form: URLSearchParams): Draft {
  const names = Object.keys(draftLabels) as DraftField[];
  const trimmed = Object.fromEntries(names.map((name) => [name, form.get(name)?.trim() ?? ''])) as Draft;
  return {
    ...trimmed,
    // Forms send CR LF.
    message: (form.get('message') ?? '').replaceAll('\r\n', '\n'),
    authenticated: String(trimmed.authenticated === 'true'),
  };
}

/** All problems of a draft: the service reports only one at a time. */
export function problemsOf(draft: Draft): Problems {
  const { title, message, start, end, linkTitle, linkUrl } = draft;
  const problems: Problems = {};
  const [from, to] = [instantOf(start), instantOf(end)];
  if (title === '') problems.title = 'Give the message a title.';
  if (message.trim() === '') problems.message = 'Write what the message says.';
  if (from === undefined) problems.start = 'Say when it starts, for example 2026-12-01T02:00.';
  if (end !== '' && to === undefined) {
    problems.end = 'Enter a date with a time, or leave it empty for no end.';
  }
  if (from !== undefined && to !== undefined && to <= from) problems.end = 'The end must be after the start.';
  if (linkUrl !== '' && !isWebLink(linkUrl)) {
    problems.linkUrl = 'A link must begin with https:// or http://.';
  } else if (linkUrl === '' && linkTitle !== '') {
    problems.linkUrl = 'Say where the link leads, or remove its text.';
  }
  if (linkTitle === '' && linkUrl !== '') problems.linkTitle = 'Give the link a text.';
  return problems;
}

/** The body of a create or an update, which replaces everything: it repeats fields that the form does not have. */
export function bodyOf(draft: Draft, stored?: StoredMessage): { [name: string]: Json } {
  const { title, message, authenticated, type, start, end, linkTitle, linkUrl } = draft;
  const same = stored && draftOfStored(stored);
  // The form is less precise than the service, so an unchanged instant keeps its stored value.
  const instant = (local: string, before: string | undefined, kept: string | null | undefined) =>
    local === before ? (kept ?? null) : formatInstant(instantOf(local) ?? 0n);
  const others = kept.flatMap((name) => {
    const value = stored?.[name] ?? null;
    return value === null ? [] : [[name, value as Json] as const];
  });
  return {
    ...Object.fromEntries(others),
    title,
    message: encodeMessage(message),
    authenticated: authenticated === 'true',
    type,
    start_time: instant(start, same?.start, stored?.start_time),
    end_time: end === '' ? null : instant(end, same?.end, stored?.end_time),
    ...(linkUrl !== '' && { link: { [linkTitle]: linkUrl } }),
  };
}

/** What a refusal's text says of each field, in the order in which it is looked for. */
const refusals: [text: RegExp, field: DraftField][] = [
  [/link parameter/, 'linkUrl'],
  [/start time must occur before end time|end_time/, 'end'],
  [/start_time/, 'start'],
  [/title parameter/, 'title'],
  [/message parameter/, 'message'],
];

/** The field that a refusal is about; undefined for the whole message. */
export function fieldOfRefusal(given: string): DraftField | undefined {
  return refusals.find(([text]) => text.test(given))?.[1];
}

/** Nanoseconds of a `datetime-local` value in UTC; undefined if it is not one. */
export function instantOf(local: string): bigint | undefined {
  const [, minutes, rest = ':00'] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$/.exec(local) ?? [];
  return minutes === undefined ? undefined : parseInstant(`${minutes}${rest}Z`);
}

/** An instant as the shortest `datetime-local` value, to the millisecond; empty for none. */
export function localTime(instant: string): string {
  const parsed = parseInstant(instant);
  if (parsed === undefined) return '';
  const iso = new Date(Number(parsed / 1_000_000n)).toISOString();
  return iso.replace(/(?::00)?\.000Z$/, '').replace(/Z$/, '');
}
