import { describe, expect, test } from '@jest/globals';
import { defaultPolicyChange } from '../../../src/graph/policies/default-policy.ts';

const rule = (path: string, ...capabilities: string[]) =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }\n`;

/** openbao/openbao vault/policy_store.go and hashicorp/vault vault/policy_store.go, `defaultPolicy`. */
const openbao = [
  rule('auth/token/lookup-self', 'read'),
  rule('auth/token/renew-self', 'update'),
  rule('auth/token/revoke-self', 'update'),
  rule('sys/capabilities-self', 'update'),
  rule('identity/entity/id/{{identity.entity.id}}', 'read'),
  rule('identity/entity/name/{{identity.entity.name}}', 'read'),
  rule('sys/internal/ui/resultant-acl', 'read'),
  rule('sys/renew', 'update'),
  rule('sys/leases/renew', 'update'),
  rule('sys/leases/lookup', 'update'),
  rule('cubbyhole/*', 'create', 'read', 'update', 'delete', 'list'),
  rule('sys/wrapping/wrap', 'update'),
  rule('sys/wrapping/lookup', 'update'),
  rule('sys/wrapping/unwrap', 'update'),
  rule('sys/tools/hash', 'update'),
  rule('sys/tools/hash/*', 'update'),
  rule('identity/oidc/provider/+/authorize', 'read', 'update'),
];
const vault = [...openbao, rule('sys/control-group/request', 'update')];
const embedded = [...openbao.slice(0, 7), rule('sys/internal/ui/authenticated-messages', 'read')];
/** What is in all of them. */
const shared = openbao.slice(0, 4);

describe('the policy default', () => {
  test.each([
    ['OpenBao', openbao],
    ['Vault', vault],
    ['the embedded service', embedded],
    ['no service more than this', shared],
  ])('of %s is not changed', (_, rules) => {
    expect(defaultPolicyChange(rules.join(''))).toBeUndefined();
  });

  test.each([0, 1, 2, 3])('is changed without its rule %i', (at) => {
    const path = shared[at]?.split('"')[1];
    expect(defaultPolicyChange(shared.toSpliced(at, 1).join(''))).toBe(`it leaves out ${path}`);
  });

  test('is changed by another path, and by another capability', () => {
    const rules = [...shared, rule('secret/*', 'read', 'list'), rule('cubbyhole/*', 'read', 'sudo')];
    expect(defaultPolicyChange(rules.join(''))).toBe(
      'it adds read, list on "secret/*"; sudo on "cubbyhole/*"',
    );
  });

  test('may both add and leave out', () => {
    expect(defaultPolicyChange([...shared.slice(0, 3), rule('a', 'read')].join(''))).toBe(
      'it adds read on "a", and it leaves out sys/capabilities-self',
    );
  });

  test('may be one that cannot be read', () => {
    expect(defaultPolicyChange('path')).toBe('it cannot be read');
  });
});
