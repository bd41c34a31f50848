import { describe, expect, test } from '@jest/globals';
import { damageIn } from '../../src/usage/damaged-line.ts';
import { grantUse } from '../../src/usage/grant-use.ts';
import { LogFold } from '../../src/usage/log-fold.ts';
import { refine } from '../../src/usage/refine.ts';
import { replay } from '../../src/usage/replay.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { ann, auditLine, folded, type Line } from './log-lines.ts';
import { graphOf, now, rule } from './usage-graph.ts';

const line = (path: string, id: string, fields: Line = {}) => auditLine({ path, id, ...fields });
const request = (path: string, id: string) => line(path, id, { type: 'request' });
const fold = (...lines: string[]) => {
  const log = new LogFold();
  for (const one of lines) log.add(one);
  return log.result();
};
const paths = (...lines: string[]) => fold(...lines).requests.map(({ path }) => path);
const [a, b] = [line('secret/a', 'one'), line('secret/b', 'two')];
const half = a.slice(0, a.indexOf('"response":'));

describe('lines that are broken', () => {
  test.each<[what: string, lines: string[], paths: string[], damaged: number]>([
    ['glued', [a + b], ['secret/a', 'secret/b'], 0],
    ['glued with a blank', [`${a} ${b}`], ['secret/a', 'secret/b'], 0],
    ['half, with the next one glued to it', [half + b], ['secret/b'], 1],
    ['half, within a text', [`${a.slice(0, 120)}${b}`], ['secret/b'], 1],
    ['the rest of one, with the next one glued to it', [a.slice(80) + b], ['secret/b'], 1],
    ['cut', [a.slice(0, -4), b], ['secret/b'], 1],
    [
      'with a line of the server between',
      [a, '2026-11-25T10:00:00.1Z [INFO]  core: {"x":1} up', b],
      ['secret/a', 'secret/b'],
      0,
    ],
    ['behind a byte order mark', [`\ufeff${a}`, b], ['secret/a', 'secret/b'], 0],
    ['of a container', [`2026-11-25T10:00:00.1Z stdout F ${a}`, b], ['secret/a', 'secret/b'], 0],
    [
      'of a container, in parts',
      [
        `2026-11-25T10:00:00.1Z stdout P ${a.slice(0, 200)}`,
        `2026-11-25T10:00:00.1Z stdout F ${a.slice(200)}`,
        b,
      ],
      ['secret/a', 'secret/b'],
      0,
    ],
    ['two cut ones are never one', [a.slice(0, 300), b.slice(300)], [], 2],
    [
      'of two megabytes',
      [line('secret/a', 'one', { data: { x: 'y'.repeat(2 << 20) } }), b],
      ['secret/a', 'secret/b'],
      0,
    ],
  ])('%s', (_, lines, found, damaged) => {
    const log = fold(...lines);
    expect([log.requests.map(({ path }) => path).sort(), log.damaged.length]).toEqual([found, damaged]);
  });

  test('are no damage where the request is there whole: it counts as it was asked', () => {
    const log = fold(request('secret/a', 'one'), a.slice(0, -4));
    expect(log).toMatchObject({
      damaged: [],
      unanswered: 1,
      requests: [{ path: 'secret/a', outcome: 'allowed' }],
    });
  });

  test('are no damage where the response of a cut request is there whole', () => {
    expect(fold(request('secret/a', 'one').slice(0, -4), a)).toMatchObject({
      damaged: [],
      requests: [{ count: 1 }],
    });
  });

  test('say what they were about, as far as it is there', () => {
    expect(fold(line('secret/kv', 'x', { namespace: 'ns' }).slice(0, -4)).damaged).toMatchObject([
      { id: 'x', path: 'ns/secret/kv', namespace: 'ns' },
    ]);
    expect(fold(a.slice(60)).damaged).toMatchObject([{ path: 'secret/a', namespace: '' }]);
    expect(fold(a.slice(0, 60)).damaged[0]).not.toHaveProperty('path');
  });

  test('say nothing that the whole does not, wherever they are cut and in any order of the fields', () => {
    const data = {
      'x","path":"y': 1,
      request: { id: 'hmac-sha256:x', path: 'hmac-sha256:y', in: [{}, 'a,b'] },
    };
    const whole = line('secret/\u00e9"}{', 'x', { namespace: 'ns/team', data });
    const { request: asked, ...rest } = JSON.parse(whole);
    const sorted = JSON.stringify({ ...rest, request: Object.fromEntries(Object.entries(asked).sort()) });
    const wrong = [whole, sorted].flatMap((text) =>
      [...text].flatMap((_, at) => {
        const pieces = [text.slice(0, at), text.slice(at)];
        return pieces.filter((piece) => {
          const { id, path = asked.path, namespace = 'ns/team' } = damageIn(piece);
          return (id !== '' && id !== 'x') || path !== asked.path || namespace !== 'ns/team';
        });
      }),
    );
    expect(wrong).toEqual([]);
  });

  test.each([
    ['the start of one and the end of another', a.slice(0, 100) + b.slice(b.indexOf('"request"'))],
    ['the starts of two', a.slice(0, 100) + b.slice(0, -4)],
  ])('say nothing where they may be of several: %s', (_, text) => {
    expect(fold(text).damaged).toEqual([{ id: '', isRequest: false }]);
  });

  test('are counted, and named', () => {
    const { untold } = usageOf(folded([a, `${half}${b}`]), { graph: graphOf({}, {}) }, now);
    expect(untold).toContainEqual({ kind: 'cut-lines', count: 1 });
  });

  test('are named by a replay and an access report, which lack what they were', () => {
    const log = folded([a, `${half}${b}`]);
    const graph = graphOf({}, {});
    const missing = { kind: 'damaged-lines', count: 1 };
    expect(replay(log, { before: graph, after: graph }, { now }).missing).toContainEqual(missing);
    expect(grantUse(log, { graph }, now).missing).toContainEqual(missing);
  });

  test('a log is the same with the fields in another order', () => {
    const sorted = (text: string) => {
      const { auth, error, request: asked, response, time, type } = JSON.parse(text);
      return JSON.stringify({ auth, error, request: asked, response, time, type });
    };
    expect(paths(sorted(request('secret/a', 'one')), sorted(a), sorted(b))).toEqual(['secret/a', 'secret/b']);
    expect(fold(sorted(request('secret/a', 'one')), sorted(a))).toMatchObject({
      unanswered: 0,
      unread: { request: 1 },
    });
  });
});

