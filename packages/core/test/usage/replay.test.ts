import { describe, expect, test } from '@jest/globals';
import { replay } from '../../src/usage/replay.ts';
import {
  answers,
  groupOf,
  logOf,
  now,
  partOf,
  policyOf,
  replayed,
  roleOf,
  serviceOf,
  someone,
} from './replayed-log.ts';

const shop = 'secret/data/shop/db';
const before = serviceOf();
const log = logOf({ path: shop });

describe('a replay', () => {
  test('refuses nothing where nothing changes', () => {
    expect(answers(log, before, serviceOf())).toEqual([]);
  });

  test('refuses nothing where only a comment of a policy changes', () => {
    const [{ text = '' } = {}] = before.policies;
    const after = serviceOf({ policies: [{ name: 'shop', text: `# for the shop\n${text}` }] });
    expect(answers(log, before, after)).toEqual([]);
  });

  test('refuses what a policy no longer gives, with the rule that decided before', () => {
    const after = serviceOf({ policies: [policyOf('shop', 'secret/data/shop/*', 'list')] });
    const { refused } = replayed(log, { before, after });
    expect(refused).toMatchObject([
      {
        at: { method: 'ci', role: 'web' },
        was: 'secret/data/shop/*',
        because: { kind: 'capability', capability: 'read' },
      },
    ]);
  });

  test('refuses everything of a role that is deleted', () => {
    expect(answers(log, before, serviceOf({ roles: [] }))).toEqual(['refused: role web of auth/ci is gone']);
  });

  test('refuses everything of a method that is deleted, also where its roles are elsewhere', () => {
    const [was, is] = [partOf({ roles: [] }), partOf({ roles: [], methods: [] })];
    expect(answers({ ...log, signIns: signedIn() }, was, is)).toEqual(['refused: auth/ci is gone']);
  });

  test('does not know what narrower bounds let in', () => {
    const after = serviceOf({ roles: [roleOf({ boundClaims: { project: ['shop'], ref: ['main'] } })] });
    expect(answers(log, before, after)).toEqual([
      'unknown: role web of auth/ci has other bounds, and the log has no claims',
    ]);
  });

  test('does not know who people are by another claim', () => {
    const after = serviceOf({ roles: [roleOf({ userClaim: 'email' })] });
    expect(answers(log, before, after)).toEqual(['unknown: role web of auth/ci gives other tokens']);
  });

  test('does not know the entity of people whose method is made anew', () => {
    const replaced = [{ type: 'method' as const, name: 'ci' }];
    expect(answers(log, before, serviceOf(), { replaced })).toEqual([
      'unknown: auth/ci is made anew, and their entity with it',
    ]);
  });

  test('does not know what a policy allows that the plan hides', () => {
    const unknown = [{ type: 'policy' as const, name: 'shop', field: 'text' }];
    expect(answers(log, before, serviceOf(), { unknown })).toEqual(['unknown: what policy "shop" allows']);
  });

  test('does not know what a role gives that the plan hides', () => {
    const unknown = [{ type: 'role' as const, method: 'ci', name: 'web', field: 'policies' }];
    expect(answers(log, before, serviceOf(), { unknown })).toEqual([
      'unknown: what becomes of role web of auth/ci',
    ]);
  });

  test('names what of the change has no name yet', () => {
    const unknown = [{ type: 'policy' as const, name: 'vault_policy.made' }];
    expect(replayed(log, { before, after: serviceOf(), unknown })).toMatchObject({
      refused: [],
      missing: ['policy "vault_policy.made"'],
    });
  });

  test('counts what another rule allows', () => {
    const after = serviceOf({
      policies: [policyOf('shop', 'secret/data/*', 'read')],
    });
    expect(replayed(log, { before, after })).toMatchObject({ refused: [], unknown: [], byAnotherRule: 1 });
  });

  test('counts apart what the service refuses today already', () => {
    const [was, is] = [serviceOf({ policies: [] }), serviceOf({ policies: [policyOf('shop', 'x', 'read')] })];
    expect(replayed(log, { before: was, after: is })).toMatchObject({ refused: [], unknown: [], already: 1 });
  });

  test('leaves root tokens alone', () => {
    const root = someone({ name: 'root', entity: '', role: '', metadata: {}, tokenPolicies: ['root'] });
    expect(answers(logOf({ by: root, path: shop }), before, serviceOf({ roles: [], policies: [] }))).toEqual(
      [],
    );
  });

  test('does not know what tokens of tokens would have', () => {
    const child = someone({ name: 'token', role: '', metadata: {} });
    expect(answers(logOf({ by: child, path: shop }), before, serviceOf({ roles: [] }))).toEqual([
      'unknown: where the token is from',
    ]);
  });

  test('does not know what policies of other namespaces do', () => {
    const by = someone({ isElsewhere: true });
    const after = serviceOf({ policies: [policyOf('shop', shop, 'read')] });
    expect(answers(logOf({ by, path: shop }), before, after)).toEqual([
      'unknown: policies of other namespaces',
    ]);
  });

  test('knows little where policies are elsewhere', () => {
    const by = someone({ tokenPolicies: ['default', 'ops'] });
    const [was, is] = [
      partOf({ roles: [roleOf({ policies: ['shop', 'ops'] })] }),
      partOf({ roles: [roleOf({ policies: ['ops'] })] }),
    ];
    expect(answers(logOf({ by, path: shop }), was, is)).toEqual(['unknown: what policy "ops" allows']);
  });
});

