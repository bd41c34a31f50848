import type { Change } from '../../graph/change.ts';
import { subjectKey } from '../../graph/subject.ts';
import { composePlace, type Origins } from './compose-place.ts';
import { shown } from './hidden-values.ts';
import { Identities, namespaceOf } from './identities.ts';
import { type LiveService, withNamedEntities } from './live-service.ts';
import type { PlannedSide, PlanResources } from './planned-resource.ts';
import { withStrayWrites } from './stray-writes.ts';
import { unmodeledParts } from './unmodeled-parts.ts';

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

/**
 * Composes what a plan says of single resources to graphs before and after, one pair a place. If the plan hides a value, the
 * earlier value stands in for it, and the subject is listed as unknown.
 *
 * @param live what the service has: the plan is put on top of it
 */
export function composeChanges(plan: PlanResources, live?: LiveService): PlacedChange[] {
  const { outside, deletesLast } = plan;
  const resources = withStrayWrites(plan.resources);
  const declared = new Map([...(plan.declared ?? [])].map(([there, graph]) => [there, shown(graph)]));
  const lives = live ? [live, ...(live.otherNamespaces ?? [])] : [];
  const identities = new Identities(resources, outside, declared, lives);
  const sides = resources
    .flatMap(({ before, after }) => [before, after])
    .filter((side) => side !== undefined);
  const hasServers = new Set(sides.map(({ server }) => server)).size > 1;
  const placeOf = (side: PlannedSide): Place => {
    const namespace = namespaceOf(side);
    return { ...(hasServers && { server: side.server }), ...(namespace !== '' && { namespace }) };
  };
  const keyOf = ({ server = '', namespace = '' }: Place) => JSON.stringify([server, namespace]);
  const placed = resources.flatMap((resource) => {
    const { before, after, replaced: _, ...rest } = resource;
    const [from, to] = [before, after].map((side) => side && placeOf(side));
    const at = to ?? from;
    if (at === undefined) return [];
    if (from === undefined || to === undefined || keyOf(from) === keyOf(to)) return [{ place: at, resource }];
    // It goes to another place: one is deleted there, and another one made.
    return [
      { place: from, resource: { ...rest, before, rotated: [] } },
      { place: to, resource: { ...rest, after, rotated: [] } },
    ];
  });
  const known = Map.groupBy(outside, ({ after }) => after && keyOf(placeOf(after)));
  const places = [...Map.groupBy(placed, ({ place }) => keyOf(place))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, all]) => {
      const own = { resources: all.map(({ resource }) => resource), outside: known.get(key) ?? [] };
      const { place = {} } = all[0] ?? {};
      // With several servers, a plan does not say which one was read.
      const { server, namespace = '' } = place;
      const read = server === undefined ? lives.find((one) => one.namespace === namespace) : undefined;
      const onTop = read && withNamedEntities(read, own.resources);
      const there = { deletesLast, declared: declared.get(namespace), live: onTop };
      return { place, resources: own.resources, ...composePlace(own, there, identities) };
    });
  const unmodeled = unmodeledParts(places, plan.flows ?? []);
  return places.map(({ place, change, origins }, at) => {
    const parts = unmodeled[at] ?? [];
    for (const { subject, addresses } of parts) origins.set(subjectKey(subject), addresses);
    return { place, change: parts.length === 0 ? change : { ...change, unmodeled: parts }, origins };
  });
}
