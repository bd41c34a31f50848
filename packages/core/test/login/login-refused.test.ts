import { expect, test } from '@jest/globals';
import { LoginReason, LoginRefused } from '../../src/login/login-refused.ts';

test('a refusal tells its step, its reason and the claim', () => {
  const refused = new LoginRefused(LoginReason.boundClaimDiffers, 'no', 'team');
  expect(refused).toMatchObject({
    name: 'LoginRefused',
    message: 'no',
    reason: 'bound_claims.differs',
    step: 'bound_claims',
    claim: 'team',
  });
});

test('a refusal does not look for where it was made, which takes its time', () => {
  expect(new LoginRefused(LoginReason.expired, 'no').stack).not.toContain('    at ');
});

test('after a refusal, other errors tell where they were made', () => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 7;
  new LoginRefused(LoginReason.expired, 'no');
  const after = Error.stackTraceLimit;
  Error.stackTraceLimit = stackTraceLimit;
  expect(after).toBe(7);
});
