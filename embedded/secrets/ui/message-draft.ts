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

/** The fields of the form, valid or not. */
export interface Draft {
  title: string;
  message: string;
  authenticated: string;
  type: string;
  /** A `datetime-local` value in UTC: `2026-12-01T02:00`. */
  start: string;
  /** Empty for no end. */
  end: string;
  linkTitle: string;
  linkUrl: string;
}

export type DraftField = keyof Draft;

/** Problems of a draft by field. */
export type Problems = Partial<Record<DraftField, string>>;

export function emptyDraft(now: bigint): Draft {
  const minute = 60_000_000_000n;
  return {
    title: '',
    message: '',
    authenticated: 'false',
    type: messageFields.type.default,
    start: localTime(formatInstant(now - (now % minute))),
    end: '',
    linkTitle: '',
    linkUrl: '',
  };
}

export function draftOfStored(stored: StoredMessage): Draft {
  const [link] = Object.entries(stored.link ?? {});
  return {
    title: stored.title,
    message: textOf(stored.message),
    authenticated: String(stored.authenticated),
    type: stored.type,
    start: localTime(stored.start_time),
    end: stored.end_time === null ? '' : localTime(stored.end_time),
    linkTitle: link?.[0] ?? '',
    linkUrl: link?.[1] ?? '',
  };
}

export function draftOfForm(form: URLSearchParams): Draft {
  const value = (name: DraftField) => form.get(name) ?? '';
  return {
    title: value('title').trim(),
    // Forms send CR LF.
    message: value('message').replaceAll('\r\n', '\n'),
    authenticated: value('authenticated') === 'true' ? 'true' : 'false',
    type: value('type'),
    start: value('start').trim(),
    end: value('end').trim(),
    linkTitle: value('linkTitle').trim(),
    linkUrl: value('linkUrl').trim(),
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

/** The body of a create or an update. An update replaces everything, so it repeats fields that the form does not have. */
export function bodyOf(draft: Draft, stored?: StoredMessage): { [name: string]: Json } {
  const { title, message, authenticated, type, start, end, linkTitle, linkUrl } = draft;
  const same = stored && draftOfStored(stored);
  const instant = (local: string) => formatInstant(instantOf(local) ?? 0n);
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
    // The form is less precise than the service, so an unchanged instant keeps its stored value.
    start_time: start === same?.start ? (stored?.start_time ?? '') : instant(start),
    end_time: end === '' ? null : end === same?.end ? (stored?.end_time ?? null) : instant(end),
    ...(linkUrl !== '' && { link: { [linkTitle]: linkUrl } }),
  };
}

/** The field that a refusal is about; undefined for the whole message. */
export function fieldOfRefusal(text: string): DraftField | undefined {
  if (/link parameter/.test(text)) return 'linkUrl';
  if (/start time must occur before end time|end_time/.test(text)) return 'end';
  if (/start_time/.test(text)) return 'start';
  if (/title parameter/.test(text)) return 'title';
  if (/message parameter/.test(text)) return 'message';
  return undefined;
}

/** Nanoseconds of a `datetime-local` value in UTC; undefined if it is not one. */
export function instantOf(local: string): bigint | undefined {
  const [, minutes, rest = ':00'] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$/.exec(local) ?? [];
  return minutes === undefined ? undefined : parseInstant(`${minutes}${rest}Z`);
}

/** An instant as the shortest `datetime-local` value, to the millisecond. */
export function localTime(instant: string): string {
  const parsed = parseInstant(instant);
  if (parsed === undefined) return '';
  const iso = new Date(Number(parsed / 1_000_000n)).toISOString();
  return iso.replace(/(?::00)?\.000Z$/, '').replace(/Z$/, '');
}
