import { type Graph, type Identity, type InternalGroup, internalGroupSettings } from '@gatehouse/core/graph';
import { nameKey } from '@gatehouse/core/values';
import type { Left, WrittenProvider } from './provider-of.ts';

/** Groups of groups as they are written into an environment, and those that no environment declares. */
interface Groups {
  groups: InternalGroup[];
  left: Left[];
}

/**
 * The groups of groups that a stack can declare: with groups in them that it declares too, and with nothing else.
 *
 * @param described names of internal groups that have metadata
 */
export function groupsOf(
  { identities = [], groups }: Graph,
  providers: readonly WrittenProvider[],
  described: readonly string[],
): Groups {
  const external = new Set(groups.map(({ name }) => nameKey(name)));
  const internal = identities.filter(({ kind, name }) => kind === 'group' && !external.has(nameKey(name)));
  const declared = providers.flatMap((provider) => (provider.groups ?? []).map(({ name }) => nameKey(name)));
  const reasons = new Map<Identity, string>();
  let countBefore: number;
  do {
    countBefore = reasons.size;
    const taken = internal.filter((identity) => !reasons.has(identity));
    const known = new Set([...declared, ...taken.map(({ name }) => nameKey(name))]);
    for (const identity of taken) {
      const reason = reasonAgainst(identity, known, described);
      if (reason !== undefined) reasons.set(identity, reason);
    }
    // A group that holds one that is left is left, too: look again until nothing is added.
  } while (reasons.size > countBefore);
  return {
    groups: internal
      .filter((identity) => !reasons.has(identity))
      .map(({ name, policies, members = [] }) => ({
        name,
        policies,
        members: members.map((member) => member.name).sort(),
      })),
    left: [...reasons].map(([{ name, policies }, reason]) => ({
      subject: { type: 'group', name },
      why: `internal, ${policies.length === 0 ? 'no policies' : `policies ${policies.join(', ')}`}: ${reason}`,
    })),
  };
}

function reasonAgainst(
  { name, policies, members = [] }: Identity,
  known: ReadonlySet<string>,
  described: readonly string[],
): string | undefined {
  const entities = members.filter(({ kind }) => kind === 'entity');
  if (entities.length > 0) {
    return `it has ${entities.length === 1 ? 'an entity as a direct member' : `${entities.length} entities as direct members`}; Gatehouse does not manage members`;
  }
  if (members.length === 0) return 'it has no group as a member, so no one is in it';
  const unknown = members.filter((member) => !known.has(nameKey(member.name)));
  if (unknown.length > 0)
    return `${unknown.map((member) => JSON.stringify(member.name)).join(', ')} in it is not adopted`;
  if (described.includes(name)) return 'it has metadata, which a stack declares for no group of groups';
  const { error } = internalGroupSettings.safeParse({
    name,
    policies,
    members: members.map((member) => member.name),
  });
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