describe('groups in a replay', () => {
  const inAdmins = someone({ tokenPolicies: ['default'], identityPolicies: ['ops'] });
  const ops = policyOf('ops', 'secret/data/ops/*', 'read');
  const roles = [roleOf({ policies: [] })];
  const opsLog = logOf({ by: inAdmins, path: 'secret/data/ops/a' });
  const withOps = { roles, policies: [ops] };
  const was = serviceOf({ ...withOps, ...groupOf('admins', 'ops') });

  test('refuse what their policy gave, where that is taken', () => {
    expect(answers(opsLog, was, serviceOf({ ...withOps, ...groupOf('admins') }))).toEqual([
      'refused: no-rule',
    ]);
  });

  test('do not tell whether another one elsewhere gives it', () => {
    const [from, to] = [
      partOf({ ...withOps, ...groupOf('admins', 'ops') }),
      partOf({ ...withOps, ...groupOf('admins') }),
    ];
    expect(answers(opsLog, from, to)).toEqual(['unknown: whether a group elsewhere gives policy ops']);
  });

  test('do not tell which of two people are in, where one loses a policy', () => {
    const two = (first: string[], second: string[]) =>
      serviceOf({
        ...withOps,
        groups: [
          { name: 'admins', policies: first },
          { name: 'support', policies: second },
        ],
        aliases: [
          { name: '/admins', method: 'ci', group: 'admins' },
          { name: '/support', method: 'ci', group: 'support' },
        ],
      });
    expect(answers(opsLog, two(['ops'], ['ops']), two([], ['ops']))).toEqual([
      'unknown: whether they are in group support',
    ]);
  });

  test('keep a policy that two of them gave, where both still do', () => {
    const two = (...names: string[]) =>
      serviceOf({
        roles,
        policies: [ops, ...names.map((one) => policyOf(one, 'other/*', 'read'))],
        groups: [
          { name: 'admins', policies: ['ops', ...names] },
          { name: 'support', policies: ['ops'] },
        ],
        aliases: [
          { name: '/admins', method: 'ci', group: 'admins' },
          { name: '/support', method: 'ci', group: 'support' },
        ],
      });
    expect(answers(opsLog, two(), two('more'))).toEqual([]);
  });

  test('deny what others give', () => {
    const deny = policyOf('never', 'secret/data/ops/*', 'deny');
    const after = serviceOf({ roles, policies: [ops, deny], ...groupOf('admins', 'ops', 'never') });
    expect(answers(opsLog, was, after)).toEqual(['refused: denied']);
  });

  test('deny perhaps, where they are new', () => {
    const deny = policyOf('never', 'secret/data/shop/*', 'deny');
    const [shopPolicy] = before.policies;
    const after = serviceOf({
      policies: [deny, ...(shopPolicy ? [shopPolicy] : [])],
      ...groupOf('new', 'never'),
    });
    expect(answers(log, before, after)).toEqual(['unknown: whether they are in group new']);
  });

  test('are not known to have people by another alias', () => {
    const after = serviceOf({
      ...withOps,
      groups: [{ name: 'admins', policies: ['ops'] }],
      aliases: [{ name: '/others', method: 'ci', group: 'admins' }],
    });
    expect(answers(opsLog, was, after)).toEqual(['unknown: whether they are in group admins']);
  });

  test('are not known to keep people whom the service still counts to them', () => {
    const identities = [
      { kind: 'entity' as const, name: 'alice', policies: [] },
      {
        kind: 'group' as const,
        name: 'admins',
        policies: [],
        members: [{ kind: 'entity' as const, name: 'alice' }],
      },
    ];
    const renamed = { ...groupOf('admins', 'ops'), aliases: [] };
    expect(
      answers(
        opsLog,
        serviceOf({ ...withOps, ...groupOf('admins', 'ops'), identities }),
        serviceOf({ ...withOps, ...renamed, identities }),
      ),
    ).toEqual(['unknown: whether they are in group admins']);
  });

  test('do not tell what they give where the plan hides it', () => {
    const unknown = [{ type: 'group' as const, name: 'admins', field: 'policies' }];
    expect(answers(opsLog, was, was, { unknown })).toEqual(['unknown: the policies of group admins']);
  });

  test('count as possible where their policies changed since', () => {
    const later = (...policies: string[]) =>
      serviceOf({
        roles,
        policies: [ops, policyOf('more', 'other/*', 'read')],
        ...groupOf('admins', ...policies),
      });
    expect(answers(opsLog, later('more', 'ops'), later('more'))).not.toEqual([]);
  });
});

