import { describe, expect, test } from '@jest/globals';
import type { AskedRequest } from '../../src/usage/logged-request.ts';
import { type JudgedService, RequestJudge } from '../../src/usage/request-judge.ts';
import type { UsageReason } from '../../src/usage/usage-reason.ts';
import { graphOf, now } from '../review/graphs.ts';
import { hash } from './audit-lines.ts';
import { rule } from './usage-graph.ts';

/** A service whose only policy is `p`. */
function judge(text: string, fields: Omit<Partial<JudgedService>, 'graph'> = {}) {
  const judged = new RequestJudge({ graph: graphOf({ policies: [{ name: 'p', text }] }), ...fields }, now);
  return (asked: Partial<AskedRequest>, policies = ['p'], entity = 'e-1') =>
    judged.judge(policies, entity, { operation: 'read', path: 'kv/a', fields: {}, ...asked });
}

const unknown = (missing: UsageReason) => ({ answer: 'unknown', because: { kind: 'unknown', missing } });

describe('a request is', () => {
  test('allowed, with the pattern that decides and the policies that name it', () => {
    expect(judge(rule('kv/*', ['read']))({})).toEqual({
      answer: 'allowed',
      pattern: 'kv/*',
      policies: ['p'],
    });
  });

  test('refused, with why', () => {
    const asking = judge([rule('kv/*', ['read']), rule('kv/no', ['deny'])].join('\n'));
    expect(asking({ path: 'other' })).toEqual({
      answer: 'refused',
      policies: [],
      because: { kind: 'no-rule' },
    });
    expect(asking({ path: 'kv/no' })).toMatchObject({
      answer: 'refused',
      because: { kind: 'denied' },
      pattern: 'kv/no',
    });
    expect(asking({ operation: 'update' })).toMatchObject({
      because: { kind: 'capability', capability: 'update' },
    });
  });

  test('by an entity that another one was merged into decided by its own id, which the log may not have', () => {
    const ids = { entity: { 'e-1': 'ann', 'e-old': 'ann', 'e-2': 'bob' } };
    const asking = judge(rule('kv/{{identity.entity.id}}', ['read']), { ids });
    expect(asking({ path: 'kv/e-2' }, ['p'], 'e-2').answer).toBe('allowed');
    for (const id of ['e-old', 'e-1'])
      expect(asking({ path: `kv/${id}` }, ['p'], id)).toMatchObject(unknown({ kind: 'template' }));
    expect(judge(rule('kv/{{identity.entity.name}}', ['read']), { ids })({ path: 'kv/ann' }).answer).toBe(
      'allowed',
    );
  });

  test('allowed to root', () => {
    expect(judge('')({ operation: 'delete' }, ['root']).answer).toBe('allowed');
  });

  test('of a list decided at the folder', () => {
    expect(judge(rule('kv/a/', ['list']))({ operation: 'list', path: 'kv/a' }).answer).toBe('allowed');
    expect(judge(rule('kv/a/', ['list']))({ operation: 'list', path: 'kv/a/' }).answer).toBe('allowed');
  });

  test('unknown where the operation, or a policy, is not known', () => {
    expect(judge(rule('kv/*', ['read']))({ operation: 'renew' })).toMatchObject(
      unknown({ kind: 'capability-needed', operation: 'renew' }),
    );
    expect(judge(rule('kv/*', ['read']))({}, ['p', 'gone'])).toMatchObject(
      unknown({ kind: 'policy-text', policy: 'gone' }),
    );
    expect(judge('path {')({})).toMatchObject(unknown({ kind: 'policy-text', policy: 'p' }));
  });

  test('refused without sudo where the server itself says that a path needs it, and only there', () => {
    const asking = judge(rule('sys/*', ['read']), { sudo: ['/sys/own/{name}'] });
    expect(asking({ path: 'sys/own/x' })).toMatchObject({
      answer: 'refused',
      because: { kind: 'capability', capability: 'sudo' },
    });
    expect(asking({ path: 'sys/audit' }).answer).toBe('allowed');
  });

  test('refused without sudo where every server asks it, unknown where some do', () => {
    const asking = judge(rule('*', ['read']));
    expect(asking({ path: 'sys/audit' })).toMatchObject({
      because: { kind: 'capability', capability: 'sudo' },
    });
    expect(asking({ path: 'auth/token/revoke-orphan' })).toMatchObject(unknown({ kind: 'sudo' }));
    expect(asking({ path: 'sys/mounts' }).answer).toBe('allowed');
  });
});

