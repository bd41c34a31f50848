import { describe, expect, test } from '@jest/globals';
import { defaultPolicyChange, type SealStatus } from '../../../src/graph/policies/default-policy.ts';

const rule = (path: string, ...capabilities: string[]) =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }\n`;

/** openbao/openbao vault/policy_store.go at 2.0, `defaultPolicy`. */
const before26 = [
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
/** vault/policy/policy_store.go at 2.6. */
const openbao = before26.filter((one) => !one.includes('"sys/renew"'));
const controlGroup = rule('sys/control-group/request', 'update');
const vault = [...before26, controlGroup];
const embedded = [...before26.slice(0, 7), rule('sys/internal/ui/authenticated-messages', 'read')];

const ofOpenBao = { version: '2.7.2', commit_date: '2026-10-26T20:32:27Z', storage_type: 'inmem' };
const ofOlder = { version: '2.5.0', build_date: '2026-01-01T00:00:00Z' };
const ofVault = { version: '1.21.0+ent', build_date: '2025-10-01T00:00:00Z' };
const ofEmbedded = { version: '1.21.0+ent', storage_type: 'gatehouse' };

describe('the policy default', () => {
  test.each<[string, string[], SealStatus | undefined]>([
    ['OpenBao', openbao, ofOpenBao],
    ['an OpenBao that was set up before 2.6', before26, ofOpenBao],
    ['OpenBao 2.5', before26, ofOlder],
    ['Vault', vault, ofVault],
    ['a Vault that was set up before 1.9', vault.filter((one) => !one.includes('authorize')), ofVault],
    ['the embedded service', embedded, ofEmbedded],
    ['a Vault that does not say its version', vault, undefined],
    ['an OpenBao that does not say its version', openbao, undefined],
  ])('of %s is not changed', (_, rules, status) => {
    expect(defaultPolicyChange(rules.toReversed().join(''), status)).toBeUndefined();
  });

  test.each<[string, string[], SealStatus | undefined, note: string]>([
    [
      'has what another product comes with',
      [...openbao, controlGroup],
      ofOpenBao,
      'it adds update on "sys/control-group/request"; compared with that of OpenBao 2.7',
    ],
    [
      'has what a newer version comes with',
      before26.filter((one) => !one.includes('"sys/renew"')),
      ofOlder,
      'it leaves out update on "sys/renew"; compared with that of OpenBao 2.5',
    ],
    [
      'has another path and another capability',
      [...openbao, rule('secret/*', 'read', 'list'), rule('cubbyhole/*', 'read', 'sudo')],
      ofOpenBao,
      'it adds sudo on "cubbyhole/*"; read, list on "secret/*"; compared with that of OpenBao 2.7',
    ],
    [
      'has less on a path and more on another',
      [...openbao.slice(1), rule('a', 'read')],
      ofOpenBao,
      'it adds read on "a", and it leaves out read on "auth/token/lookup-self"; compared with that of OpenBao 2.7',
    ],
    [
      'has many others',
      [...openbao, ...['a', 'b', 'c', 'd', 'e'].map((path) => rule(path, 'read'))],
      ofOpenBao,
      'it adds read on "a"; read on "b"; read on "c"; 2 more; compared with that of OpenBao 2.7',
    ],
    [
      'has a limit',
      openbao.map((one) =>
        one.replace(/^(path "sys\/wrapping\/wrap" \{)/, '$1 required_parameters = ["a"]\n'),
      ),
      ofOpenBao,
      'it limits "sys/wrapping/wrap"; compared with that of OpenBao 2.7',
    ],
    ['is a comment', ['# nothing'], ofOpenBao, 'it is empty: tokens may not look themselves up'],
    ['is empty', [''], ofOpenBao, 'it is empty: tokens may not look themselves up'],
    ['cannot be read', ['path'], ofOpenBao, 'it cannot be read'],
    [
      'is of a service that does not say its version',
      [...vault, rule('a', 'read')],
      undefined,
      'it adds read on "a"; compared with that of any service, as this one does not say its version',
    ],
  ])('is changed where it %s', (_, rules, status, note) => {
    expect(defaultPolicyChange(rules.join(''), status)?.note).toBe(note);
  });

  test('is compared with the text of the service', () => {
    expect(defaultPolicyChange('', ofEmbedded)?.declared).toContain('sys/internal/ui/authenticated-messages');
    expect(defaultPolicyChange('', ofOpenBao)?.declared).not.toContain('authenticated-messages');
  });
});
