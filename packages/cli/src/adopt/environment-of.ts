import type { Service } from '@gatehouse/core/environment';
import {
  canonicalFields,
  type Graph,
  group as groupResource,
  type InternalGroup,
  messageResourceName,
  messageSettings,
  type Policy,
  policyFields,
  secretsOf,
  subjectName,
} from '@gatehouse/core/graph';
import type { SecretKey } from '@gatehouse/core/values';
import { addAll, partName } from '@gatehouse/core/values';
import { groupsOf } from './groups-of.ts';
import { type Left, providerOf, split, undeclarable, type WrittenProvider } from './provider-of.ts';

/** The keys of secrets that adopted providers can need. */
export const adoptedSecrets = ['clientSecrets', 'serviceAccountKeys'] as const satisfies SecretKey[];

/** An environment that comes to what a service has. */
export interface AdoptedEnvironment {
  service: { address: string; namespace?: string; dialect?: string; features?: { messages: boolean } };
  providers: WrittenProvider[];
  /** Groups of groups. */
  groups: InternalGroup[];
  policies: Policy[];
  messages: Record<string, unknown>[];
  /** Names of providers whose client secret a person has to give: no service tells it. */
  clientSecrets: string[];
  /** Names of providers whose service account key a person has to give. */
  serviceAccountKeys: string[];
  /** What no environment comes to, and why: it stays as it is, unmanaged. */
  left: Left[];
}

/**
 * Works a live graph back to the environment that declares it.
 *
 * @param described names of internal groups that have metadata
 */
export function environmentOf(
  graph: Graph,
  service: Service,
  described: readonly string[] = [],
): AdoptedEnvironment {
  const left: AdoptedEnvironment['left'] = [];
  const providers: WrittenProvider[] = [];
  for (const method of graph.methods) {
    const found = providerOf(method, graph, service);
    if (found.provider !== undefined) providers.push(found.provider);
    addAll(left, found.left);
  }
  const handled = new Set([
    ...providers.flatMap((one) => (one.groups ?? []).map(({ name }) => name)),
    ...left.flatMap(({ subject }) => (subject.type === groupResource.type ? subject.name : [])),
  ]);
  for (const { name } of graph.groups.filter((group) => !handled.has(group.name))) {
    const found = graph.aliases.find(({ group }) => group === name);
    const why =
      found === undefined
        ? 'it has no alias, so no one is in it'
        : `its ${partName('alias', found.name)} is of auth/${found.method}, which is not adopted`;
    left.push({ subject: { type: 'group', name }, why });
  }
  const { groups, left: leftGroups } = groupsOf(graph, providers, described);
  addAll(left, leftGroups);
  for (const policy of graph.policies) {
    const { live } = split(policyFields, canonicalFields(policyFields, policy));
    addAll(
      left,
      live.map((field) => ({
        subject: { type: 'policy' as const, name: policy.name, field },
        why: undeclarable,
      })),
    );
  }
  const messages: AdoptedEnvironment['messages'] = [];
  const names = new Set<string>();
  for (const message of graph.messages) {
    const name = messageResourceName(message.title);
    const { error } = messageSettings.safeParse(message);
    const problems = error?.issues.map(({ path, message: what }) => `${path.join('.')}: ${what}`) ?? [];
    if (names.has(name)) problems.push('title: another message has the same name');
    if (problems.length > 0) {
      left.push({ subject: { type: 'message', name: message.title }, why: problems.join('; ') });
      continue;
    }
    names.add(name);
    messages.push({ ...message });
  }
  const needing = (key: SecretKey) =>
    providers.filter((one) => secretsOf(one.kind, one).includes(key)).map(({ name }) => name);
  return {
    service: {
      address: service.address,
      ...(service.dialect === 'vault' ? {} : { dialect: service.dialect }),
      ...(service.namespace === undefined ? {} : { namespace: service.namespace }),
      ...(service.features.messages ? {} : { features: { messages: false } }),
    },
    providers,
    groups,
    policies: graph.policies,
    messages,
    clientSecrets: needing('clientSecrets'),
    serviceAccountKeys: needing('serviceAccountKeys'),
    left,
  };
}

/** What was left, in words. */
export function leftWords({ left }: Pick<AdoptedEnvironment, 'left'>): string[] {
  return left.map(({ subject, why }) => {
    const field = subject.field === undefined ? '' : `, ${subject.field}`;
    return `${subjectName(subject)}${field}: ${why}`;
  });
}
