import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { LogFold } from '../../src/usage/log-fold.ts';
import { refine } from '../../src/usage/refine.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { wrappers } from '../../src/usage/wrappers.ts';
import { ann, auditLine } from './log-lines.ts';
import { graphOf, now, rule } from './usage-graph.ts';

const time = '2026-11-25T10:00:00.1Z';

/** A record that has a value where a wrapper looks for it. */
function recordAt(at: string, value: unknown): Record<string, unknown> {
  const [, name = '', list, rest = ''] = /^([^.[]+)(\[\])?\.?(.*)$/.exec(at) ?? [];
  const inner = rest === '' ? value : rest === '1' ? ['1764064800000000000', value] : recordAt(rest, value);
  return { [name]: list === undefined ? inner : [inner], time, stream: 'stdout' };
}

const inTable: [name: string, wrap: (line: string) => string][] = wrappers.map(({ name, at }) => [
  name,
  (line) => JSON.stringify(recordAt(at, at === 'log' ? `${line}\n` : line)),
]);
const parsed = (line: string): unknown => JSON.parse(line);

/** Every form that is read: those of the table, what stands before a line, and records that hold entries otherwise. */
const forms: [name: string, wrap: (line: string) => string][] = [
  ...inTable,
  ['Kubernetes (CRI)', (line) => `${time} stdout F ${line}`],
  ['kubectl logs --prefix', (line) => `[pod/bao-0/bao] ${line}`],
  ['docker compose logs', (line) => `bao-1  | ${line}`],
  ['syslog, RFC 3164', (line) => `<134>Nov 25 10:00:00 host bao[1]: ${line}`],
  ['syslog, RFC 5424', (line) => `<134>1 ${time} host bao 1 - - ${line}`],
  ['journalctl -o export', (line) => `MESSAGE=${line}`],
  ['a table', (line) => `"${time}","${line.replaceAll('"', '""')}","x"`],
  ['journalctl -o json, as bytes', (line) => JSON.stringify({ MESSAGE: [...Buffer.from(line)] })],
  ['Google Cloud, as an object', (line) => JSON.stringify({ jsonPayload: parsed(line), logName: 'x' })],
  ['Splunk HEC, as an object', (line) => JSON.stringify({ time: 1, event: parsed(line) })],
  ['an object in any field', (line) => JSON.stringify({ a: { b: [{ c: parsed(line) }] } })],
  ['a text in any field', (line) => JSON.stringify({ a: { b: [{ c: line }] } })],
  [
    'fields of a collector beside',
    (line) => JSON.stringify({ kubernetes: { pod: 'x' }, ...Object(parsed(line)) }),
  ],
  ['a list of records', (line) => JSON.stringify([{ message: line }])],
  [
    'Docker within Filebeat',
    (line) => JSON.stringify({ message: JSON.stringify({ log: `${line}\n`, stream: 'stdout', time }) }),
  ],
];

const graph = graphOf(
  { app: rule('secret/a', ['read', 'list']) + rule('secret/b', ['read', 'list']) },
  { web: ['app'] },
);
const [policy = { name: '', text: '' }] = graph.policies;
const web = { ...ann, name: 'apps', token: ['app', 'default'], identity: [], metadata: { role_name: 'web' } };
const line = (path: string, id: string, type: 'request' | 'response' = 'response') =>
  auditLine({ path, id, type, by: web, at: id.length });
const pair = (path: string, id: string) => [line(path, id, 'request'), line(path, id)];
const [asked = '', answered = ''] = pair('secret/b', 'two');

function fold(lines: readonly string[]) {
  const log = new LogFold();
  for (const one of lines) log.add(one);
  return log.result();
}
const usedOf = (lines: readonly string[], pattern: string) =>
  usageOf(fold(lines), { graph }, now).used.find((one) => one.pattern === pattern)?.used;
const isTaken = (lines: readonly string[]) =>
  refine(fold(lines), { graph }, policy, { now }).taken.some(({ pattern }) => pattern === 'secret/b');

describe.each(forms)('a log that is passed on by %s', (_, wrap) => {
  test('is read as it is', () => {
    const log = fold([...pair('secret/a', 'one'), asked, answered].map(wrap));
    expect(log).toMatchObject({ entries: 2, damaged: [], bytes: { unread: 0 }, unanswered: 0 });
    expect(log.requests.map(({ path }) => path)).toEqual(['secret/a', 'secret/b']);
  });

  test('may stand beside lines that are as they were written', () => {
    expect(usedOf([...pair('secret/a', 'one'), wrap(asked), wrap(answered)], 'secret/b')).toBe('yes');
  });

  test.each([250, 450])('and is cut at %i leaves open what the cut lines used', (length) => {
    const lines = [...pair('secret/a', 'one'), wrap(asked).slice(0, length), wrap(answered).slice(0, length)];
    expect([usedOf(lines, 'secret/b') === 'no', isTaken(lines), fold(lines).bytes.unread > 0]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('and was cut before leaves open what the cut lines used', () => {
    const cut = [asked, answered].map((text) => text.slice(0, 300));
    const wrapped = cut.flatMap((text) => {
      try {
        return wrap(text);
      } catch {
        // What is cut is no object.
        return text;
      }
    });
    const lines = [...pair('secret/a', 'one'), ...wrapped];
    expect([usedOf(lines, 'secret/b') === 'no', isTaken(lines)]).toEqual([false, false]);
  });
});

describe('lines of something else', () => {
  test.each([
    `${time} [INFO]  core: seal configuration missing: {"x":1}`,
    '==> OpenBao server started! Log data will stream in below:',
    '             Api Address: http://127.0.0.1:8200',
    JSON.stringify({ '@level': 'info', '@message': 'up', '@module': 'core', '@timestamp': time }),
    JSON.stringify({ log: '10.0.0.1 GET /healthz 200\n', stream: 'stdout', time }),
    JSON.stringify({ message: '{"level":"info","time":"x"}' }),
    JSON.stringify({
      messageType: 'CONTROL_MESSAGE',
      logEvents: [{ message: 'CWL CONTROL MESSAGE: Checking health' }],
    }),
    `${time} stdout F GET /healthz`,
    '_HOSTNAME=bao-0',
  ])('are known by their form, and read: %s', (text) => {
    expect(fold([text, answered])).toMatchObject({
      entries: 1,
      otherLines: 1,
      damaged: [],
      bytes: { unread: 0 },
    });
  });

  test.each([
    ['a piece of an entry in the line of a server', `${time} [INFO]  core: up${answered.slice(300)}`],
    ['JSON of no form that is known', '{"a":1}'],
    ['an entry without its path', answered.replace('"path":', '"way":')],
    ['an entry whose path is hashed', answered.replace('secret/b', 'hmac-sha256:0f')],
    ['text that may be anything', 'secret/b'],
    ['another format in a record', JSON.stringify({ log: '<json:object name="auth">\n' })],
  ])('are not: %s', (_, text) => {
    const lines = [...pair('secret/a', 'one'), text];
    expect([usedOf(lines, 'secret/b'), isTaken(lines)]).toEqual(['maybe', false]);
  });
});

describe('a line that a collector split', () => {
  const long = auditLine({ path: 'secret/b', id: 'long', by: web, data: { x: 'A'.repeat(40_000) } });
  const chunks = [long.slice(0, 16_384), long.slice(16_384, 32_768), long.slice(32_768)];
  const [server] = [`${time} [INFO]  core: up`];

  test.each<[string, (chunk: string, isLast: boolean) => string]>([
    [
      'Docker',
      (chunk, isLast) => JSON.stringify({ log: isLast ? `${chunk}\n` : chunk, stream: 'stdout', time }),
    ],
    ['a runtime', (chunk, isLast) => `${time} stdout ${isLast ? 'F' : 'P'} ${chunk}`],
    [
      'FireLens',
      (chunk, isLast) =>
        JSON.stringify({ log: chunk, partial_message: 'true', partial_last: String(isLast) }),
    ],
    [
      'a journal',
      (chunk, isLast) =>
        JSON.stringify({ MESSAGE: chunk, ...(!isLast && { CONTAINER_PARTIAL_MESSAGE: 'true' }) }),
    ],
  ])('is put together: %s', (_, wrap) => {
    const lines = chunks.map((chunk, at) => wrap(chunk, at === 2));
    expect(fold(lines)).toMatchObject({ entries: 1, damaged: [], bytes: { unread: 0 } });
    // A line of a server comes by another stream.
    const mixed = [
      lines[0] ?? '',
      JSON.stringify({ log: `${server}\n`, stream: 'stderr', time }),
      ...lines.slice(1),
    ];
    expect(fold(mixed)).toMatchObject({ entries: 1, damaged: [], bytes: { unread: 0 } });
    expect(usedOf([...pair('secret/a', 'one'), ...lines.slice(0, 2)], 'secret/b')).not.toBe('no');
  });
});

test('each form of the table is in the docs', () => {
  const page = readFileSync(new URL('../../../../docs/usage.md', import.meta.url), 'utf8');
  expect(wrappers.filter(({ name, at }) => !page.includes(`|${name}|\`${at}\`|`))).toEqual([]);
});
