import { describe, expect, test } from '@jest/globals';
import type { Graph } from '../../src/graph/graph.ts';
import { issuedTokens } from '../../src/graph/nodes/tokens.ts';
import { LoggedPrincipals } from '../../src/usage/logged-principals.ts';
import { graph } from '../worlds.ts';
import { groupOf, policyOf, roleOf, serviceOf, someone } from './replayed-log.ts';

const ids = { entity: { 'e-1': 'alice' } };
const principals = (before: Graph, after: Graph = before, ...methods: string[]) =>
  new LoggedPrincipals({ graph: before, ids }, after, {
    signIns: methods.map((method) => ({ who: someone(), method, role: 'web', count: 1, last: 0 })),
    moves: { mounts: [], arrived: [], unplaced: 0 },
  });

describe('where principals signed in', () => {
  const jobs = { path: 'ci-jobs', type: 'jwt' as const, config: {} };
  const withJobs = (...roles: string[]) =>
    serviceOf({
      methods: [...serviceOf().methods, jobs],
      roles: [roleOf(), ...roles.map((name) => roleOf({ method: 'ci-jobs', name }))],
    });

  test('is what the log says', () => {
    expect(principals(serviceOf(), undefined, 'other').signedInAt(someone())).toEqual({
      method: 'other',
      role: 'web',
      // A method of a type that is not known may be of users.
      isPerson: true,
    });
  });

  test('is the method that names its tokens so and has the role', () => {
    const who = someone({ name: 'ci-jobs-7' });
    expect(principals(withJobs('job')).signedInAt(who)).toEqual({ method: 'ci', role: 'web' });
    expect(principals(withJobs()).signedInAt(someone({ name: 'elsewhere-7' }))).toBeUndefined();
  });

  test('is not known where two methods fit, or the log has two', () => {
    expect(principals(withJobs('web')).signedInAt(someone({ name: 'ci-jobs-7' }))).toBeUndefined();
    expect(principals(serviceOf(), undefined, 'ci', 'other').signedInAt(someone())).toBeUndefined();
  });
});