describe('a template', () => {
  const text = rule('kv/{{identity.entity.name}}/*', ['read']);

  test('is filled with the name of the entity that asks', () => {
    const asking = judge(text, { ids: { entity: { 'e-1': 'alice' } } });
    expect(asking({ path: 'kv/alice/x' })).toMatchObject({
      answer: 'allowed',
      pattern: 'kv/{{identity.entity.name}}/*',
    });
    expect(asking({ path: 'kv/bob/x' }).answer).toBe('refused');
  });

  test.each(['e-2', 'constructor', '__proto__'])(
    'is unknown for an entity that is not known: %j',
    (entity) => {
      const asking = judge(text, { ids: { entity: { 'e-1': 'alice' } } });
      expect(asking({ path: 'kv/alice/x' }, ['p'], entity)).toMatchObject(unknown({ kind: 'template' }));
      expect(asking({ path: 'other' }, ['p'], entity).answer).toBe('refused');
    },
  );

  test('is passed over for a token without an entity (measured: OpenBao 2.7.2)', () => {
    expect(judge(text)({ path: 'kv/alice/x' }, ['p'], '').answer).toBe('refused');
  });

  test('with metadata is unknown where it may match', () => {
    const asking = judge(rule('kv/{{identity.entity.metadata.team}}/*', ['read']));
    expect(asking({ path: 'kv/a/x' }).answer).toBe('unknown');
  });
});

describe('a limit', () => {
  const limited = rule('kv/*', ['update'], 'allowed_parameters = { "x" = ["one", "two"] }');
  const hashes = new Map([
    ['one', hash('1')],
    ['two', hash('2')],
  ]);
  const update = (fields: Record<string, unknown>) => ({ operation: 'update', fields });

  test('of names is decided by the log alone', () => {
    expect(judge(limited)(update({ y: null }))).toMatchObject({
      answer: 'refused',
      because: { kind: 'parameters' },
    });
    expect(judge(limited)(update({})).answer).toBe('allowed');
  });

  test.each(['list', 'scan', 'delete'])(
    'is none of a %s, which has no fields (measured: OpenBao 2.7.2)',
    (operation) => {
      const limits = 'required_parameters = ["x"] denied_parameters = { "*" = [] }';
      expect(judge(rule('kv/*', [operation], limits))({ operation, fields: { y: 1 } }).answer).toBe(
        'allowed',
      );
    },
  );

  test('of values is unknown without the hashes of the device', () => {
    const missing = unknown({ kind: 'hashed-value' });
    expect(judge(limited)(update({ x: hash('1') }))).toMatchObject(missing);
    expect(judge(limited, { hashes })(update({ x: null }))).toMatchObject(missing);
    expect(judge(limited, { hashes })(update({ x: { in: hash('1') } }))).toMatchObject(missing);
  });

  test('of values is decided with them', () => {
    expect(judge(limited, { hashes })(update({ x: hash('2') })).answer).toBe('allowed');
    expect(judge(limited, { hashes })(update({ x: hash('3') })).answer).toBe('refused');
  });

  test('of a pattern cannot be compared with a hash', () => {
    const text = rule('kv/*', ['update'], 'allowed_parameters = { "x" = ["one", "tw*"] }');
    expect(judge(text, { hashes })(update({ x: hash('3') })).answer).toBe('unknown');
    expect(judge(text, { hashes })(update({ x: hash('1') })).answer).toBe('allowed');
  });

  test('counts a field of any name', () => {
    const fields = JSON.parse('{"__proto__":true}') as Record<string, unknown>;
    expect(judge(limited)(update(fields)).answer).toBe('refused');
  });

  test('of wrapping is that of the request', () => {
    const asking = judge(rule('kv/*', ['read'], 'min_wrapping_ttl = "30s"\nmax_wrapping_ttl = "90s"'));
    expect(asking({ wrapping: 60 }).answer).toBe('allowed');
    for (const wrapping of [20, 120])
      expect(asking({ wrapping })).toMatchObject({ because: { kind: 'wrapping' } });
    expect(asking({})).toMatchObject({ answer: 'refused', because: { kind: 'wrapping' } });
  });

  test('of another server is unknown', () => {
    const text = rule('kv/*', ['read'], 'control_group = { ttl = "1h" }');
    expect(judge(text)({})).toMatchObject(unknown({ kind: 'other-limit' }));
  });

  test('that expires is unknown', () => {
    const text = rule('kv/*', ['read'], 'expiration = "2030-01-01T00:00:00Z"');
    expect(judge(text)({})).toMatchObject(unknown({ kind: 'expiring-rule' }));
  });
});

test('watches the fields, and hashes the texts, that policies limit', () => {
  const text = rule(
    'kv/*',
    ['update'],
    'allowed_parameters = { "X" = ["one", "t*", 2] }\ndenied_parameters = { "y" = ["no"] }',
  );
  const judged = new RequestJudge({ graph: graphOf({ policies: [{ name: 'p', text }] }) }, now);
  expect([...judged.watched()].sort()).toEqual(['x', 'y']);
  expect([...judged.literals()].sort()).toEqual(['no', 'one']);
});