describe('entities in a replay', () => {
  const by = someone({ tokenPolicies: ['default'], identityPolicies: ['ops'] });
  const ops = policyOf('ops', 'secret/data/ops/*', 'read');
  const given = { roles: [roleOf({ policies: [] })], policies: [ops] };
  const opsLog = logOf({ by, path: 'secret/data/ops/a' });
  const aliceWith = (...policies: string[]) => [{ kind: 'entity' as const, name: 'alice', policies }];

  test('lose what their policies gave', () => {
    const [was, is] = [
      serviceOf({ ...given, identities: aliceWith('ops') }),
      serviceOf({ ...given, identities: aliceWith() }),
    ];
    expect(answers(opsLog, was, is)).toEqual(['refused: no-rule']);
  });

  test('are not told by their id where no service was read', () => {
    const [was, is] = [
      partOf({ ...given, identities: aliceWith('ops') }),
      partOf({ ...given, identities: aliceWith() }),
    ];
    const { refused, unknown } = replay(opsLog, { before: was, after: is }, { now });
    expect([refused.length, unknown.length]).toEqual([0, 1]);
  });

  test('are others by another name', () => {
    const after = serviceOf({
      ...given,
      identities: [{ kind: 'entity', name: 'alicia', policies: ['ops'] }],
    });
    expect(answers(opsLog, serviceOf({ ...given, identities: aliceWith('ops') }), after)).toEqual([
      'unknown: whether they are still the same entity',
    ]);
  });

  test('leave a group of the service with their membership', () => {
    const team = (...members: { kind: 'entity'; name: string }[]) => [
      ...aliceWith(),
      { kind: 'group' as const, name: 'team', policies: ['ops'], members },
    ];
    const inside = serviceOf({ ...given, identities: team({ kind: 'entity', name: 'alice' }) });
    expect(answers(opsLog, inside, serviceOf({ ...given, identities: team() }))).toEqual([
      'refused: no-rule',
    ]);
  });
});

describe('AppRoles in a replay', () => {
  const by = someone({
    name: 'approle',
    role: 'app',
    metadata: { role_name: 'app' },
    tokenPolicies: ['default', 'shop'],
  });
  const appRole = (policies: string[], bounds: Record<string, unknown> = {}) => ({
    ...{
      identity: { type: 'otherRole', mount: 'approle', name: 'role app' },
      name: 'role "app" of auth/approle (approle)',
    },
    ...{ effect: 'gives' as const, method: 'approle', policies, bounds: { ...bounds, policies } },
  });
  const appLog = logOf({ by, path: shop });
  const was = serviceOf({ otherAccess: [appRole(['shop'])] });

  test('lose the policies of their role', () => {
    expect(answers(appLog, was, serviceOf({ otherAccess: [appRole([])] }))).toEqual(['refused: no-rule']);
  });

  test('may not get in from where they did, with other bounds', () => {
    const after = serviceOf({ otherAccess: [appRole(['shop'], { token_bound_cidrs: ['10.0.0.0/8'] })] });
    expect(answers(appLog, was, after)).toEqual([
      'unknown: role app of auth/approle has other bounds, and the log has no claims',
    ]);
  });

  test('cannot sign in where their role is deleted', () => {
    expect(answers(appLog, was, serviceOf())).toEqual(['refused: role app of auth/approle is gone']);
  });
});

describe('parameters in a replay', () => {
  const limited = (...values: string[]) =>
    serviceOf({
      policies: [
        {
          name: 'shop',
          text: `path "secret/data/shop/*" { capabilities = ["update"]\n allowed_parameters = { "kind" = ${JSON.stringify(values)} } }`,
        },
      ],
    });
  const asked = (kind: unknown) => logOf({ path: shop, operation: 'update', fields: { kind } });
  const hashes = new Map([
    ['a', 'hmac-sha256:a1'],
    ['b', 'hmac-sha256:b1'],
  ]);

  test('are unknown where the log has a hash, and no device was asked', () => {
    expect(answers(asked('hmac-sha256:a1'), limited('a', 'b'), limited('b'))).toEqual([
      'unknown: a hashed value that a policy limits',
    ]);
  });

  test('are compared by what the device makes of them', () => {
    const change = { before: limited('a', 'b'), after: limited('b') };
    const { refused, unknown } = replay(asked('hmac-sha256:a1'), change, { now, hashes });
    expect([refused.map(({ because }) => because), unknown]).toEqual([[{ kind: 'parameters' }], []]);
    expect(replay(asked('hmac-sha256:b1'), change, { now, hashes })).toMatchObject({
      refused: [],
      unknown: [],
    });
  });

  test('are unknown where a pattern meets a hash', () => {
    const change = { before: limited('a', 'b'), after: limited('b', 'x*') };
    expect(replay(asked('hmac-sha256:a1'), change, { now, hashes }).unknown).toHaveLength(1);
  });
});

function signedIn() {
  const times = { count: 1, first: 0, last: 0 };
  return [{ who: someone(), method: 'ci', ...times }];
}
