import { describe, expect, test } from '@jest/globals';
import { type AuditEntry, readAuditLine } from '../../src/usage/audit-line.ts';
import { alice, hash, requestLine, responseLine, signInLine } from './audit-lines.ts';

function read(line: string): AuditEntry {
  const entry = readAuditLine(line);
  if (typeof entry === 'string') throw new Error(entry);
  return entry;
}

describe('a line of a response', () => {
  test('says who asked for what, and with which answer', () => {
    expect(read(responseLine())).toMatchObject({
      at: Date.parse('2026-11-25T10:00:00.123Z'),
      operation: 'read',
      path: 'kv/app',
      mount: 'kv',
      outcome: 'allowed',
      failed: false,
      namespace: '',
      fields: {},
      by: { name: 'staff-alice', entity: 'e-alice', policies: ['default', 'ops', 'reader'] },
    });
  });

  test('may have the text of a device or of syslog before it', () => {
    for (const prefix of ['@audit: ', '<13>Nov 25 10:00:00 host bao[1]: ', '{app} '])
      expect(read(prefix + responseLine())).toEqual(read(responseLine()));
  });

  test('may end with a carriage return', () => {
    expect(read(`${responseLine()}\r`)).toEqual(read(responseLine()));
  });

  test('holds no token and no accessor', () => {
    for (const line of [responseLine(), signInLine()]) {
      const { fields: _, token, issued, ...rest } = read(line);
      expect(JSON.stringify(rest)).not.toContain('hmac-sha256');
      expect([token, issued?.token ?? '']).not.toContain(alice()['client_token']);
    }
  });

  test('is refused where no policy grants', () => {
    const auth = alice({ policy_results: { allowed: false } });
    expect(read(responseLine({ auth, error: 'permission denied' }))).toMatchObject({
      outcome: 'refused',
      failed: true,
    });
  });

  test('is decided by no policy where none is named', () => {
    expect(read(responseLine({ auth: alice({ policy_results: { allowed: true } }) })).outcome).toBe(
      'unchecked',
    );
  });

  test('names the mount without its namespace, as the path is', () => {
    const namespace = { id: 'x', path: 'ns1/' };
    const request = { namespace, mount_point: 'ns1/auth/staff/' };
    expect(read(signInLine({ request }))).toMatchObject({
      mount: 'auth/staff',
      namespace: 'ns1',
      issued: { role: 'reader', who: { name: 'staff-alice' } },
    });
  });

  test.each([
    ['of the namespace above', 'root'],
    ['of the same namespace', 'n'],
  ])('says whose policies granted it: a token %s', (_, namespace_id) => {
    const granting_policies = [{ name: 'shop', namespace_id, type: 'acl' }];
    const auth = alice({ policy_results: { allowed: true, granting_policies } });
    const line = responseLine({ auth, request: { namespace: { id: 'n', path: 'team/' } } });
    expect(read(line)).toMatchObject({ namespace: 'team', grantedIn: [{ id: namespace_id }] });
  });

  test('of Vault Enterprise names what is no policy of paths as well, which grants nothing', () => {
    const named = { name: 'shop', namespace_id: 'n', type: 'acl' };
    const line = (...granting_policies: object[]) =>
      read(responseLine({ auth: alice({ policy_results: { allowed: true, granting_policies } }) }));
    const nameless = [{ type: '' }, { name: 'hours', namespace_id: 'root', type: 'egp' }];
    expect(line(...nameless, named)).toMatchObject({ outcome: 'allowed', grantedIn: [{ id: 'n' }] });
    expect(line(...nameless)).toMatchObject({ outcome: 'unchecked', grantedIn: [] });
  });

  test('has the whole path where the router refused it below the mount', () => {
    const request = { path: 'a', mount_point: 'cubbyhole/' };
    expect(read(responseLine({ request })).path).toBe('cubbyhole/a');
  });

  test('keeps the path of a mount without its slash', () => {
    expect(read(responseLine({ request: { path: 'kv', operation: 'list' } })).path).toBe('kv');
  });

  test('of the service itself may have no id', () => {
    expect(read(responseLine({ request: { id: undefined } })).id).toBe('');
  });

  test('keeps names with line breaks and control letters as they are', () => {
    const name = 'staff-a\nb\u0000\u001b[31m\u2028';
    expect(read(responseLine({ auth: alice({ display_name: name }) })).by?.name).toBe(name);
  });

  test('has fields of any name', () => {
    const line = responseLine({ request: { data: 'FIELDS' } }).replace(
      '"FIELDS"',
      '{"__proto__":{"a":1},"x":2}',
    );
    expect(Object.keys(read(line).fields)).toEqual(['__proto__', 'x']);
  });

  test.each([null, [], 'text', 7])('is read where a block is %j', (odd) => {
    const line = responseLine({ auth: odd as never, request: { data: odd, namespace: odd, wrap_ttl: odd } });
    expect(read(line)).toMatchObject({ by: undefined, fields: {}, namespace: '' });
  });
});

describe('a line that is no entry', () => {
  test('of a request is left to its response', () => {
    expect(readAuditLine(requestLine())).toBe('request');
    expect(readAuditLine(`@audit: ${requestLine()}`)).toBe('request');
  });

  test.each([16_384, 900, 400, 20])('is cut, after %i letters', (length) => {
    const line = responseLine({ request: { data: { long: 'x'.repeat(20_000) } } });
    expect(readAuditLine(line.slice(0, length))).toBe('cut');
  });

  test('is the rest of a cut one', () => {
    const line = responseLine({ request: { data: { long: { in: 'x'.repeat(20_000) } } } });
    expect(readAuditLine(line.slice(16_384))).toBe('cut');
  });

  test.each([
    '{"type":"request","url":"/","status":200}',
    '{"time":"2026-11-25T10:00:00Z","type":"request","url":"/"}',
    '{"time":"2026-11-25T10:00:00Z","level":"info","msg":"up"}',
    '{"time":"yesterday","type":"response","request":{"operation":"read","path":"a"}}',
    '{}',
  ])('is of another service: %s', (line) => {
    expect(readAuditLine(line)).toBe('other-format');
  });

  test('is jsonx', () => {
    expect(readAuditLine('<json:object name="auth"><json:string name="type">response')).toBe('other-format');
  });

  test.each(['hvs.CAESIJ', 's.abc', 'hvb.AAAAAQ'])('has a token in clear: %s', (token) => {
    expect(readAuditLine(responseLine({ request: { client_token: token } }))).toBe('in-clear');
    expect(readAuditLine(responseLine({ auth: alice({ client_token: token }) }))).toBe('in-clear');
    expect(readAuditLine(signInLine({ response: { auth: alice({ client_token: token }) } }))).toBe(
      'in-clear',
    );
  });
});

test('accessors are in clear with `hmac_accessor` off, which is no log in clear', () => {
  const line = responseLine({
    auth: alice({ accessor: 'x1y2' }),
    request: { client_token_accessor: 'x1y2' },
  });
  expect(JSON.stringify(read(line))).not.toContain('x1y2');
});

test('hashed values of fields stay as they are: they are compared, never shown', () => {
  expect(read(responseLine({ request: { data: { x: hash('e') } } })).fields).toEqual({ x: hash('e') });
});
