import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../../core/access/questions/change.ts';
import type { Graph } from '../../../../core/model/graph.ts';
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
  const told = (before: Partial<Graph>, after: Partial<Graph>) =>
    decideAccess(change({ ...whole, ...before }, { ...whole, ...after }), now).changes.map(
      ({ principals, gains }) => `${principals.name} ${gains}`,
    );

  test('by a role that names no policies leave out a denial of their maker', () => {
    const [roles, more] = [['d'], ['d', 'a']].map((held) => [role('r', { policies: held })]);
    expect(
      told({ roles: roles ?? [], others: [maker()] }, { roles: more ?? [], others: [maker()] }),
    ).toContain('tokens made by role "r" of auth/ci, with policy "a" alone some');
    expect(told({ roles: roles ?? [] }, { roles: more ?? [] })).toEqual(['r none']);
  });

  test('have the groups of their maker', () => {
    const group = { groups: [{ name: 'g', policies: ['d'] }], others: [maker('a')] };
    const roles = [role('r', { policies: [], groupsClaim: 'groups' })];
    const led = { ...group, roles, aliases: [{ name: '/g', method: 'ci', group: 'g' }] };
    expect(told(led, { ...group, roles })).toContain('/g some');
  });
});
