import { type AuthMethod, method } from './auth-method.ts';
import { type CustomMessage, message } from './custom-message.ts';
import { entity, type Identity } from './entity.ts';
import { type ExternalGroup, group } from './external-group.ts';
import { alias, type GroupAlias } from './group-alias.ts';
import { internalGroup } from './internal-group.ts';
import { type Policy, policy } from './policy.ts';
import type { Resource } from './resource.ts';
import { type Role, role } from './role.ts';

/** The lists of a graph, each with the parts that a service has of a resource. */
export interface Lists {
  methods: AuthMethod[];
  roles: Role[];
  groups: ExternalGroup[];
  aliases: GroupAlias[];
  policies: Policy[];
  messages: CustomMessage[];
  /** Internal groups, entities, and what is attached to external groups. Only groups of groups are declared. Defaults to none known. */
  identities?: Identity[];
}

const all = [method, role, group, alias, internalGroup, entity, policy, message] as const;
/** The name of a resource, as subjects have it. */
export type ResourceType = (typeof all)[number]['type'];
export const resourceTypes = [...new Set(all.map(({ type }) => type))];
/** One entry of a graph. */
export type Part = Required<Lists>[keyof Lists][number];
/** The description of one of the resources. */
export type AnyResource = Resource<Part, ResourceType, keyof Lists>;

/** All resources, in the order of reports. Nothing else lists them. */
export const resources: readonly AnyResource[] = all;

const byType = new Map<string, AnyResource>(resources.toReversed().map((one) => [one.type, one]));

/** The resource that is called so; of groups, the external one. */
export function resourceNamed(type: string): AnyResource | undefined {
  return byType.get(type);
}

const byToken = new Map(
  resources.toReversed().flatMap((one) => (one.official ? [[one.official.pulumi, one]] : [])),
);

/** The resource that an official type of Pulumi makes. */
export function resourceOfPulumi(token: string): AnyResource | undefined {
  return byToken.get(token);
}

/** A resource's parts in a graph. */
export function partsIn(graph: Lists, { list, isOne }: AnyResource): readonly Part[] {
  const entries: readonly Part[] = graph[list] ?? [];
  return isOne === undefined ? entries : entries.filter((one) => isOne(one));
}

/** Adds a part to its list of a graph. */
export function addPart(graph: Lists, { list }: Pick<AnyResource, 'list'>, part: Part): void {
  graph[list] ??= [];
  const entries: Part[] = graph[list];
  entries.push(part);
}

/** Names of the entries of a graph that are of a resource: of all, or of one auth method. */
export function namesIn(graph: Lists, resource: AnyResource, method = ''): string[] {
  return partsIn(graph, resource)
    .filter((part) => (resource.methodOf?.(part) ?? '') === method)
    .map((part) => resource.nameOf(part));
}

/** The entry of a graph that has a name. */
export function partWith(
  graph: Lists,
  resource: AnyResource,
  { name, method }: { name: string; method?: string },
): Part | undefined {
  return partsIn(graph, resource).find(
    (part) =>
      resource.methodOf?.(part) === method && resource.key(resource.nameOf(part)) === resource.key(name),
  );
}
