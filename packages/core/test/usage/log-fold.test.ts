import { describe, expect, test } from '@jest/globals';
import type { FoldOptions } from '../../src/usage/folded-log.ts';
import { LogFold } from '../../src/usage/log-fold.ts';
import { alice, asked, deviceLine, hash, requestLine, responseLine, signInLine } from './audit-lines.ts';

function fold(lines: readonly string[], options?: FoldOptions) {
  const folded = new LogFold(options);
  // Each line is of a request of its own.
  for (const [at, line] of lines.entries()) folded.add(line.replace(asked.id, `request-${at}`));
  return folded.result();
}

const at = (time: string, fields: Parameters<typeof responseLine>[0] = {}) =>
  responseLine({ time: `2026-11-25T${time}Z`, ...fields });
const millis = (time: string) => Date.parse(`2026-11-25T${time}Z`);

describe('requests', () => {
  test('are one where they are equal, with the last and its id', () => {
    const lines = [at('10:00:00', { request: { id: 'one' } }), at('10:05:00', { request: { id: 'two' } })];
    const { requests } = fold([...lines, at('10:01:00', { request: { id: 'three' } })]);
    expect(requests).toMatchObject([{ count: 3, last: millis('10:05:00'), id: 'two' }]);
  });

  test.each([
    ['path', { request: { path: 'kv/b' } }],
    ['operation', { request: { operation: 'delete' } }],
    ['wrapping', { request: { wrap_ttl: 60 } }],
    ['field', { request: { data: { x: true } } }],
    ['answer', { auth: alice({ policy_results: { allowed: false } }) }],
    ['role', { auth: alice({ metadata: { role: 'writer' } }) }],
    ['group', { auth: alice({ identity_policies: [] }) }],
    ['person', { auth: alice({ display_name: 'staff-bob' }) }],
  ])('differ by %s', (_, fields) => {
    expect(fold([responseLine(), responseLine(fields)]).requests).toHaveLength(2);
  });

  test('stay in the order in which they were first seen', () => {
    const paths = ['kv/c', 'kv/a', 'kv/b', 'kv/a'];
    const { requests } = fold(paths.map((path) => responseLine({ request: { path } })));
    expect(requests.map(({ path }) => path)).toEqual(['kv/c', 'kv/a', 'kv/b']);
  });

  test('keep the values of watched fields only', () => {
    const line = responseLine({ request: { data: { X: hash('a'), y: hash('b') } } });
    const hashes = new Map([['a', hash('a')]]);
    const { requests } = fold([line], { watched: new Set(['x']), hashes });
    expect(requests[0]?.fields).toEqual({ X: hash('a'), y: null });
  });

  test('have fields of any name', () => {
    const line = responseLine({ request: { data: 'FIELDS' } }).replace(
      '"FIELDS"',
      '{"__proto__":1,"constructor":2}',
    );
    const [request] = fold([line], { watched: new Set(['__proto__']) }).requests;
    expect(Object.entries(request?.fields ?? {})).toEqual([
      ['__proto__', 1],
      ['constructor', null],
    ]);
  });

  test('are counted, not held, where too many differ; those that are held go on', () => {
    const lines = ['kv/a', 'kv/b', 'kv/c', 'kv/a'].map((path) => responseLine({ request: { path } }));
    const { requests, notHeld, entries } = fold(lines, { most: 2 });
    expect(requests.map(({ path, count }) => [path, count])).toEqual([
      ['kv/a', 2],
      ['kv/b', 1],
    ]);
    expect([notHeld, entries]).toEqual([1, 4]);
  });

  test('of other namespaces are counted', () => {
    const granting_policies = [{ name: 'shop', namespace_id: 'x', type: 'acl' }];
    const auth = alice({ policy_results: { allowed: true, granting_policies } });
    const line = responseLine({ auth, request: { namespace: { id: 'x', path: 'ns1/' } } });
    expect(fold([line])).toMatchObject({ otherNamespaces: 1, requests: [] });
    expect(fold([line], { namespace: 'ns1' }).requests).toMatchObject([{ path: 'kv/app' }]);
  });

  test('of older times do not count', () => {
    expect(fold([at('09:00:00'), at('11:00:00')], { since: millis('10:00:00') })).toMatchObject({
      entries: 1,
      lines: 2,
    });
  });
});

describe('a device that is made anew has another salt', () => {
  const write = (value: string) =>
    responseLine({ request: { operation: 'update', data: { x: value, n: 2 } } });
  const watched = new Set(['x', 'n']);

  test('so values that were hashed before are not held', () => {
    const hashes = new Map([['b', hash('b')]]);
    const { requests } = fold([write(hash('a')), deviceLine('2026-11-25T11:00:00Z'), write(hash('b'))], {
      watched,
      hashes,
    });
    expect(requests.map(({ fields }) => fields)).toEqual([
      { n: 2, x: null },
      { n: 2, x: hash('b') },
    ]);
  });

  test('and people stay who they were: no token is compared', () => {
    const other = { client_token: hash('f'), accessor: hash('e') };
    const lines = [
      responseLine(),
      deviceLine('2026-11-25T11:00:00Z'),
      responseLine({ auth: alice(other), request: other }),
    ];
    expect(fold(lines).requests).toMatchObject([{ count: 2 }]);
  });
});

