import { describe, expect, test } from '@jest/globals';
import { randomFrom } from '../../../../test/harness/random-policies.ts';
import { LogFold } from '../../src/usage/log-fold.ts';
import { usageOf } from '../../src/usage/usage.ts';
import { ann, auditLine, signInLine } from './log-lines.ts';
import { graphOf, now, rule } from './usage-graph.ts';

const paths = ['a', 'b', 'c', 'd', 'e'].map((name) => `secret/${name}`);
const graph = graphOf(
  { app: paths.map((path) => rule(path, ['read'])).join('\n') },
  { web: ['app'], other: ['x'] },
);
const web = { ...ann, name: 'apps', token: ['app', 'default'], identity: [], metadata: { role_name: 'web' } };

function fold(lines: readonly string[]) {
  const log = new LogFold();
  for (const line of lines) log.add(line);
  return log.result();
}

const asked = (path: string) => auditLine({ path, id: `id of ${path}`, type: 'request', by: web });
const answered = (path: string) => auditLine({ path, id: `id of ${path}`, by: web });
const whole = paths.flatMap((path) => [asked(path), answered(path)]);
const unusedIn = (lines: readonly string[]) =>
  usageOf(fold(lines), { graph }, now).used.flatMap(({ kind, pattern, used }) =>
    kind === 'rule' && used === 'no' ? pattern : [],
  );

describe('a log that is damaged', () => {
  test('never says that what it used is not used', () => {
    const next = randomFrom(20_261_129);
    const wrong = Array.from({ length: 300 }, () => {
      const text = whole.join('\n');
      const damages = [
        // Bytes are lost anywhere.
        () => {
          const at = next(text.length);
          return text.slice(0, at) + text.slice(at + 1 + next(next(2) === 0 ? 12 : 700));
        },
        // Lines are cut at one length, as collectors do.
        () => {
          const length = 50 + next(700);
          return whole.map((line, at) => (at >= 4 ? line.slice(0, length) : line)).join('\n');
        },
        // Lines are glued.
        () => text.split('\n').reduce((all, line) => all + (next(3) === 0 ? '' : '\n') + line),
        // Lines are wrapped, and then cut.
        () =>
          whole
            .map((line) => JSON.stringify({ log: `${line}\n` }).slice(0, next(4) === 0 ? next(900) : 9_999))
            .join('\n'),
      ];
      return damages[next(damages.length)]?.() ?? '';
    }).filter((text) => {
      const lines = text.split('\n');
      const unused = unusedIn(lines);
      // Where both lines of a request are gone as a whole, nothing shows it.
      return unused.some((path) => text.includes(`of ${path}"`) || text.includes(`of ${path}\\"`));
    });
    expect(wrong).toEqual([]);
  });

  test('has each of its bytes in an entry, in another line, or among those that were not read', () => {
    const next = randomFrom(7);
    for (let round = 0; round < 300; round += 1) {
      const lines = whole.map((line) => (next(3) === 0 ? line.slice(next(line.length)) : line));
      const { bytes } = fold([...lines, '2026-11-25T10:00:00.1Z [INFO]  core: up', 'x']);
      const size = lines.reduce((sum, line) => sum + line.length + 1, 0) + 40 + 2;
      expect(bytes.entries + bytes.otherLines + bytes.unread).toBe(size);
    }
  });

  test.each([
    ['path', '"path":"secret/a"', '"path":"secret/"'],
    ['operation', '"operation":"read"', '"operation":"rea"'],
    ['policies', '["app","default"]', '["default"]'],
  ])('shows by its other line what a response lost that is JSON still: the %s', (_, text, less) => {
    const lines = [asked('secret/a'), answered('secret/a').replaceAll(text, less)];
    expect(fold(lines).damaged).toEqual([{ id: '', isRequest: false }]);
  });

  test('has two lines of one request that are both cut', () => {
    const lines = [...whole.slice(0, 8), ...whole.slice(8).map((line) => line.slice(0, 380))];
    expect(unusedIn(lines)).toEqual([]);
    expect(fold(lines).bytes.unread).toBe(2 * 381);
  });

  test('has a request that is cut, whose response is missing', () => {
    expect(unusedIn([...whole.slice(0, 8), asked('secret/e').slice(0, -9)])).toEqual([]);
  });

  test('has a response glued to its request', () => {
    expect(unusedIn([...whole.slice(0, 8), asked('secret/e') + answered('secret/e')])).toEqual([]);
    expect(unusedIn([...whole.slice(0, 8), asked('secret/d') + answered('secret/e')])).toEqual([]);
  });

  test('has a sign-in whose response is missing: of its method, no role is unused, and rules are', () => {
    const request = signInLine('apps', web, {
      type: 'request',
      signIn: undefined,
      by: undefined,
      granted: false,
    });
    const { used } = usageOf(fold([...whole.slice(0, 8), request]), { graph }, now);
    const of = (kind: string) => used.flatMap((one) => (one.kind === kind ? one.used : [])).sort();
    expect([of('role'), of('rule')]).toEqual([
      ['maybe', 'yes'],
      ['no', 'yes', 'yes', 'yes', 'yes'],
    ]);
  });
});
