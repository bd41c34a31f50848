import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pauseBefore, refusal } from '../src/service-error.ts';

test('the pause grows, is never nothing and never over ten seconds', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (retry, random) => {
        const milliseconds = pauseBefore(retry, undefined, random);
        expect(milliseconds).toBeGreaterThanOrEqual(100);
        expect(milliseconds).toBeLessThanOrEqual(10_000);
        expect(pauseBefore(retry + 1, undefined, random)).toBeGreaterThanOrEqual(milliseconds);
      },
    ),
  );
});

test('what the service asks for goes first, up to ten seconds', () => {
  expect(pauseBefore(1, 3)).toBe(3000);
  expect(pauseBefore(1, 3600)).toBe(10_000);
});

test('the refusal of a child of a token with few uses says how to do without one', () => {
  const request = { method: 'POST', path: 'auth/token/create', address: 'https://secrets.example.com:8200' };
  const { message } = refusal(request, 400, {
    errors: ['restricted use token cannot generate child tokens'],
  });
  expect(message).toContain('TERRAFORM_VAULT_SKIP_CHILD_TOKEN=true');
});
