import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import { change, now, policy, role } from '../../review/graphs.ts';

describe('tokens that are made', () => {
  const lists = ['methods', 'groups', 'aliases', 'policies', 'identities', 'otherAccess'] as const;
  const maker = (...held: string[]) => ({
    ...{
      name: 'tr',
      effect: 'gives' as const,
      policies: held,
      bounds: {},
      picks: true as const,
      method: 'token',
    },
    identity: { type: 'otherRole', mount: 'token', name: 'role tr' },
  });
  const policies = [policy('a', ['x', 'read']), policy('d', ['x', 'deny'])];
  const whole = { policies, complete: lists.map((list) => ({ list })) };
  const changesOf = (before: Partial<Graph>, after: Partial<Graph>) =>
    decideAccess(change({ ...whole, ...before }, { ...whole, ...after }), now).changes;
  const gainsOf = (...sides: [Partial<Graph>, Partial<Graph>]) =>
    changesOf(...sides).map(({ principals, gains }) => `${principals.name} ${gains}`);
  const lossesOf = (...sides: [Partial<Graph>, Partial<Graph>]) =>
    changesOf(...sides).map(({ principals, losses }) => `${principals.name} ${losses}`);

  test('by a role that names no policies leave out a denial of their maker', () => {
    const [roles, widened] = [['d'], ['d', 'a']].map((held) => [role('r', { policies: held })]);
    expect(
      gainsOf(
        { roles: roles ?? [], otherAccess: [maker()] },
        { roles: widened ?? [], otherAccess: [maker()] },
      ),
    ).toContain('tokens made by role "r" of auth/ci, with policy "a" alone some');
    expect(gainsOf({ roles: roles ?? [] }, { roles: widened ?? [] })).toEqual(['r none']);
  });

  test('leave out a denial from when a role names no policies, and until it does', () => {
    const roles = [role('r', { policies: ['a', 'd'] })];
    const [named, unnamed] = [
      { roles, otherAccess: [maker('other')] },
      { roles, otherAccess: [maker()] },
    ];
    const alone = 'tokens made by role "r" of auth/ci, with policy "a" alone';
    expect(gainsOf(named, unnamed)).toContain(`${alone} some`);
    expect(lossesOf(unnamed, named)).toContain(`${alone} unknown`);
    expect(gainsOf(unnamed, unnamed)).toEqual([]);
  });

  test('have the groups of their maker', () => {
    const group = { groups: [{ name: 'g', policies: ['d'] }], otherAccess: [maker('a')] };
    const roles = [role('r', { policies: [], groupsClaim: 'groups' })];
    const led = { ...group, roles, aliases: [{ name: '/g', method: 'ci', group: 'g' }] };
    expect(gainsOf(led, { ...group, roles })).toContain('/g some');
  });
});
