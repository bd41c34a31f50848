import type { Graph } from '../../graph/graph.ts';
import type { Named } from '../../graph/memberships.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { nameKey } from '../../graph/values/name-key.ts';

/**
 * What a template reads; what is a principal's own (`identity/entity/id/{{identity.entity.id}}`, as in the policy
 * `default`) opens nothing to another one.
 */
const template = /(?<!identity\/entity\/(?:id|name)\/)\{\{\s*identity\.([^}]*?)\s*\}\}/g;

/** What each policy of a graph reads: few read anything, and every group and entity asks. */
const readIn = new WeakMap<Graph['policies'], { name: string; reads: string[] }[]>();

/**
 * Policies of a graph that a group or an entity fills in. An id is not in a graph: what reads a group by its id may read any.
 *
 * @param one defaults to any of them
 * @param what of it: `metadata.team`; defaults to anything
 */
export function readersOf({ policies }: Graph, one?: Named, what?: string): string[] {
  return reading(policies).flatMap(({ name, reads }) =>
    reads.some((read) => isOf(read, one, what)) ? [name] : [],
  );
}

/**
 * Policies that a field of the metadata of a sign-in fills in.
 *
 * @param field an empty one where it is not known which
 */
export function readersOfAlias({ policies }: Graph, field: string): string[] {
  const end = field === '' ? '' : `.${field}`;
  const isOfAlias = (read: string) => /^entity\.aliases\.[^.]+\.metadata\./.test(read) && read.endsWith(end);
  return reading(policies).flatMap(({ name, reads }) => (reads.some(isOfAlias) ? [name] : []));
}

/** Whether a policy reads anything but ids, which the service draws: what is new has one that is in no path yet. */
export function readsMoreThanIds({ policies }: Graph, policy: string): boolean {
  const isId = (read: string) => read === 'entity.id' || read.startsWith('groups.ids.');
  return reading(policies).some(({ name, reads }) => name === policy && !reads.every(isId));
}

/** Whether a policy of a graph has a template with this part. */
export function isRead({ policies }: Graph, part: string): boolean {
  return reading(policies).some(({ reads }) => reads.some((read) => read.includes(part)));
}

function reading(policies: Graph['policies']): { name: string; reads: string[] }[] {
  return getOrMake(readIn, policies, () =>
    policies.flatMap(({ name, text }) => {
      const reads = [...text.matchAll(template)].map(([, read = '']) => read);
      return reads.length > 0 ? [{ name, reads }] : [];
    }),
  );
}

function isOf(read: string, one: Named | undefined, what: string | undefined): boolean {
  // The metadata of an alias is its own.
  if (what !== undefined && (!read.endsWith(`.${what}`) || read.includes('.aliases.'))) return false;
  if (one === undefined) return true;
  if (one.kind === 'entity') return read.startsWith('entity.');
  return read.startsWith('groups.ids.') || nameKey(read).startsWith(`groups.names.${nameKey(one.name)}.`);
}
