import { expect, test } from '@jest/globals';
import { checkEnforced } from '../../src/policies/enforced.ts';

test.each([
  ['path "a" { mfa_methods = ["x"] }', 'path "a": mfa_methods is not supported by this service'],
  [
    'path "a" { control_group { factor "x" { controlled_capabilities = ["read"] identity { group_names = ["g"] approvals = 1 } } } }',
    'control_group is not supported by this service',
  ],
  ['path "a" { pagination_limit = 1 }', 'pagination_limit is not supported by this service'],
  [
    '{"path": {"a": {"capabilities": ["list"], "list_scan_response_keys_filter_path": "{{ .key }}"}}}',
    'list_scan_response_keys_filter_path is not supported by this service',
  ],
  ['path "a" { foo = 1 }', 'path "a": 1 error occurred:\n\t* invalid key "foo" on line 1'],
  ['path "a" { capabilities = ["red"] }', 'path "a": path "a": invalid capability "red"'],
  [
    'path "/a" { capabilities = ["subscribe", "deny"] }',
    'path "/a": path "/a": invalid capability "subscribe"',
  ],
])('%s is refused by the embedded service', (text, problem) => {
  expect(() => checkEnforced(text, 0n)).toThrow(problem);
});

test('what the embedded service enforces is not refused', () => {
  const text = 'path "a" { capabilities = ["update"] allowed_parameters { x = [] } expiration = "" }';
  expect(() => checkEnforced(text, 0n)).not.toThrow();
});
