import { describe, expect, test } from '@jest/globals';
import { platformAddress } from '../../run-tasks/src/client/run-client.ts';

describe('the address of a platform', () => {
  test.each([
    ['http://127.0.0.1:8300', 'http://127.0.0.1:8300'],
    ['https://gatehouse.example.com/', 'https://gatehouse.example.com'],
    ['https://example.com/gatehouse//', 'https://example.com/gatehouse'],
  ])('%s is used as %s', (given, used) => {
    expect(platformAddress(given)).toBe(used);
  });

  test.each(['gatehouse.example.com', '', 'ftp://example.com', 'https://me:pass-word@example.com'])(
    '%j is none, and the error has no password',
    (given) => {
      const read = () => platformAddress(given);
      expect(read).toThrow(expect.objectContaining({ code: 'address_invalid' }));
      expect(read).not.toThrow('pass-word');
    },
  );
});
