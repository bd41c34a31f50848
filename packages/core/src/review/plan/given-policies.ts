import { readPolicy } from '../../graph/policies/parse-policy.ts';
import { policy } from '../../graph/resources/policy.ts';
import { GatehouseError } from '../../graph/values/errors.ts';
import { policyKey } from '../../graph/values/name-key.ts';
import { namespaceOf } from './identities.ts';
import type { LiveService } from './live-service.ts';
import { type PlannedResource, type PlanResources, sideOf } from './planned-resource.ts';

/** The text of a policy, from a file of its own. */
export interface GivenPolicy {
  name: string;
  text: string;
}

/** Reads a policy from a file that is named after it. @throws GatehouseError `policy_unreadable` */
export function givenPolicy(file: string, text: string): GivenPolicy {
  if (readPolicy(text) === undefined) throw new GatehouseError('policy_unreadable');
  return { name: file.replace(/\.(?:hcl|json)$/i, ''), text };
}

/**
 * A plan with the texts of policies that others manage, which stay as they are. What the plan writes, or the service has, comes
 * first.
 *
 * @throws GatehouseError `policies_unplaced` where the plan is of several services or namespaces
 */
export function withPolicies(
  plan: PlanResources,
  given: readonly GivenPolicy[],
  live?: LiveService,
): PlanResources {
  const known = new Set(live?.graph.policies.map(({ name }) => policyKey(name)));
  const added = given.filter(({ name }) => !known.has(policyKey(name)));
  const sides = plan.resources.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
  const places = new Map(sides.map((side) => [JSON.stringify([side.server, namespaceOf(side)]), side]));
  const [place] = places.values();
  if (added.length === 0 || place === undefined) return plan;
  if (places.size > 1) throw new GatehouseError('policies_unplaced');
  const outside = added.map(({ name, text }): PlannedResource => {
    const side = sideOf({ name, policy: text }, place.server, namespaceOf(place));
    return {
      address: name,
      type: policy.type,
      of: 'file',
      before: side,
      after: side,
      changes: false,
      rotated: [],
    };
  });
  const names = added.map(({ name }) => name).join(', ');
  return {
    ...plan,
    outside: [...plan.outside, ...outside],
    notes: [...plan.notes, `Texts of policies from files, not from the service: ${names}.`],
  };
}
