import type { Change } from '../../model/change.ts';
import { textOf } from '../../model/values/loose-values.ts';
import { composePlace, type Origins } from './compose-place.ts';
import { shown } from './hidden-values.ts';
import { Identities } from './identities.ts';
import type { PlannedResource, PlannedSide, PlanResources } from './planned-resource.ts';

/** Where a change is made. The same name at two places is two things. */
export interface Place {
  /** Provider configuration; absent where a plan has only one. */
  server?: string;
  /** Namespace of the service; absent for the root's. */
  namespace?: string;
}

export interface PlacedChange {
  place: Place;
  change: Change;
  origins: Origins;
}

interface OfPlace {
  place: Place;
  resources: PlannedResource[];
  outside: PlannedResource[];
}

/**
 * Composes what a plan says of single resources to graphs before and after, one pair a place. Where the plan does not
 * tell a value, what was before stands in for it, and the subject is listed as unknown.
 */
export function composeChanges(plan: PlanResources): PlacedChange[] {
  const { resources, outside } = plan;
  const declared = shown(plan.declared);
  const identities = new Identities(resources, outside, declared);
  const servers = new Set(
    resources.flatMap(({ before, after }) => [before, after]).map((side) => side?.server),
  );
  servers.delete(undefined);
  const byPlace = new Map<string, OfPlace>();
  const at = (side: PlannedSide): OfPlace => {
    const namespace = [shown(side.namespace), textOf(side.fields['namespace']) ?? '']
      .map((one) => one.replace(/^\/+|\/+$/g, ''))
      .filter(Boolean)
      .join('/');
    const server = servers.size > 1 ? side.server : undefined;
    const key = JSON.stringify([server ?? '', namespace]);
    let found = byPlace.get(key);
    if (found === undefined) {
      const place = {
        ...(server === undefined ? {} : { server }),
        ...(namespace === '' ? {} : { namespace }),
      };
      found = { place, resources: [], outside: [] };
      byPlace.set(key, found);
    }
    return found;
  };
  for (const resource of resources) {
    const { before, after, replaced, ...rest } = resource;
    if (before === undefined || after === undefined || at(before) === at(after)) {
      const side = after ?? before;
      if (side !== undefined) at(side).resources.push(resource);
      continue;
    }
    // It moves: for those who use it, one is deleted and another one made.
    at(before).resources.push({ ...rest, before, rotated: [] });
    at(after).resources.push({ ...rest, after, rotated: [] });
  }
  for (const resource of outside) if (resource.after !== undefined) at(resource.after).outside.push(resource);
  return [...byPlace]
    .filter(([, { resources: own }]) => own.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { place, ...own }]) => ({
      place,
      ...composePlace(own, { deletesLast: plan.deletesLast, declared }, identities),
    }));
}
