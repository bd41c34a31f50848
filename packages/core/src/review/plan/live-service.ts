import type { ServiceGraph } from '../../graph/graph.ts';
import type { EntityAlias } from '../../graph/nodes/other-alias.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import type { PlannedResource } from './planned-resource.ts';

/** What a service has, where a plan changes it. */
export interface LiveService extends ServiceGraph {
  /** Namespace that was read. Empty for the root's. */
  namespace: string;
  /** Read before the plan was made: what the plan says of a thing before is newer. Defaults to false. */
  isSnapshot?: true;
  /** Other namespaces that were read, too. Defaults to none. */
  otherNamespaces?: readonly LiveService[];
  /** What a reader should know of it. */
  notes?: string[];
}

/** What a reader should know of the service that a plan is judged on: its own notes, or that no part of the plan is there. */
export function serviceNotes(
  live: LiveService | undefined,
  changes: readonly { place: { server?: string; namespace?: string } }[],
): string[] {
  if (live === undefined) return [];
  const { notes = [], isSnapshot, otherNamespaces = [] } = live;
  const read = new Set([live, ...otherNamespaces].map(({ namespace }) => namespace));
  const isUsed = changes.some(
    ({ place: { server, namespace = '' } }) => server === undefined && read.has(namespace),
  );
  if (isUsed || changes.length === 0) return notes;
  const what = isSnapshot ? 'The snapshot' : 'What was read of the service';
  return [`${what} is not used: the plan is of several services, or of another namespace.`];
}

/**
 * A service with the entities that a plan names, also those that have nothing yet: by what the plan gives them, people have it
 * together with what their sign-ins give.
 */
export function withNamedEntities(live: LiveService, resources: readonly PlannedResource[]): LiveService {
  const { plainAliases = [], ids, graph } = live;
  if (plainAliases.length === 0) return live;
  const sides = resources.flatMap(({ before, after }) => [before?.fields, after?.fields]);
  const named = new Set(textsBelow(sides).map((text) => nameKey(ids.entity[text] ?? text)));
  const isNamed = ({ entity, name }: EntityAlias) => named.has(nameKey(entity)) || named.has(nameKey(name));
  const aliases = plainAliases.filter(isNamed);
  const entities = aliases.map(({ entity }) => ({
    kind: 'entity' as const,
    name: entity,
    policies: [],
  }));
  const identities = [...(graph.identities ?? []), ...entities];
  return {
    ...live,
    graph: { ...graph, identities, others: [...(graph.others ?? []), ...aliases] },
  };
}

/** All texts of a value, however deep. */
function textsBelow(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsBelow) : [];
}
