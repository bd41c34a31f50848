import { describe, expect, test } from '@jest/globals';
import { method, policy, role } from './review/graphs.ts';
import { change, entries, graph } from './worlds.ts';

test('a graph has a node a line', () => {
  const found = graph(`
    method far oidc jwksUrl: https://far.example/k, tune: {maxLeaseTtl: 60}
    role build
    role far/staff a,b groupsClaim: groups, boundClaims: {ref: [main, "*"]}
    policy a: secret/* read,list; b deny
    policy c: path "x" {}
    group admins ops
    alias /admins far admins
    internal all - group:admins entity:ann
    entity ann ops
    approle apps/web ops token_ttl: 60
    made-token x ops
    complete groups roles:far`);
  expect(found).toEqual({
    methods: [
      { ...method('far', { jwksUrl: 'https://far.example/k' }), type: 'oidc', tune: { maxLeaseTtl: 60 } },
    ],
    roles: [
      role('build'),
      role('staff', {
        method: 'far',
        policies: ['a', 'b'],
        groupsClaim: 'groups',
        boundClaims: { ref: ['main', '*'] },
      }),
    ],
    policies: [policy('a', ['secret/*', 'read', 'list'], ['b', 'deny']), { name: 'c', text: 'path "x" {}' }],
    groups: [{ name: 'admins', policies: ['ops'] }],
    aliases: [{ name: '/admins', method: 'far', group: 'admins' }],
    messages: [],
    identities: [
      {
        kind: 'group',
        name: 'all',
        policies: [],
        members: ['group', 'entity'].map((kind) => ({ kind, name: kind === 'group' ? 'admins' : 'ann' })),
      },
      { kind: 'entity', name: 'ann', policies: ['ops'] },
    ],
    others: [
      expect.objectContaining({ method: 'apps', policies: ['ops'], lifetime: { token_ttl: 60 } }),
      { kind: 'token', name: 'x', address: 'x', policies: ['ops'], bounds: {} },
    ],
    complete: [{ list: 'groups' }, { list: 'roles', method: 'far' }],
  });
});

test('a change has lines of one side, and lines with an arrow', () => {
  const { before, after } = change(`
    role same
    - role gone
    + role new -
    ~ role r a boundSubject: x → a,b boundSubject: null, ttl: 60`);
  expect(before.roles).toEqual([
    role('same'),
    role('gone'),
    role('r', { policies: ['a'], boundSubject: 'x' }),
  ]);
  const [new_, r] = [role('new', { policies: [] }), role('r', { policies: ['a', 'b'], ttl: 60 })];
  expect(after.roles).toEqual([role('same'), new_, r]);
});

describe('a plan', () => {
  const sides = (text: string) =>
    entries(text).map((one) => {
      const { change, address } = one as { address: string; change: Record<string, unknown> };
      const { before, after, actions, ...marks } = change;
      const set = Object.entries(marks).filter(([, all]) => Object.keys(all as object).length > 0);
      return [address, (actions as string[]).join(), before, after, ...set.flat()];
    });

  test('has a resource a line, with the action that its sign says', () => {
    const group = { id: 'id-g', name: 'g', type: 'external', policies: ['a'] };
    const alias = { name: '/g', mount_accessor: 'acc-ci', canonical_id: 'id-g' };
    const user = { path: 'auth/x', data_json: '{"a":1}' };
    const all = `
      method ci
      + group g a
      ~ group g a → name: h
      -/+ alias /g ci g
      - generic_endpoint.e path: auth/x, data_json: '{"a":1}'`;
    expect(sides(all)).toEqual([
      [
        'vault_jwt_auth_backend.ci',
        'no-op',
        ...Array(2).fill({ path: 'ci', type: 'jwt', accessor: 'acc-ci' }),
      ],
      ['vault_identity_group.g', 'create', null, group],
      ['vault_identity_group.g', 'update', group, { ...group, name: 'h' }],
      ['vault_identity_group_alias.g', 'delete,create', alias, alias],
      ['vault_generic_endpoint.e', 'delete', user, null],
    ]);
  });

  test('marks what is known after apply, and what is sensitive', () => {
    const own = { backend: 'ci', role_name: 'r', role_type: 'jwt', user_claim: 'sub' };
    const hidden = { ...own, bound_subject: 'x' };
    expect(sides('~ role r a bound_subject!: x → token_policies?, bound_subject: y')).toEqual([
      ...[['vault_jwt_auth_backend_role.r', 'update', { ...hidden, token_policies: ['a'] }]].map((one) => [
        ...one,
        { ...own, bound_subject: 'y' },
        'after_unknown',
        { token_policies: true },
        'before_sensitive',
        { bound_subject: true },
      ]),
    ]);
  });
});

test.each([
  ['gruop x', 'there is no kind "gruop", in the line: gruop x'],
  ['role r a: [', 'in the line: role r a: ['],
  ['~ role r', 'only what changes has an arrow, and it needs one, in the line: ~ role r'],
  ['role r → s', 'only what changes has an arrow, and it needs one, in the line: role r → s'],
  ['policy p: a', '"a" is no path with capabilities, in the line: policy p: a'],
  ['role r a: 1,\n + role s', 'it ends with a comma and does not go on, in the line: role r a: 1'],
  ['role r "a":1', 'names have no quotes, in the line: role r "a":1'],
])('a line that says nothing is refused: %s', (line, why) => {
  expect(() => graph(`role fine\n${line}`)).toThrow(why);
});
