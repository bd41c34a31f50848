import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../../core/access/questions/change.ts';
import type { Change } from '../../../../core/model/change.ts';
import type { Role } from '../../../../core/model/resources/role.ts';
import { change, method, now, policy, role } from '../../review/graphs.ts';

const accessChanges = (judged: Change, at: bigint) => decideAccess(judged, at).changes;

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
    ['no audience bound any more', {}, { boundAudiences: [] }, ['opened', 'closed']],
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
      principals: { kind: 'alias', name: '/admins' },
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

  // Found by a split world: the alias that grants is in another workspace.
  const readingGroups = (groupsClaim?: string) => ({
    roles: [role('r', groupsClaim === undefined ? {} : { groupsClaim })],
    ...{ groups: [{ name: 'empty', policies: [] }], aliases: [{ ...alias, group: 'empty' }] },
    policies: [policy('read', ['a', 'read'])],
  });

  test('a role that begins to read groups may give those whose aliases are elsewhere', () => {
    const asked = change(readingGroups(), readingGroups('groups'));
    expect(decideAccess(asked, now)).toMatchObject({
      gains: 'unknown',
      unseen: ['other groups with an alias of auth/ci'],
    });
    const complete = [{ list: 'aliases' as const }];
    const known = { before: { ...asked.before, complete }, after: { ...asked.after, complete } };
    expect(decideAccess({ ...asked, ...known }, now).gains).toBe('none');
  });

  test.each([
    ['reads groups no longer', undefined],
    ['reads groups from another claim', 'teams'],
  ])('a role that %s leaves open what groups elsewhere granted or denied', (_, wanted) => {
    const { unseen } = decideAccess(change(readingGroups('groups'), readingGroups(wanted)), now);
    expect(unseen).toContain('other groups with an alias of auth/ci');
  });

  test('groups that no role asks for any more give nothing', () => {
    const found = accessChanges(
      change({ roles, groups, aliases: [alias] }, { roles: [role('r')], groups, aliases: [alias] }),
      now,
    );
    expect(found).toContainEqual(
      expect.objectContaining({ kind: 'closed', policies: { gained: [], lost: ['admin'], kept: [] } }),
    );
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
    expect(found?.paths).toEqual([
      {
        path: 'a',
        gained: [],
        lost: [],
        parametersChange: true,
        limits: [{ side: 'gained', limit: 'allowed_parameters', capabilities: ['update'] }],
        witness: 'a',
      },
    ]);
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
  expect(found.map(({ kind, principals }) => [kind, principals.name])).toEqual([
    ['opened', 'new'],
    ['widened', 'wider'],
    ['changed', 'other'],
    ['closed', 'gone'],
  ]);
});

test('what a plan does not tell cannot be judged', () => {
  const subject = { type: 'role' as const, name: 'r', method: 'ci', field: 'policies' };
  const roles = [role('r')];
  expect(decideAccess(change({ roles }, { roles }, { unknown: [subject] }), now)).toMatchObject({
    gains: 'unknown',
    losses: 'unknown',
    uncertain: ['policies of role "r" of auth/ci'],
  });
});

test('who loses an entity that denied them something gains it', () => {
  const roles = [role('r', { policies: ['read'] })];
  const policies = [policy('read', ['secret/*', 'read']), policy('no-prod', ['secret/prod', 'deny'])];
  const alias = {
    name: 'alias "a" of auth/ci for entity "e"',
    effect: 'gives' as const,
    policies: ['no-prod'],
    method: 'ci',
    unites: true as const,
    bounds: {},
  };
  const { gains, changes } = decideAccess(
    change({ roles, policies, others: [alias] }, { roles, policies }),
    now,
  );
  expect(gains).toBe('some');
  expect(changes.flatMap(({ paths }) => paths)).toMatchObject([{ path: 'secret/prod', gained: ['read'] }]);
});

// It may deny what others grant, or come before their broader grants.
describe('a policy goes whose text is not here', () => {
  const unread = /^what policy "elsewhere" allows/;

  test('of a role, though nothing is left to it', () => {
    const [before, after] = [role('r', { policies: ['elsewhere'] }), role('r', { policies: [] })];
    const { gains, changes } = decideAccess(change({ roles: [before] }, { roles: [after] }), now);
    expect(gains).toBe('unknown');
    expect(changes).toMatchObject([{ gains: 'unknown', uncertain: [expect.stringMatching(unread)] }]);
  });

  test('but with its role, nobody gains', () => {
    const before = role('r', { policies: ['elsewhere'] });
    expect(decideAccess(change({ roles: [before] }, {}), now).gains).toBe('none');
  });

  test('or comes by an alias, where a role that is not here may read groups', () => {
    const groups = [{ name: 'two', policies: ['elsewhere'] }];
    const roles = [role('r')];
    const aliases = [{ name: 'h', method: 'ci', group: 'two' }];
    expect(decideAccess(change({ roles, groups }, { roles, groups, aliases }), now).gains).not.toBe('none');
  });
});
