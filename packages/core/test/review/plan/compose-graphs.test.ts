import { describe, expect, test } from '@jest/globals';
import type { Change } from '../../../src/graph/change.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import { changeOnService } from '../../../src/review/plan/compose-graphs.ts';
import { review } from '../../../src/review/review.ts';
import { graph } from '../../worlds.ts';
import { change as changeOf, comparison, graphOf, method, now, policy, role, whole } from '../graphs.ts';

const read = policy('shared', ['secret/x', 'read']);
const update = policy('shared', ['secret/x', 'read', 'update']);
const { complete } = whole(graphOf({ methods: [method('ci'), method('staff')] }));

/** A change of what is declared, on top of a service that was read as a whole. */
function changeOn(
  service: Partial<Graph>,
  before: Partial<Graph>,
  after: Partial<Graph>,
  rest: Partial<Change> = {},
) {
  const graph = graphOf({ ...(complete && { complete }), ...service });
  const ids = { mount: {}, group: {}, entity: {} };
  return changeOnService(changeOf(before, after, rest), {
    graph,
    ids,
    missing: [],
    namespace: '',
    isSnapshot: true,
  });
}
const undeclaredRole = role('other', { method: 'staff', policies: ['shared'] });

describe('a change of what is declared, on top of the service', () => {
  test('gives to roles that others declare', () => {
    const service = { methods: [method('staff')], roles: [undeclaredRole], policies: [read] };
    const change = changeOn(service, { policies: [read] }, { policies: [update] });
    const { gains, scope, access } = review(comparison(change), { now });
    expect({ gains, whole: scope.whole }).toEqual({ gains: 'some', whole: true });
    expect(access.map(({ principals }) => principals.name)).toEqual(['other']);
  });

  test('starts from what was declared, and not from what the service had a night ago', () => {
    const change = changeOn({ policies: [update] }, { policies: [read] }, { policies: [read] });
    expect(change.before.policies).toEqual([read]);
    expect(change.after.policies).toEqual([read]);
  });

  test('writes over what the service has under a name that is new', () => {
    const change = changeOn({ policies: [read] }, {}, { policies: [update] });
    expect(change.taken).toMatchObject([{ type: 'policy', name: 'shared' }]);
    expect(change.before.policies).toEqual([read]);
    expect(change.after.policies).toEqual([update]);
  });

  test.each([[[]], [['shared']]])('keeps who is in an external group by another one, as it had %j', (had) => {
    const team = (policies: string[]) => ({ groups: [{ name: 'team', policies }] });
    const [inner] = graph('internal team - group:crew').identities ?? [];
    const declared = had.length === 0 ? {} : team([]);
    const change = changeOn({ ...team(had), identities: inner ? [inner] : [] }, declared, team(['shared']));
    expect(change.before.identities).toEqual([inner]);
    expect(change.after.identities).toEqual([inner]);
  });

  test('takes roles of others along with a method that is made anew, and keeps the declared ones', () => {
    const declared = { methods: [method('ci')], roles: [role('mine', { policies: [] })] };
    const service = { ...declared, roles: [...declared.roles, role('theirs', { policies: [] })] };
    const replaced = [{ type: 'method' as const, name: 'ci' }];
    const change = changeOn(service, declared, declared, { replaced });
    expect(change.replaced).toEqual(replaced);
    expect(change.after.roles.map(({ name }) => name)).toEqual(['mine']);
    expect(change.orphaned).toMatchObject([{ type: 'role', name: 'theirs' }]);
  });

  test('keeps messages, which no snapshot has', () => {
    const messages = [{ title: 'Soon' }] as Graph['messages'];
    expect(changeOn({}, {}, { messages }).after.messages).toEqual(messages);
  });
});
