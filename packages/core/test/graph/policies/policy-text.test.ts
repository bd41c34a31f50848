import { describe, expect, test } from '@jest/globals';
import { parsePolicy } from '../../../src/graph/policies/parse-policy.ts';
import { hasBlocks, policyText, ruleText } from '../../../src/graph/policies/policy-text.ts';

const whole = `path "kv/x" {
  capabilities = ["read", "update"]
  allowed_parameters = {
    "a" = ["x", 1, true]
  }
  denied_parameters = {
    "b" = []
  }
  required_parameters = ["a"]
  min_wrapping_ttl = "60s"
  max_wrapping_ttl = "3600s"
  expiration = "2027-01-01T00:00:00Z"
}
`;

describe('the text of a policy', () => {
  test('is what it was read from', () => {
    expect(policyText(parsePolicy(whole))).toBe(whole);
  });

  test('of a rule without limits is short', () => {
    expect(ruleText({ path: 'a/"b"', capabilities: [] })).toBe('path "a/\\"b\\"" {\n  capabilities = []\n}');
  });

  test('is none where a limit is not modeled, or a value is a block', () => {
    expect(policyText(parsePolicy('path "a" { control_group = { x = 1 } }'))).toBeUndefined();
    expect(
      policyText(parsePolicy('path "a" { allowed_parameters = { "b" = [{ c = 1 }] } }')),
    ).toBeUndefined();
  });

  test('in JSON has no place for one more block', () => {
    expect(hasBlocks('path "a" { capabilities = ["read"] }')).toBe(true);
    expect(hasBlocks('{"path": {"a": {"capabilities": ["read"]}}}')).toBe(false);
  });
});