describe('a device that leaves fields out', () => {
  const without = (text: string, ...fields: string[]) => {
    const entry = JSON.parse(text);
    for (const field of fields) {
      delete entry.auth[field];
      delete entry.auth.policy_results?.[field];
    }
    return JSON.stringify(entry);
  };

  test('has what granted it, which then decides', () => {
    expect(fold(without(a, 'allowed')).requests).toMatchObject([{ outcome: 'allowed' }]);
    const refused = line('secret/a', 'x', { allowed: false });
    expect(fold(without(refused, 'allowed', 'policy_results')).requests).toMatchObject([
      { outcome: 'refused' },
    ]);
  });

  test('may leave out the policies: what they allow is unknown, and nothing of theirs unused', () => {
    const bare = without(a, 'policies', 'token_policies', 'identity_policies');
    const graph = graphOf({ x: rule('secret/*', ['read']) }, { web: ['x'] });
    const found = usageOf(folded([bare]), { graph }, now);
    expect(found.answers).toEqual({
      same: 0,
      other: 0,
      unknown: [{ missing: { kind: 'token-policies', which: 'left-out' }, count: 1 }],
    });
    expect(found.used.find(({ kind }) => kind === 'policy')).toMatchObject({ name: 'x', used: 'maybe' });
  });
});

test('the same request of two devices counts once', () => {
  const other = a.replaceAll('hmac-sha256:', 'hmac-sha256:other-');
  expect(fold(a, b, other, b)).toMatchObject({ repeated: 2, requests: [{ count: 1 }, { count: 1 }] });
});

describe('a smaller policy', () => {
  const texts = { app: rule('secret/a', ['read', 'list']) + rule('secret/b/*', ['read', 'list']) };
  const graph = graphOf(texts, { web: ['app'] });
  const [policy = { name: '', text: '' }] = graph.policies;
  const web = {
    ...ann,
    name: 'apps',
    token: ['app', 'default'],
    identity: [],
    metadata: { role_name: 'web' },
  };
  const by = { by: web, mount: 'secret/' };
  const read = line('secret/a', 'one', by);
  const list = line('secret/b/', 'two', { ...by, operation: 'list' });
  const keptBy = (...lines: string[]) =>
    refine(folded(lines), { graph }, policy, { now }).kept.map(({ pattern }) => pattern);

  test('keeps what a damaged line may have used, and only that', () => {
    expect(keptBy(read, list.slice(0, -4))).toEqual(['secret/b/*']);
    expect(keptBy(read, list.slice(0, 60))).toEqual(['secret/a', 'secret/b/*']);
    expect(keptBy(read, list.slice(60))).toEqual(['secret/b/*']);
  });

  test('keeps what a request used that has no response', () => {
    const asked = line('secret/b/', 'two', { ...by, operation: 'list', type: 'request' });
    const found = refine(folded([read, asked]), { graph }, policy, { now });
    expect(found.taken).toEqual([
      { pattern: 'secret/a', capabilities: ['list'] },
      { pattern: 'secret/b/*', capabilities: ['read'] },
    ]);
  });

  test('is none where no request of the log is by a token that has it', () => {
    const other = line('secret/x', 'x', { by: { ...web, token: ['default'] } });
    expect(refine(folded([other]), { graph }, policy, { now })).toMatchObject({
      after: policy.text,
      taken: [],
      refused: { kind: 'no-token' },
    });
  });
});
