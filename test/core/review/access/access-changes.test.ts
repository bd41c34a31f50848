import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkBoundClaims } from '../../../../core/login/bound-claims.ts';
import { LoginRefused } from '../../../../core/login/login-refused.ts';
import type { Role } from '../../../../core/model/resources/role.ts';
import { accessChanges } from '../../../../core/review/access/access-changes.ts';
import { conditionsOf, includes } from '../../../../core/review/access/condition.ts';
import { change, method, now, policy, role } from '../states.ts';

const kinds = (before: Partial<Role>, after: Partial<Role>) =>
  accessChanges(change({ roles: [role('r', before)] }, { roles: [role('r', after)] }), now).map(
    ({ kind }) => kind,
  );

describe('who gets in by a role, before and after its bounds change', () => {
  const cases: [what: string, before: Partial<Role>, after: Partial<Role>, kinds: string[]][] = [
    ['nothing', { boundSubject: 'a' }, { boundSubject: 'a' }, []],
    ['a bound removed', { boundSubject: 'a' }, {}, ['widened']],
    ['a bound added', {}, { boundSubject: 'a' }, ['narrowed']],
    ['another subject', { boundSubject: 'a' }, { boundSubject: 'b' }, ['opened', 'closed']],
    ['the subject, bound as a claim instead', { boundSubject: 'a' }, { boundClaims: { sub: ['a'] } }, []],
    ['the subject, bound by a pointer', { boundSubject: 'a' }, { boundClaims: { '/sub': 'a' } }, []],
    ['one more value', { boundClaims: { p: ['a'] } }, { boundClaims: { p: ['a', 'b'] } }, ['widened']],
    ['one value less', { boundClaims: { p: ['a', 'b'] } }, { boundClaims: { p: 'a' } }, ['narrowed']],
    ['another value', { boundClaims: { p: 'a' } }, { boundClaims: { p: 'b' } }, ['widened', 'narrowed']],
    [
      'a glob instead of its text',
      { boundClaims: { p: 'shop/api' }, boundClaimsType: 'glob' },
      { boundClaims: { p: 'shop/*' }, boundClaimsType: 'glob' },
      ['widened'],
    ],
    [
      'a star that becomes a wildcard',
      { boundClaims: { p: 'a*' } },
      { boundClaims: { p: 'a*' }, boundClaimsType: 'glob' },
      ['widened'],
    ],
    ['one more audience', { boundAudiences: ['a'] }, { boundAudiences: ['a', 'b'] }, ['widened']],
    // facts/jwt-oidc.md: without bound audiences, tokens with an audience are refused.
    ['no audience bound any more', {}, { boundAudiences: [] }, ['widened', 'narrowed']],
    ['a wider range', { tokenBoundCidrs: ['10.0.0.0/24'] }, { tokenBoundCidrs: ['10.0.0.0/8'] }, ['widened']],
    ['any source address', { tokenBoundCidrs: ['10.0.0.0/24'] }, {}, ['widened']],
    [
      'a boolean is not its text',
      { boundClaims: { p: true as never } },
      { boundClaims: { p: 'true' } },
      ['widened', 'narrowed'],
    ],
    ['browser instead of token', {}, { roleType: 'oidc' }, ['opened', 'closed']],
    ['other policies', {}, { policies: ['write'] }, ['changed']],
    ['the policy default, too', {}, { tokenNoDefaultPolicy: false }, ['changed']],
  ];
  test.each(cases)('%s', (_, before, after, expected) => {
    expect(kinds(before, after)).toEqual(expected);
  });

  test('another issuer of the method closes the way and opens another', () => {
    const roles = [role('r')];
    const found = accessChanges(
      change(
        { roles, methods: [method('ci', { oidcDiscoveryUrl: 'https://a.example' })] },
        { roles, methods: [method('ci', { oidcDiscoveryUrl: 'https://b.example' })] },
      ),
      now,
    );
    expect(found.map(({ kind }) => kind)).toEqual(['opened', 'closed']);
  });

  const claimValue = fc.constantFrom('a', 'b', 'ab', 'a*', '*b', '*', 'ba');
  const bounds = fc.dictionary(
    fc.constantFrom('x', 'y'),
    fc.array(claimValue, { minLength: 1, maxLength: 2 }),
    {
      maxKeys: 2,
    },
  );
  const bound = fc.record({
    boundClaims: bounds,
    boundClaimsType: fc.constantFrom('string' as const, 'glob' as const),
  });

  test('bounds that include others refuse no token that these let in', () => {
    const tokens = ['a', 'b', 'ab', 'ba', 'aab', 'a*', '*'].flatMap((x) =>
      ['a', 'b', 'ab', '*b', undefined].map((y) => ({ x, ...(y === undefined ? {} : { y }) })),
    );
    const letsIn = (given: Role, claims: Record<string, string>) => {
      try {
        checkBoundClaims(given, claims);
        return true;
      } catch (error) {
        if (error instanceof LoginRefused) return false;
        throw error;
      }
    };
    fc.assert(
      fc.property(bound, bound, (first, second) => {
        const [inner, outer] = [role('i', first), role('o', second)];
        if (!includes(conditionsOf(outer, undefined), conditionsOf(inner, undefined))) return;
        for (const token of tokens) if (letsIn(inner, token)) expect(letsIn(outer, token)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('who comes by a group', () => {
  const groups = [
    { name: 'admins', policies: ['admin'] },
    { name: 'staff', policies: ['read'] },
  ];
  const roles = [role('r', { groupsClaim: 'groups' })];
  const alias = { name: '/admins', method: 'ci', group: 'admins' };

  test('an alias that is added is a new way in', () => {
    const [found] = accessChanges(change({ roles, groups }, { roles, groups, aliases: [alias] }), now);
    expect(found).toMatchObject({
      kind: 'opened',
      way: { kind: 'group', name: '/admins' },
      policies: { gained: ['admin'] },
    });
  });

  test('an alias that goes to another group takes its policies along', () => {
    const moved = { ...alias, group: 'staff' };
    const [found] = accessChanges(
      change({ roles, groups, aliases: [alias] }, { roles, groups, aliases: [moved] }),
      now,
    );
    expect(found).toMatchObject({ kind: 'changed', policies: { gained: ['read'], lost: ['admin'] } });
  });

  test('groups that no role asks for any more give nothing', () => {
    const found = accessChanges(
      change({ roles, groups, aliases: [alias] }, { roles: [role('r')], groups, aliases: [alias] }),
      now,
    );
    expect(found).toMatchObject([{ kind: 'closed', way: { kind: 'group' }, policies: { lost: ['admin'] } }]);
  });
});

describe('which paths a change of policies gives and takes', () => {
  const paths = (before: ReturnType<typeof policy>[], after: ReturnType<typeof policy>[]) =>
    accessChanges(
      change({ roles: [role('r')], policies: before }, { roles: [role('r')], policies: after }),
      now,
    ).flatMap(({ paths: found }) => found.map(({ path, gained, lost }) => [path, gained, lost]));

  test('a capability more', () => {
    expect(paths([policy('read', ['a/*', 'read'])], [policy('read', ['a/*', 'read', 'update'])])).toEqual([
      ['a/*', ['update'], []],
    ]);
  });

  test('a narrower rule that says no more than a wider one is no change', () => {
    const wide: [string, ...string[]] = ['a/*', 'read'];
    expect(paths([policy('read', wide)], [policy('read', wide, ['a/b', 'read'])])).toEqual([]);
  });

  test('a denial within a wider rule takes', () => {
    const wide: [string, ...string[]] = ['a/*', 'read'];
    expect(paths([policy('read', wide)], [policy('read', wide, ['a/b', 'deny'])])).toEqual([
      ['a/b', [], ['read']],
    ]);
  });

  test('fields that a request may have are told', () => {
    const fields = {
      name: 'read',
      text: 'path "a" { capabilities = ["update"] allowed_parameters = { x = [] } }',
    };
    const [found] = accessChanges(
      change(
        { roles: [role('r')], policies: [fields] },
        { roles: [role('r')], policies: [policy('read', ['a', 'update'])] },
      ),
      now,
    );
    expect(found?.paths).toEqual([{ path: 'a', gained: [], lost: [], parametersChange: true }]);
  });

  test('a policy whose text is not at hand is named', () => {
    const [found] = accessChanges(change({}, { roles: [role('r', { policies: ['elsewhere'] })] }), now);
    expect(found?.unread).toEqual(['elsewhere']);
  });
});

test('new ways in come first, then closed ones', () => {
  const found = accessChanges(
    change(
      { roles: [role('gone'), role('wider', { boundSubject: 'x' }), role('other')] },
      { roles: [role('wider'), role('other', { policies: ['write'] }), role('new')] },
    ),
    now,
  );
  expect(found.map(({ kind, way }) => [kind, way.name])).toEqual([
    ['opened', 'new'],
    ['closed', 'gone'],
    ['widened', 'wider'],
    ['changed', 'other'],
  ]);
});

test('what a plan does not tell makes an access change uncertain', () => {
  const subject = { type: 'role' as const, name: 'r', method: 'ci', field: 'policies' };
  const [found] = accessChanges(change({}, { roles: [role('r')] }, { unknown: [subject] }), now);
  expect(found?.uncertain).toEqual(['policies']);
});
