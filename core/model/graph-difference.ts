import { canonicalOf } from './canonical.ts';
import type { Graph } from './graph.ts';
import { isSame } from './resources/field.ts';
import type { FieldDifference, Resource } from './resources/resource.ts';
import { type AnyResource, partsIn, resources } from './resources/resources.ts';
import { type Subject, subjectOf } from './subject.ts';

/** Something in which a live graph is not what is declared. */
export interface Difference extends Partial<FieldDifference> {
  /** `missing`: declared and not there. `unmanaged`: there and not declared. */
  kind: 'missing' | 'changed' | 'unmanaged';
  subject: Subject;
}

/**
 * Compares a live graph with what is declared by what they mean: defaults of the service, the order of what is a set,
 * spellings of durations, instants and names, and the text of policies make no difference.
 */
export function graphDifferences(declared: Graph, live: Graph): Difference[] {
  return resources.flatMap((resource) => differencesOf(resource, declared, live));
}

function differencesOf(resource: AnyResource, declared: Graph, live: Graph): Difference[] {
  const keyOf = (part: Parameters<typeof resource.nameOf>[0]) =>
    JSON.stringify([resource.methodOf?.(part), resource.key(resource.nameOf(part))]);
  const wanted = partsIn(declared, resource);
  const known = new Set(wanted.map(keyOf));
  const there = Map.groupBy(partsIn(live, resource), keyOf);
  return [
    ...wanted.flatMap((part): Difference[] => {
      const subject = subjectOf(resource, part);
      const [other] = there.get(keyOf(part)) ?? [];
      if (other === undefined) return [{ kind: 'missing', subject }];
      return fieldDifferences(resource, part, other).map((one) => ({ kind: 'changed', subject, ...one }));
    }),
    // Messages may share a title: each one over the first is not declared.
    ...[...(resource.isToldOnRead ? [] : there)].flatMap(([key, parts]) =>
      parts
        .slice(known.has(key) ? 1 : 0)
        .map((part): Difference => ({ kind: 'unmanaged', subject: subjectOf(resource, part) })),
    ),
  ];
}

function fieldDifferences<Part extends object>(
  resource: Resource<Part>,
  declared: Part,
  live: Part,
): FieldDifference[] {
  const [one, other] = [canonicalOf(resource, declared), canonicalOf(resource, live)];
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...fields].flatMap((name) => {
    if (isSame(one[name], other[name])) return [];
    const { liveOnly, sticky } = resource.fields[name] ?? {};
    const found: FieldDifference = {
      ...{ field: name, declared: one[name], live: other[name] },
      ...(sticky &&
        one[name] === undefined && { note: 'the official plugin does not clear this field: it sticks' }),
      // What no stack can declare, `up` leaves as it is.
      ...(liveOnly && { isLeft: true }),
    };
    return (resource.difference === undefined ? found : resource.difference(found, declared, live)) ?? [];
  });
}
