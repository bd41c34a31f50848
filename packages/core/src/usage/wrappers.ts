import { isObject } from '../graph/values/json.ts';
import type { Block } from './audit-blocks.ts';

/** A form in which a collector of logs passes on a line that it was given. */
export interface Wrapper {
  /** The name that people know the form by. */
  name: string;
  /** Where the line is in a record: names of fields, with `[]` where each of a list has one. */
  at: string;
  /** Whether the line goes on in the next record. Defaults to never. */
  isPart?: (record: Block, text: string) => boolean;
}

/** A line that was taken out of a record. */
export interface UnwrappedLine {
  text: string;
  /** Whether the next line of the same stream continues this one. */
  isPart: boolean;
  /** Tells streams apart whose parts may stand between each other. */
  stream: string;
}

/** Docker splits at 16 KB: a shorter line without its end is one that another collector has trimmed. */
const dockerChunk = 16_000;
const isTrue = (value: unknown) => value === true || value === 'true';
const hasNoEnd: Wrapper['isPart'] = (_, text) =>
  !text.endsWith('\n') && Buffer.byteLength(text) >= dockerChunk && !isWholeText(text);

/**
 * All forms that are read, the first that fits. A record of another form is read as well where some field of it holds an entry, as
 * a text or as an object.
 */
export const wrappers: readonly Wrapper[] = [
  {
    name: 'Docker `json-file`, Fluent Bit, FireLens (ECS)',
    at: 'log',
    isPart: (record, text) =>
      isTrue(record['partial_message'])
        ? !isTrue(record['partial_last'])
        : record['_p'] === 'P' || record['logtag'] === 'P' || hasNoEnd(record, text),
  },
  { name: 'Filebeat, Logstash, Vector, Datadog, ECS', at: 'message' },
  { name: 'ECS with the original', at: 'event.original' },
  { name: 'Elasticsearch hits', at: '_source.message' },
  { name: 'Elasticsearch hits with the original', at: '_source.event.original' },
  { name: 'Splunk HEC', at: 'event' },
  { name: 'Splunk raw', at: '_raw' },
  { name: 'Splunk export', at: 'result._raw' },
  { name: 'Loki `logcli`', at: 'line' },
  { name: 'Loki push', at: 'streams[].values[].1' },
  { name: 'Loki query', at: 'data.result[].values[].1' },
  { name: 'CloudWatch subscription', at: 'logEvents[].message' },
  { name: 'CloudWatch `filter-log-events`', at: 'events[].message' },
  { name: 'Google Cloud text', at: 'textPayload' },
  { name: 'Google Cloud JSON', at: 'jsonPayload' },
  { name: 'Google Cloud JSON with a message', at: 'jsonPayload.message' },
  {
    name: '`journalctl -o json`',
    at: 'MESSAGE',
    isPart: (record) => isTrue(record['CONTAINER_PARTIAL_MESSAGE']),
  },
  { name: 'rsyslog', at: 'msg' },
  { name: 'GELF', at: 'full_message' },
  { name: 'GELF without a full message', at: 'short_message' },
  { name: 'Azure Monitor', at: 'LogMessage' },
  { name: 'Azure diagnostics', at: 'records[].properties.log' },
  { name: 'OpenTelemetry', at: 'resourceLogs[].scopeLogs[].logRecords[].body.stringValue' },
];

/** Lines that are longer may be the middle of an entry, though nothing in them shows it. */
const longestOther = 4_000;
/** What an entry has, in JSON or within a text of JSON. */
const ofEntry = /\\*"(?:request|response|auth|type|time)\\*"\s*:|hmac-sha256:/;
/** What only an entry has, for JSON that is whole: other records have a time and a type, too. */
const onlyOfEntry = /\\*"(?:request|response|auth)\\*"\s*:|hmac-sha256:/;
const deepest = 8;
/** Journals have texts with control characters as lists of bytes. */
const bytesOf = (value: unknown): string | undefined =>
  Array.isArray(value) && value.length > 0 && value.every((byte) => Number.isInteger(byte))
    ? Buffer.from(value).toString('utf8')
    : undefined;

/**
 * Takes the lines out of a record of JSON, or out of a list of them.
 *
 * @returns undefined where it is of no form that is known, and nothing in it may be of an entry
 */
