import type { ServiceSettings } from '@gatehouse/core/environment';
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

/** An environment whose declaration is what a service has. */
export interface AdoptedEnvironment {
  service: { address: string; namespace?: string; dialect?: string; features?: { messages: boolean } };
  providers: WrittenProvider[];
  /** Groups of groups. */
  groups: InternalGroup[];
  policies: Policy[];
  messages: Record<string, unknown>[];
  /** Names of providers whose client secret a person has to give: a service never returns it. */
  clientSecrets: string[];
  /** Names of providers whose service account key a person has to give. */
  serviceAccountKeys: string[];
  /** What no environment can declare, and why. It stays as it is, unmanaged. */
  left: Left[];
}

/**
 * Works out the environment that declares a live graph.
 *
 * @param described names of internal groups that have metadata
 */
export function environmentOf(
  graph: Graph,
  service: ServiceSettings,
  described: readonly string[] = [],
): AdoptedEnvironment {
  const left: AdoptedEnvironment['left'] = [];
  const providers: WrittenProvider[] = [];
  for (const method of graph.methods) {
    const adopted = providerOf(method, graph, service);
    if (adopted.provider !== undefined) providers.push(adopted.provider);
    addAll(left, adopted.left);
  }
  addAll(left, groupsWithoutProvider(graph, providers, left));
  const { groups, left: leftGroups } = groupsOf(graph, providers, described);
  addAll(left, leftGroups);
  addAll(left, undeclarablePolicyFields(graph.policies));
  const { messages, left: leftMessages } = messagesOf(graph.messages);
  addAll(left, leftMessages);
  const needing = (key: SecretKey) =>
    providers.filter((provider) => secretsOf(provider.kind, provider).includes(key)).map(({ name }) => name);
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

/**
 * The external groups that no adopted provider declares, with why.
 *
 * @param left groups of which is said already why they are left
 */
function groupsWithoutProvider(
  { groups, aliases }: Graph,
  providers: readonly WrittenProvider[],
  left: readonly Left[],
): Left[] {
  const handled = new Set([
    ...providers.flatMap((provider) => (provider.groups ?? []).map(({ name }) => name)),
    ...left.flatMap(({ subject }) => (subject.type === groupResource.type ? subject.name : [])),
  ]);
  return groups
    .filter(({ name }) => !handled.has(name))
    .map(({ name }) => {
      const alias = aliases.find(({ group }) => group === name);
      const why =
        alias === undefined
          ? 'it has no alias, so no one is in it'
          : `its ${partName('alias', alias.name)} is of auth/${alias.method}, which is not adopted`;
      return { subject: { type: 'group', name }, why };
    });
}

/** The fields of policies that only a service holds. */
function undeclarablePolicyFields(policies: readonly Policy[]): Left[] {
  return policies.flatMap((policy) => {
    const { live } = split(policyFields, canonicalFields(policyFields, policy));
    return live.map((field) => ({
      subject: { type: 'policy' as const, name: policy.name, field },
      why: undeclarable,
    }));
  });
}

/** The messages that a stack can declare, and those that it cannot, with why. */
function messagesOf(live: Graph['messages']): Pick<AdoptedEnvironment, 'messages' | 'left'> {
  const messages: AdoptedEnvironment['messages'] = [];
  const left: Left[] = [];
  const names = new Set<string>();
  for (const message of live) {
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
  return { messages, left };
}

/** What was left, in words. */
export function leftWords({ left }: Pick<AdoptedEnvironment, 'left'>): string[] {
  return left.map(({ subject, why }) => {
    const field = subject.field === undefined ? '' : `, ${subject.field}`;
    return `${subjectName(subject)}${field}: ${why}`;
  });
}
