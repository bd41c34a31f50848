import { shortened } from '../../graph/values/cut.ts';
import { plainName } from '../../graph/values/visible.ts';
import type { Place } from '../plan/compose-change.ts';
import type { ReviewFinding } from '../review.ts';

/** A finding, or the same finding at several places. */
export type ReportFinding = ReviewFinding & { places?: Place[] };

/** Where a row is the same, and where it is about the same principals and differs. */
export interface SameAt {
  places: Place[];
  otherPlaces: Place[];
}

/** Names of places that are listed; the rest is counted. */
const most = 4;

/**
 * Puts together what is equal but for its place: groups in the order of their first, each of different places. Two equal rows
 * at one place stay two.
 *
 * @param contentOf all that makes a difference, without the place
 */
export function foldPlaces<Item>(
  items: readonly Item[],
  placeOf: (item: Item) => Place,
  contentOf: (item: Item) => unknown,
): [Item, ...Item[]][] {
  const seen = new Map<string, number>();
  const groups = Map.groupBy(items, (item) => {
    const content = JSON.stringify(contentOf(item));
    const here = JSON.stringify([placeKey(placeOf(item)), content]);
    const before = seen.get(here) ?? 0;
    seen.set(here, before + 1);
    return `${before} ${content}`;
  });
  return [...groups.values()] as [Item, ...Item[]][];
}

/** Findings that are the same at several places become one. */
export function foldFindings(findings: readonly ReviewFinding[]): ReportFinding[] {
  const contentOf = ({ address: _, ...finding }: ReviewFinding) => withoutPlace(finding);
  return foldPlaces(findings, (finding) => finding, contentOf).map((all) =>
    all.length === 1 ? all[0] : { ...withoutPlace(all[0]), places: all.map(placeIn) },
  );
}

/** How many findings these are, each place counted. */
export function findingCount(findings: readonly ReportFinding[]): number {
  return findings.reduce((sum, { places }) => sum + (places?.length ?? 1), 0);
}

export function withoutPlace<Item extends Place>({ server, namespace, ...rest }: Item) {
  return rest;
}

export function placeIn({ server, namespace }: Place): Place {
  return { ...(server !== undefined && { server }), ...(namespace !== undefined && { namespace }) };
}

export function placeKey({ server = '', namespace = '' }: Place): string {
  return JSON.stringify([server, namespace]);
}

/** ` in namespace "a" on production`; nothing for the root of the only server. */
export function placeWords({ server, namespace }: Place): string {
  const within = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`;
  return server === undefined ? within : `${within} on ${server}`;
}

/** ` in 38 namespaces (a, b, c, 35 more)` */
export function placesWords(places: readonly Place[], listed = most): string {
  const [first = {}, ...rest] = places;
  const servers = new Set(places.map(({ server }) => server));
  const [server] = servers.size === 1 ? servers : [];
  if (rest.length === 0) return placeWords(first) || ' in the root namespace';
  const names = places.map(({ namespace, ...at }) => {
    const name = namespace === undefined ? 'the root' : plainName(namespace);
    return servers.size === 1 ? name : `${name} on ${at.server}`;
  });
  const serverText = server === undefined ? '' : ` on ${server}`;
  return ` in ${names.length} namespaces${serverText} (${shortened(names, listed)})`;
}

/** `the same in 38 namespaces (a, b, c, 35 more); differs in 2 namespaces (d, e)` */
export function sameWords({ places, otherPlaces }: SameAt, listed = most): string {
  const differs = otherPlaces.length === 0 ? '' : `; differs${placesWords(otherPlaces, listed)}`;
  return `the same${placesWords(places, listed)}${differs}`;
}
