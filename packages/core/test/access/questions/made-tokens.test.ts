import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import { change, now, policy, role } from '../../review/graphs.ts';

describe('tokens that are made', () => {
  const lists = ['methods', 'groups', 'aliases', 'policies', 'holders', 'others'] as const;
  const maker = (...held: string[]) => ({
    ...{
      name: 'tr',
      effect: 'gives' as const,
      policies: held,
      bounds: {},
      picks: true as const,
      method: 'token',
    },
    identity: { type: 'way', mount: 'token', name: 'role tr' },
  });
  const policies = [policy('a', ['x', 'read']), policy('d', ['x', 'deny'])];
  const whole = { policies, complete: lists.map((list) => ({ list })) };
  const changesOf = (before: Partial<Graph>, after: Partial<Graph>) =>
    decideAccess(change({ ...whole, ...before }, { ...whole, ...after }), now).changes;
  const told = (...sides: [Partial<Graph>, Partial<Graph>]) =>
    changesOf(...sides).map(({ principals, gains }) => `${principals.name} ${gains}`);
  const lossesOf = (...sides: [Partial<Graph>, Partial<Graph>]) =>
    changesOf(...sides).map(({ principals, losses }) => `${principals.name} ${losses}`);

  test('by a role that names no policies leave out a denial of their maker', () => {
    const [roles, more] = [['d'], ['d', 'a']].map((held) => [role('r', { policies: held })]);
    expect(
      told({ roles: roles ?? [], others: [maker()] }, { roles: more ?? [], others: [maker()] }),
    ).toContain('tokens made by role "r" of auth/ci, with policy "a" alone some');
    expect(told({ roles: roles ?? [] }, { roles: more ?? [] })).toEqual(['r none']);
  });

  test('leave out a denial from when a role names no policies, and until it does', () => {
    const roles = [role('r', { policies: ['a', 'd'] })];
    const [named, open] = [
      { roles, others: [maker('other')] },
      { roles, others: [maker()] },
    ];
    const alone = 'tokens made by role "r" of auth/ci, with policy "a" alone';
    expect(told(named, open)).toContain(`${alone} some`);
    expect(lossesOf(open, named)).toContain(`${alone} unknown`);
    expect(told(open, open)).toEqual([]);
  });

  test('have the groups of their maker', () => {
    const group = { groups: [{ name: 'g', policies: ['d'] }], others: [maker('a')] };
    const roles = [role('r', { policies: [], groupsClaim: 'groups' })];
    const led = { ...group, roles, aliases: [{ name: '/g', method: 'ci', group: 'g' }] };
    expect(told(led, { ...group, roles })).toContain('/g some');
  });
});