describe('what principals hold when they sign in again', () => {
  test('is what their role gives today, not what it gave', () => {
    const was = serviceOf({ roles: [roleOf({ policies: ['other'] })] });
    expect(principals(was).held(someone()).before.sure).toEqual(['default', 'other']);
  });

  test('is what the log has where the role is elsewhere', () => {
    expect(principals(serviceOf({ roles: [] })).held(someone()).before.sure).toEqual(['default', 'shop']);
  });

  test('is what the log has where claims fill the names of policies, as long as the role stays', () => {
    const role = roleOf({ tokenPoliciesTemplateClaims: true, policies: ['{{project}}'] });
    const was = serviceOf({ roles: [role] });
    expect(principals(was).held(someone()).after).toEqual({ sure: ['default', 'shop'], maybe: [] });
    const is = serviceOf({ roles: [{ ...role, tokenPoliciesTemplateClaims: false }] });
    expect(principals(was, is).held(someone()).after.signIn).toMatchObject({ answer: 'open' });
  });

  test('leaves out default where the role does', () => {
    const is = serviceOf({ roles: [roleOf({ tokenNoDefaultPolicy: true })] });
    expect(principals(serviceOf(), is).held(someone()).after.sure).toEqual(['shop']);
  });

  test('is with what the entity has, and the groups that it is in', () => {
    const { identities = [] } = graph(`
      entity alice own
      internal team inner entity:alice
      internal all outer group:team`);
    const who = someone({ identityPolicies: ['own', 'inner', 'outer'] });
    expect(principals(serviceOf({ identities })).held(who).after.sure).toEqual([
      'default',
      'inner',
      'outer',
      'own',
      'shop',
    ]);
  });

  test('is with new policies of a group that they are in', () => {
    const who = someone({ identityPolicies: ['ops'] });
    const policies = [policyOf('ops', 'a', 'read'), policyOf('more', 'b', 'read')];
    const [was, is] = [
      serviceOf({ policies, ...groupOf('admins', 'ops') }),
      serviceOf({ policies, ...groupOf('admins', 'ops', 'more') }),
    ];
    expect(principals(was, is).held(who).after.sure).toContain('more');
    expect(principals(was, is).held(someone()).after.sure).not.toContain('more');
  });

  test('may be with the groups of another method at which tokens of their entity were issued', () => {
    const policies = [policyOf('ops', 'a', 'read')];
    const aliases = [{ name: '/admins', method: 'far', group: 'admins' }];
    const groups = [{ name: 'admins', policies: ['ops'] }];
    const tokens = [issuedTokens(['default'], 'alice', 'far')];
    const maybe = (rest: Partial<Graph>) => {
      const service = serviceOf({ policies, aliases, groups, ...rest });
      const signIns = [{ who: someone({ identityPolicies: ['ops'] }), method: 'ci', role: 'web' }];
      return new LoggedPrincipals({ graph: service, ids }, service, {
        signIns: signIns.map((signIn) => ({ ...signIn, count: 1, last: 0 })),
        moves: { mounts: [], arrived: [], unplaced: 0 },
      }).held(someone()).before.maybe;
    };
    expect(maybe({ others: tokens }).map(({ policy }) => policy)).toEqual(['ops']);
    expect(maybe({})).toEqual([]);
  });

  test('is the same where an alias of a group is spelled in other capitals', () => {
    const who = someone({ identityPolicies: ['ops'] });
    const policies = [policyOf('ops', 'a', 'read')];
    const admins = groupOf('admins', 'ops');
    const spelled = { ...admins, aliases: [{ name: '/Admins', method: 'ci', group: 'admins' }] };
    const sides = [serviceOf({ policies, ...admins }), serviceOf({ policies, ...spelled })] as const;
    expect(principals(...sides).held(who).after).toMatchObject({
      sure: ['default', 'ops', 'shop'],
      maybe: [],
    });
  });

  test('has no groups without an entity', () => {
    const who = someone({ entity: '' });
    const is = serviceOf(groupOf('new', 'x'));
    expect(principals(serviceOf(), is).held(who).after).toEqual({ sure: ['default', 'shop'], maybe: [] });
  });

  test('stays what it is of tokens of tokens, while nothing that gives tokens changes', () => {
    const child = someone({ name: 'token', role: '', metadata: {} });
    const is = serviceOf({ policies: [] });
    expect(principals(serviceOf(), is).held(child).after.signIn).toBeUndefined();
  });
});

describe('a sign-in after a change', () => {
  const signInAfter = (is: Partial<Graph>, was: Partial<Graph> = {}) =>
    principals(serviceOf(was), serviceOf(is)).held(someone()).after.signIn?.answer;

  test.each<[string, Partial<Graph>, string | undefined]>([
    ['with wider bounds', { roles: [roleOf({ boundClaims: {} })] }, undefined],
    ['with shorter tokens', { roles: [roleOf({ ttl: 60 })] }, undefined],
    ['with narrower bounds', { roles: [roleOf({ boundSubject: 'x' })] }, 'unknown'],
    ['from fewer addresses', { roles: [roleOf({ tokenBoundCidrs: ['10.0.0.0/8'] })] }, 'unknown'],
    ['with tokens for one use', { roles: [roleOf({ tokenNumUses: 1 })] }, 'unknown'],
    ['of another kind', { roles: [roleOf({ roleType: 'oidc' })] }, 'unknown'],
    ['with the groups of another claim', { roles: [roleOf({ groupsClaim: undefined })] }, 'open'],
    ['with other metadata', { roles: [roleOf({ claimMappings: { a: 'b' } })] }, 'open'],
    ['at a method that trusts others', { methods: [{ path: 'ci', type: 'jwt', config: {} }] }, 'unknown'],
    ['at a method that is gone', { methods: [], roles: [] }, 'refused'],
  ])('%s', (_, is, answer) => {
    expect(signInAfter(is)).toBe(answer);
  });

  test('is open where the change does something else to all sign-ins', () => {
    const guard = { kind: 'guard', type: 'identity mfa login enforcement', name: 'mfa', bounds: {} } as const;
    expect(signInAfter({ others: [guard] })).toBe('open');
  });

  test('is not known by a role that is new', () => {
    expect(signInAfter({}, { roles: [] })).toBe('unknown');
  });
});
