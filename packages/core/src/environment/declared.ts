import { z } from 'zod';
import { emptyGraph, type Graph, type Identity } from '../graph/graph.ts';
import type { ProviderSettings } from '../graph/kinds/kind.ts';
import { kindById, type ProviderKind } from '../graph/kinds/kinds.ts';
import { withExpiration } from '../graph/policies/expiring.ts';
import type { AuthMethod } from '../graph/resources/auth-method.ts';
import type { ExternalGroup } from '../graph/resources/external-group.ts';
import type { GroupAlias } from '../graph/resources/group-alias.ts';
import type { InternalGroup } from '../graph/resources/internal-group.ts';
import { addPart, resources } from '../graph/resources/resources.ts';
import { type Role, roleFields } from '../graph/resources/role.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { defined } from '../graph/values/loose-values.ts';
import type { Environment, ServiceSettings } from './environment.ts';
import { partsIn } from './namespaces.ts';
import { redirectUris } from './redirect-uris.ts';
import { isResolved } from './resolve.ts';

/** The resources that one provider declares. */
export interface DeclaredProvider {
  method: AuthMethod;
  roles: Role[];
  groups: ExternalGroup[];
  aliases: GroupAlias[];
}

/** Works a provider's settings out to its auth method, roles, groups and aliases, by the rules of its kind. */
export function declareProvider(
  settings: ProviderSettings,
  service: Pick<ServiceSettings, 'address' | 'uiAddress' | 'platformAddress' | 'dialect' | 'namespace'>,
): DeclaredProvider {
  const kind = kindById(settings.kind as ProviderKind);
  const path = settings.path ?? settings.name;
  const { methodType } = kind;
  const { description, jwtSupportedAlgs, oidcResponseMode, defaultRole, tune } = settings;
  return {
    method: defined({
      path,
      type: methodType,
      description,
      config: {
        ...kind.config(settings),
        ...defined({ jwtSupportedAlgs, oidcResponseMode, defaultRole }),
        ...settings.config,
      },
      tune,
    }),
    roles: settings.roles.map((role) => {
      const byKind = kind.role(settings, role);
      // The bounds of the kind win: a role's own bound claims must never let in more.
      const boundClaims = { ...role.boundClaims, ...byKind.boundClaims };
      return {
        ...(methodType === 'oidc'
          ? { allowedRedirectUris: redirectUris(service, path, settings.config?.namespaceInState) }
          : {}),
        ...byKind,
        ...ownFields(role),
        ...(byKind.boundClaims === undefined ? {} : { boundClaims }),
        method: path,
        name: role.name,
        roleType: methodType,
      };
    }),
    groups: settings.groups.map(({ alias: _alias, until: _until, ...group }) => group),
    aliases: settings.groups.flatMap(({ name, alias }) =>
      alias === undefined ? [] : { name: alias, method: path, group: name },
    ),
  };
}

/** The fields that a role sets itself. Its kind has already translated the settings that only that kind has. */
function ownFields(role: ProviderSettings['roles'][number]): Partial<Role> {
  return Object.fromEntries(Object.entries(defined(role)).filter(([name]) => name in roleFields));
}

/** The part of a declared graph that one provider makes, with its groups in the order of their names. */
export function providerIn(graph: Graph, path: string, groups: string[]): DeclaredProvider {
  const method = graph.methods.find((candidate) => candidate.path === path);
  if (method === undefined) {
    throw new GatehouseError('environment_unresolved', { values: { path: JSON.stringify(path) } });
  }
  return {
    method,
    roles: graph.roles.filter((role) => role.method === path),
    groups: groups.flatMap((name) => graph.groups.filter((group) => group.name === name)),
    aliases: graph.aliases.filter((alias) => alias.method === path),
  };
}

/**
 * Works an environment out to its declared graph. `stacks/environment.ts` has already put in place all that lies outside the
 * configuration: policy files, documents of issuers, converted keys. Other namespaces have graphs of their own:
 * `byNamespace`.
 *
 * @throws GatehouseError `environment_unresolved` when that was not done.
 */
export function declare(environment: Environment): Graph {
  const { policies, groups, ...parts } = partsIn(environment, undefined);
  const providers = parts.providers.map((provider) => {
    if (!isResolved(provider)) {
      throw new GatehouseError('environment_unresolved.provider', {
        values: { provider: JSON.stringify(provider.name) },
      });
    }
    return declareProvider(provider, environment.service);
  });
  return {
    ...ownLists(environment),
    methods: providers.map(({ method }) => method),
    roles: providers.flatMap(({ roles }) => roles),
    groups: providers.flatMap(({ groups }) => groups),
    aliases: providers.flatMap(({ aliases }) => aliases),
    policies: policies.map(({ name, policy, until = {} }) => {
      if (policy === undefined) {
        throw new GatehouseError('environment_unresolved.policy', {
          values: { policy: JSON.stringify(name) },
        });
      }
      if (!environment.service.features.expiration) return { name, text: policy };
      return { name, text: withExpiration(policy, until) };
    }),
    messages: environment.service.features.messages ? environment.messages.map(defined) : [],
    ...(groups.length > 0 && { identities: groups.map(identityOf) }),
  };
}

/** The lists of an environment whose entries are parts of a graph as they are written. */
function ownLists(environment: Record<string, unknown>): Graph {
  const graph = emptyGraph();
  for (const resource of resources) {
    const { list, settings } = resource.yaml ?? {};
    if (list === undefined || settings === undefined) continue;
    for (const part of z.array(settings).parse(environment[list])) addPart(graph, resource, part);
  }
  return graph;
}

function identityOf({ name, policies, members }: InternalGroup): Identity {
  return {
    kind: 'group',
    name,
    policies,
    members: members.map((member) => ({ kind: 'group', name: member })),
  };
}
