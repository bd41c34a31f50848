import { describe, expect, test } from '@jest/globals';
import { whyRefused } from '../../../core/src/usage/why-refused.ts';
import { entryOf, graphOf, now, principal, rule, serviceOf } from '../../../core/test/usage/usage-graph.ts';
import type { ExplainedRequest } from '../../src/explain/explain-request.ts';
import { requestJson, requestText } from '../../src/explain/request-text.ts';
import { styleFor } from '../../src/terminal/style.ts';

const style = styleFor({}, {});
const base: ExplainedRequest = {
  id: 'r1',
  at: '2026-11-01T00:00:00.000Z',
  operation: 'read',
  path: 'kv/x',
  namespace: '',
  recorded: 'refused',
  why: { kind: 'no-rule' },
  policies: [],
  notes: [],
  missing: [],
  source: 'live',
};
const text = (given: Partial<ExplainedRequest>) => requestText({ ...base, ...given }, style);

describe('an explained request', () => {
  test.each<[ExplainedRequest['why'], string]>([
    [{ kind: 'no-rule' }, 'No rule of these policies matches the path.'],
    [
      { kind: 'denied' },
      'The rule for kv/* in policies app, "two words" decides. It denies everything there.',
    ],
    [{ kind: 'capability', capability: 'read' }, 'It does not give read.'],
    [{ kind: 'parameters' }, 'its limits on parameters refuse these fields.'],
    [{ kind: 'wrapping' }, 'It takes only requests for a wrapped response'],
    [{ kind: 'unknown', missing: { kind: 'sudo' } }, 'Why is not known: whether the path needs sudo.'],
    [{ kind: 'allowed' }, 'in policies app, "two words" decides.'],
    [{ kind: 'backend' }, 'answered with an error'],
    [{ kind: 'unchecked' }, 'No policy decides such a request.'],
    [{ kind: 'no-token' }, 'No valid token came with it'],
    [{ kind: 'sign-in', method: 'staff' }, 'auth/staff refused the sign-in. The log does not hold the role'],
    [{ kind: 'changed', now: 'refused' }, 'would have refused it.'],
  ])('says why: %j', (why, words) => {
    expect(text({ why, pattern: 'kv/*', policies: ['app', 'two words'] })).toContain(words);
  });

  test('names who asked as far as the log does', () => {
    const by = { name: 'staff-ann', entity: 'e1', role: 'reader', policies: ['app'] };
    expect(text({ by: { ...by, method: 'staff' } })).toContain(
      'Asked by staff-ann, signed in by role staff/reader\n  With policies app\n',
    );
    expect(text({ by })).toContain('role reader of a method that the log does not name');
    expect(text({ by: { ...by, name: '', role: '' } })).toContain('a token without a name, whose role');
  });

  test('has the namespace, notes, what was not read, and why there is no change', () => {
    const found = text({
      namespace: 'team',
      notes: [{ kind: 'before-policies' }],
      missing: ['policies'],
      noChange: 'no-pattern',
    });
    expect(found).toContain('Refused: read kv/x, namespace team, at 2026');
    expect(found).toContain(
      '? No pattern names this path alone. No change is proposed.\n  The service refused it before any policy was asked.\n? not known: policies\n',
    );
  });

  test('has the same as data and in words, as JSON', () => {
    const why = { kind: 'unknown' as const, missing: { kind: 'sudo' as const } };
    const json = requestJson({ ...base, why, notes: [{ kind: 'no-response' }], noChange: 'no-text' });
    expect(json).toMatchObject({
      why: { kind: 'unknown', missing: { kind: 'sudo', words: 'whether the path needs sudo' } },
      notes: [{ kind: 'no-response', words: 'The log has no response to it: how it ended is not known.' }],
      noChange: { kind: 'no-text', words: 'No text of a policy that they hold is known here.' },
    });
  });

  test('writes nothing on a terminal that a log chose', () => {
    expect(text({ path: 'kv/\u001b[2J\nx\u202e' })).toContain('Refused: read kv/[2J xU+202E, at');
    const missing = { id: 'a\nb', found: false, unread: 0, isDamaged: false } as const;
    expect(requestText(missing, style)).toMatch(/^No such request in these logs: a b\./);
  });

  test.each([
    [
      { unread: 2, isDamaged: false },
      '? not known: 2 lines could not be read, and it may be in one of them.',
    ],
    [{ unread: 2, isDamaged: true }, '? The logs have this request only in part: r1. Its lines are damaged.'],
  ])('says that a request may be in a line that was not read: %j', (lines, words) => {
    expect(requestText({ id: 'r1', found: false, ...lines }, style)).toContain(words);
  });

  test('says the change, what it allows in addition, and that no one else gains', () => {
    const limit = 'denied_parameters = { "b" = [] }';
    const graph = graphOf({ app: rule('kv/*', ['update'], limit) }, { web: ['app'] });
    const by = principal('web', ['app']);
    const entry = entryOf({ path: 'kv/x', operation: 'update', fields: { b: 'hmac-sha256:0' }, by });
    const moves = { mounts: [], arrived: [], unplaced: 0 };
    const signIns = [{ who: by, method: 'apps', role: 'web', count: 1, first: 1, last: 1 }];
    const found = whyRefused(entry, { signIns, writes: new Map(), moves }, serviceOf(graph), now);
    expect(text(found)).toContain(
      `The smallest change: policy app with this rule added.
  + path "kv/x" {
  +   capabilities = ["update"]
  + }
  1 role or group holds this policy.
  It allows any value of b: the log has values hashed.

Who gains by it: 1 principal gains access.`,
    );
    expect(text(found)).toContain('everyone who signs in by it gains. No one else does.');
  });
});