export function unwrapped(record: unknown): UnwrappedLine[] | undefined {
  if (Array.isArray(record)) {
    const all = record.map(unwrapped);
    return all.length > 0 && all.every((lines) => lines !== undefined) ? all.flat() : undefined;
  }
  if (!isObject(record)) return undefined;
  const forms = wrappers.map((wrapper) => ({ wrapper, values: valuesAt(record, wrapper.at) }));
  const form =
    forms.find(({ values }) => values.some(mayHoldEntry)) ??
    // What another form holds is not an entry by itself.
    (holdsEntry(record, deepest) ? undefined : forms.find(({ values }) => values.some(isText)));
  if (form === undefined) {
    const texts = entriesWithin(record, deepest);
    return texts.length === 0 ? undefined : texts.map((text) => ({ text, isPart: false, stream: '' }));
  }
  const { values, wrapper } = form;
  return values.flatMap((value) => {
    const text = textIn(value);
    if (text === undefined) return [];
    const isPart = wrapper.isPart?.(record, text) ?? false;
    return { isPart, stream: streamOf(record), text: text.replace(/\r?\n$/, '') };
  });
}

/** Whether a line that a collector passed on as a whole is of something else than an audit log. */
export function isOfOthers(text: string): boolean {
  if (text.length >= longestOther || onlyOfEntry.test(text) || text.trimStart().startsWith('<json'))
    return false;
  return !ofEntry.test(text) || isWholeText(text.trim());
}

function valuesAt(record: unknown, at: string): unknown[] {
  if (at === '') return [record];
  if (!isObject(record) && !Array.isArray(record)) return [];
  // Collectors may write a path of fields as the name of one.
  if (isObject(record) && Object.hasOwn(record, at)) return [record[at]];
  const [, name = '', list, rest = ''] = /^([^.[]+)(\[\])?\.?(.*)$/.exec(at) ?? [];
  const value = Object.hasOwn(record, name)
    ? Object.entries(record).find(([key]) => key === name)?.[1]
    : undefined;
  if (list === undefined) return valuesAt(value, rest);
  return Array.isArray(value) ? value.flatMap((element) => valuesAt(element, rest)) : [];
}

const isText = (value: unknown): boolean => typeof value === 'string' || bytesOf(value) !== undefined;

function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isEntry(value) ? JSON.stringify(value) : bytesOf(value);
}

/** Whether a value is an entry, as collectors have it that read JSON. */
export const isEntry = (value: unknown): boolean =>
  isObject(value) && isObject(value['request']) && typeof value['type'] === 'string';

function mayHoldEntry(value: unknown): boolean {
  if (isObject(value)) return isEntry(value);
  const text = textIn(value);
  return text !== undefined && ofEntry.test(text);
}

const holdsEntry = (value: unknown, depth: number): boolean => entriesWithin(value, depth).length > 0;

/** Texts of entries in any field, however deep. */
function entriesWithin(value: unknown, depth: number): string[] {
  if (mayHoldEntry(value)) return [textIn(value) ?? ''];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => entriesWithin(inner, depth - 1));
}

function streamOf(record: Block): string {
  const names = ['stream', 'source', 'container_id', 'CONTAINER_ID_FULL', 'partial_id'];
  return names.map((name) => (typeof record[name] === 'string' ? record[name] : '')).join(' ');
}

function isWholeText(text: string): boolean {
  if (!text.endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a line is a row of a table (CSV) with an entry in a cell. */
export const isOfTable = (line: string): boolean => /[{,]""(?:time|type|auth|request|response)"":/.test(line);

/** The cells of a row that hold entries; undefined for any other line, and for a row that is cut. */
export function cellsIn(line: string): string[] | undefined {
  if (!isOfTable(line) || !/^(?:"(?:[^"]|"")*"|[^",]*)(?:,(?:"(?:[^"]|"")*"|[^",]*))*\s*$/.test(line))
    return undefined;
  const cells = [...line.matchAll(/"((?:[^"]|"")*)"(?=,|\s*$)/g)].map(([, cell = '']) =>
    cell.replaceAll('""', '"'),
  );
  return cells.filter((cell) => onlyOfEntry.test(cell));
}
