import { canonicalOf } from './canonical.ts';
import { type Graph, isComplete } from './graph.ts';
import { isSame } from './resources/field.ts';
import type { FieldDifference, Resource } from './resources/resource.ts';
import { type AnyResource, type Part, partsIn, partWith, resources } from './resources/resources.ts';
import { type Subject, subjectKey, subjectOf } from './subject.ts';

/** Something in which a live graph is not what is declared. */
export interface Difference extends Partial<FieldDifference> {
  /** `missing`: declared and not there. `added`: not declared, on what the stack manages. `unmanaged`: elsewhere. */
  kind: 'missing' | 'changed' | 'added' | 'unmanaged';
  subject: Subject;
}

/**
 * Compares a live graph with what is declared by what they mean: defaults of the service, the order of what is a set,
 * spellings of durations, instants and names, and the text of policies make no difference.
 */
export function graphDifferences(declared: Graph, live: Graph): Difference[] {
  return resources.flatMap((resource) => differencesOf(resource, declared, live));
}

/** A live graph as it would be without what is missing or changed in it. */
export function restored(live: Graph, declared: Graph, differences: readonly Difference[]): Graph {
  const graph: Graph = { ...live };
  const bySubject = Map.groupBy(
    differences.filter(({ kind }) => kind === 'missing' || kind === 'changed'),
    ({ subject }) => subjectKey(subject),
  );
  for (const [key, all] of bySubject) {
    const [{ subject, declared: text }] = all as [Difference];
    const named = resources.filter(({ type }) => type === subject.type);
    const resource = named.find((candidate) => partWith(declared, candidate, subject)) ?? named[0];
    if (resource === undefined) continue;
    const declaredPart = partWith(declared, resource, subject);
    const livePart = partWith(live, resource, subject);
    // Undeclared parts are as they were: the policy `default`.
    const before =
      declaredPart ?? (livePart && text !== undefined ? ({ ...livePart, text } as Part) : undefined);
    const partBefore = before && livePart ? withFields(livePart, before, all) : before;
    const rest = without(graph, resource, key);
    Object.assign(graph, { [resource.list]: partBefore === undefined ? rest : [...rest, partBefore] });
  }
  // A method that is gone has the roles that are declared, and no others.
  const known = isComplete(live, 'methods') ? graph.methods : [];
  const gone = known.filter(({ path }) => live.methods.every((method) => method.path !== path));
  const roles = gone.map(({ path }) => ({ list: 'roles' as const, method: path }));
  return { ...graph, complete: [...(live.complete ?? []), ...roles] };
}

/** A part with the fields of another one in which they differ. */
function withFields(livePart: Part, declaredPart: Part, differences: readonly Difference[]): Part {
  const fields = differences.flatMap(({ field }) => field ?? []);
  const pick = (source: object, target: object) => ({
    ...target,
    ...Object.fromEntries(fields.map((field) => [field, (source as Record<string, unknown>)[field]])),
  });
  // A method has most of its fields in its configuration.
  if ('config' in livePart && 'config' in declaredPart) {
    const isTuned = fields.some((field) => field.startsWith('tune.'));
    const config = pick(declaredPart.config, livePart.config);
    return { ...pick(declaredPart, livePart), config, ...(isTuned && { tune: declaredPart.tune }) } as Part;
  }
  return pick(declaredPart, livePart) as Part;
}

function without(graph: Graph, resource: AnyResource, key: string): Part[] {
  const list = (graph[resource.list] ?? []) as Part[];
  const removed = new Set(
    partsIn(graph, resource).filter((part) => subjectKey(subjectOf(resource, part)) === key),
  );
  return list.filter((part) => !removed.has(part));
}

function differencesOf(resource: AnyResource, declared: Graph, live: Graph): Difference[] {
  const keyOf = (part: Parameters<typeof resource.nameOf>[0]) =>
    JSON.stringify([resource.methodOf?.(part), resource.key(resource.nameOf(part))]);
  const declaredParts = partsIn(declared, resource);
  const known = new Set(declaredParts.map(keyOf));
  const liveParts = Map.groupBy(partsIn(live, resource), keyOf);
  return [
    ...declaredParts.flatMap((part): Difference[] => {
      const subject = subjectOf(resource, part);
      const [other] = liveParts.get(keyOf(part)) ?? [];
      if (other === undefined) return [{ kind: 'missing', subject }];
      return fieldDifferences(resource, part, other).map((difference) => ({
        kind: 'changed',
        subject,
        ...difference,
      }));
    }),
    // Messages may share a title: each one over the first is not declared.
    ...[...(resource.isToldOnRead ? [] : liveParts)].flatMap(([key, parts]) =>
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
  const declaredFields = canonicalOf(resource, declared);
  const liveFields = canonicalOf(resource, live);
  const fields = new Set([...Object.keys(declaredFields), ...Object.keys(liveFields)]);
  return [...fields].flatMap((name) => {
    if (isSame(declaredFields[name], liveFields[name])) return [];
    const { liveOnly } = resource.fields[name] ?? {};
    const difference: FieldDifference = {
      field: name,
      declared: declaredFields[name],
      live: liveFields[name],
      // What no stack can declare, `up` leaves as it is.
      ...(liveOnly && { isLeft: true }),
    };
    return (
      (resource.difference === undefined ? difference : resource.difference(difference, declared, live)) ?? []
    );
  });
}
