import { describe, expect, test } from '@jest/globals';
import { auditBlocks, readAuditLine } from '../../src/usage/audit-line.ts';
import { alice, hash, requestLine, responseLine, signInLine } from './audit-lines.ts';

const refused = responseLine({
  auth: alice({ policy_results: { allowed: false } }),
  error: '1 error occurred:\n\t* permission "denied"},"error":"x\n\n',
});
const lines = [
  responseLine(),
  signInLine(),
  requestLine(),
  refused,
  `@audit: ${responseLine()}`,
  // Fields of people are called as parts of an entry are.
  responseLine({ request: { data: { a: 1, response: { auth: { b: 1 } }, request: { c: 1 }, error: 'x' } } }),
  responseLine({ response: { mount_type: 'kv', data: { a: {}, error: 'x' } } }),
  responseLine({ response: { mount_type: 'kv', data: { a: { b: {} }, error: hash('e') } }, error: 'no' }),
  responseLine({ auth: alice({ metadata: { role: 'a","request":{"id":"x' } }) }),
  responseLine({ auth: { token_type: 'default' } }),
  responseLine({ request: { client_token: 'hvs.in-clear' } }),
];

describe('parts of lines that are read once', () => {
  test('come to what each line says as a whole', () => {
    const blocks = auditBlocks();
    for (const line of [...lines, ...lines, ...lines.map((one) => `${one}\r`)])
      expect(readAuditLine(line, 'response', blocks)).toEqual(readAuditLine(line));
  });

  test('are not those of other lines, wherever a line is cut and another one follows it', () => {
    const blocks = auditBlocks();
    for (const line of lines) {
      for (let length = 0; length < line.length; length += 7) {
        for (const broken of [
          line.slice(0, length) + refused,
          line.slice(0, length),
          refused + line.slice(length),
        ])
          expect(readAuditLine(broken, 'response', blocks)).toEqual(readAuditLine(broken));
      }
    }
  });

  test('are read once for a token', () => {
    const blocks = auditBlocks();
    const [one, other] = [1, 2].map((port) =>
      readAuditLine(responseLine({ request: { remote_port: port } }), 'response', blocks),
    );
    expect(one).toHaveProperty('by', expect.anything());
    expect(typeof one === 'object' && typeof other === 'object' && one.by === other.by).toBe(true);
  });

  test('are another token where one letter differs', () => {
    const blocks = auditBlocks();
    const names = ['alice', 'alicf'].map((name) =>
      readAuditLine(responseLine({ auth: alice({ display_name: name }) }), 'response', blocks),
    );
    expect(names).toMatchObject([{ by: { name: 'alice' } }, { by: { name: 'alicf' } }]);
  });
});