describe('time', () => {
  test('without entries is a gap', () => {
    const { gaps, from, to } = fold([at('01:00:00'), at('01:30:00'), at('05:00:00')]);
    expect(gaps).toEqual([{ from: millis('01:30:00'), to: millis('05:00:00') }]);
    expect([from, to]).toEqual([millis('01:00:00'), millis('05:00:00')]);
  });

  test('of the longest gaps is kept', () => {
    const lines = Array.from({ length: 20 }, (_, day) =>
      responseLine({ time: `2026-10-${day + 1}T00:00:00Z`.replace(/-(\d)T/, '-0$1T') }),
    );
    expect(fold([...lines, responseLine({ time: '2026-12-01T00:00:00Z' })]).gaps).toHaveLength(10);
  });

  test('that jumps back is counted; a little disorder is not', () => {
    expect(fold([at('10:00:00'), at('09:59:30')]).backwards).toBe(0);
    expect(fold([at('10:00:00'), at('08:00:00')])).toMatchObject({
      backwards: 1,
      jumped: 0,
      from: millis('08:00:00'),
      to: millis('10:00:00'),
      gaps: [],
    });
  });

  test.each([
    ['ahead', '2031-01-01T00:00:00Z'],
    ['back', '1970-01-01T00:00:00Z'],
  ])('of a clock that jumps %s and returns is counted, and does not stretch the log', (_, time) => {
    const log = fold([at('10:00:00'), responseLine({ time }), at('10:00:01')]);
    expect(log).toMatchObject({ jumped: 1, from: millis('10:00:00'), to: millis('10:00:01'), gaps: [] });
    expect(log.requests[0]?.last).toBe(millis('10:00:01'));
  });

  test('of a write is the latest, in whatever order files come', () => {
    const write = { request: { operation: 'update', path: 'sys/policies/acl/Shop', mount_point: 'sys/' } };
    const { writes } = fold([at('11:00:00', write), at('10:00:00', write)]);
    expect([...writes]).toEqual([['sys/policies/acl/shop', millis('11:00:00')]]);
  });
});

describe('sign-ins', () => {
  test('are by principal and method', () => {
    expect(fold([signInLine(), signInLine()]).signIns).toMatchObject([
      { method: 'staff', count: 2, role: 'reader', who: { name: 'staff-alice' } },
    ]);
  });

  test('that are refused are counted by method, whatever its name', () => {
    const refused = (method: string, time: string) =>
      at(time, {
        error: 'permission denied',
        auth: {},
        request: { operation: 'update', path: `auth/${method}/login`, mount_point: `auth/${method}/` },
        response: {},
      });
    const { refusedSignIns } = fold([
      refused('__proto__', '10:00:00'),
      refused('__proto__', '09:00:00'),
      refused('staff', '10:00:00'),
    ]);
    expect(Object.entries(refusedSignIns)).toEqual([
      ['__proto__', { count: 2, last: millis('10:00:00') }],
      ['staff', { count: 1, last: millis('10:00:00') }],
    ]);
  });
});

test('what is no entry is counted by why', () => {
  const lines = [
    requestLine(),
    responseLine().slice(0, 100),
    'text',
    '{"a":1}',
    '<json:object>',
    responseLine(),
  ];
  expect(fold(lines)).toMatchObject({
    lines: 6,
    entries: 2,
    unanswered: 1,
    unread: { request: 1, cut: 1, 'not-json': 1, 'other-format': 2, 'in-clear': 0 },
  });
});

test('requests without a valid token are counted', () => {
  expect(fold([responseLine({ auth: {}, error: 'permission denied' })])).toMatchObject({
    withoutToken: 1,
    requests: [],
  });
});

describe('hashes of a device', () => {
  const hashes = new Map([
    ['prod', hash('1')],
    ['reader', hash('c')],
  ]);
  const values = (...files: string[][]) => {
    const folded = new LogFold({ watched: new Set(['env']), hashes });
    for (const [file, lines] of files.entries()) {
      for (const [at, line] of lines.entries()) folded.add(line.replace(asked.id, `request-${file}-${at}`));
      folded.endFile();
    }
    return folded.result().requests.map(({ fields }) => fields['env']);
  };
  const write = (env: string) => responseLine({ request: { data: { env } } });

  test('count where a sign-in shows that of its role', () => {
    expect(values([signInLine(), write(hash('2'))])).toEqual([hash('2')]);
  });

  test('count where a field shows one', () => {
    expect(values([write(hash('1'))])).toEqual([hash('1')]);
  });

  test('do not count for a log of another salt, nor where nothing shows', () => {
    const other = signInLine({ request: { data: { role: hash('9') } } });
    expect([values([other, write(hash('2'))]), values([write(hash('2'))])]).toEqual([[null], [null]]);
  });

  test('are told file by file: of two devices, those of one are known', () => {
    expect(values([signInLine(), write(hash('2'))], [write(hash('3'))])).toEqual([hash('2'), null]);
  });
});
