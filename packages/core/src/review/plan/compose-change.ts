import type { Change } from '../../graph/change.ts';
import { subjectKey } from '../../graph/subject.ts';
import { composePlace, type Origins } from './compose-place.ts';
import { credentialSources } from './credential-sources.ts';
import { shown } from './hidden-values.ts';
import { Identities, namespaceOf } from './identities.ts';
import { type LiveService, withNamedEntities } from './live-service.ts';
import type { PlannedResource, PlannedSide, PlanResources } from './planned-resource.ts';
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
  const declared = new Map([...(plan.declared ?? [])].map(([namespace, graph]) => [namespace, shown(graph)]));
  const services = live ? [live, ...(live.otherNamespaces ?? [])] : [];
  const identities = new Identities(resources, outside, declared, services);
  const hasServers = new Set(sidesOf(resources).map(({ server }) => server)).size > 1;
  const placed = resources.flatMap((resource) => atPlaces(resource, hasServers));
  const outsideByPlace = Map.groupBy(outside, ({ after }) => after && keyOf(placeOf(after, hasServers)));
  const places = [...Map.groupBy(placed, ({ place }) => keyOf(place))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, atPlace]) => {
      const own = {
        resources: atPlace.map(({ resource }) => resource),
        outside: outsideByPlace.get(key) ?? [],
      };
      const { place = {} } = atPlace[0] ?? {};
      const { server, namespace = '' } = place;
      // With several servers, a plan does not say which one was read.
      const read =
        server === undefined ? services.find((service) => service.namespace === namespace) : undefined;
      const known = {
        deletesLast,
        declared: declared.get(namespace),
        live: read && withNamedEntities(read, own.resources),
      };
      const composed = composePlace(own, known, identities);
      const sources = credentialSources(own.resources, plan.flows ?? [], identities, read?.graph.credentials);
      if (sources.before.length > 0) composed.change.before.credentials = sources.before;
      if (sources.after.length > 0) composed.change.after.credentials = sources.after;
      return { place, resources: own.resources, ...composed };
    });
  const touched = new Set(places.map(({ place }) => place.namespace ?? ''));
  const elsewhere = services.filter(({ namespace }) => !touched.has(namespace)).map(({ graph }) => graph);
  const unmodeled = unmodeledParts(places, plan.flows ?? [], elsewhere);
  return places.map(({ place, change, origins }, at) => {
    const parts = unmodeled[at] ?? [];
    for (const { subject, addresses } of parts) origins.set(subjectKey(subject), addresses);
    return { place, change: parts.length === 0 ? change : { ...change, unmodeled: parts }, origins };
  });
}

function sidesOf(resources: readonly PlannedResource[]): PlannedSide[] {
  return resources.flatMap(({ before, after }) => [before, after]).filter((side) => side !== undefined);
}

/** A resource at its place. One that goes to another place is deleted there, and another one is made. */
function atPlaces(
  resource: PlannedResource,
  hasServers: boolean,
): { place: Place; resource: PlannedResource }[] {
  const { before, after, replaced: _, ...rest } = resource;
  const placeBefore = before && placeOf(before, hasServers);
  const placeAfter = after && placeOf(after, hasServers);
  const place = placeAfter ?? placeBefore;
  if (place === undefined) return [];
  if (placeBefore === undefined || placeAfter === undefined || keyOf(placeBefore) === keyOf(placeAfter))
    return [{ place, resource }];
  return [
    { place: placeBefore, resource: { ...rest, before, rotated: [] } },
    { place: placeAfter, resource: { ...rest, after, rotated: [] } },
  ];
}

/** @param hasServers whether the resources of the plan are on several servers */
function placeOf(side: PlannedSide, hasServers: boolean): Place {
  const namespace = namespaceOf(side);
  return { ...(hasServers && { server: side.server }), ...(namespace !== '' && { namespace }) };
}

function keyOf({ server = '', namespace = '' }: Place): string {
  return JSON.stringify([server, namespace]);
}
