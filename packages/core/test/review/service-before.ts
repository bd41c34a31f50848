import type { Complete, Graph } from '../../src/graph/graph.ts';
import { otherMethod } from '../../src/graph/nodes/other-method.ts';
import { ofKind } from '../../src/graph/nodes/other-node.ts';
import { otherRole } from '../../src/graph/nodes/other-role.ts';
import { composeChanges } from '../../src/review/plan/compose-change.ts';
import type { LiveService } from '../../src/review/plan/live-service.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';

/** A Terraform plan. */
export interface TerraformPlan {
  resource_changes: { address: string; change: { before: object | null; after: object | null } }[];
}

/** The whole service before a plan: what the plan says of before, and nothing else. */
export function serviceBefore(plan: TerraformPlan): LiveService {
  const kept = plan.resource_changes
    .filter(({ change }) => change.before !== null)
    .map(({ change, ...resource }) => ({
      ...resource,
      change: { ...change, actions: ['no-op'], after: change.before, after_unknown: {} },
    }));
  const before = readPlan(JSON.stringify({ ...plan, resource_changes: kept }));
  const [{ place, change } = { place: {}, change: undefined }] = composeChanges(before);
  if (change === undefined) throw new Error('the plan is of nothing that was there');
  const lists = ['methods', 'groups', 'aliases', 'policies', 'identities', 'others', 'guards'] as const;
  const roles = change.before.methods.map(({ path }): Complete => ({ list: 'roles', method: path }));
  const graph: Graph = {
    ...change.before,
    complete: [...lists.map((list): Complete => ({ list })), ...roles],
  };
  const ids = { mount: {}, group: {}, entity: {} };
  return { graph, ids, missing: [], namespace: place.namespace ?? '', isSnapshot: true };
}

/** The same with a user who has the policies that no one in the plan has: someone had them where a plan was measured. */
export function withUser(service: LiveService): LiveService {
  const { graph } = service;
  const owners = [
    ...graph.roles,
    ...graph.groups,
    ...(graph.identities ?? []),
    ...ofKind(graph.others, 'otherRole', 'otherMethod', 'token', 'write'),
  ];
  const held = new Set(owners.flatMap(({ policies = [] }) => policies));
  const policies = graph.policies.map(({ name }) => name).filter((name) => !held.has(name));
  const user = { type: 'userpass', noun: 'user', method: 'people', name: 'u0' } as const;
  const withPerson = [
    ...(graph.others ?? []),
    otherMethod('people', 'userpass', {}),
    otherRole(user, { token_policies: policies }),
  ];
  return { ...service, graph: { ...graph, others: withPerson } };
}
