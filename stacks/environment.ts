import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  byNamespace,
  declare,
  type Environment,
  inClearInStackFile,
  providerIn,
  resolveEnvironment,
  whereIn,
} from '@gatehouse/core/environment';
import {
  type Fields,
  type Graph,
  membersFirst,
  messageResourceName,
  nameOfNamespace,
  namespaceAbove,
  namespaceBelow,
  partsIn,
  resources,
  wireNameIn,
} from '@gatehouse/core/graph';
import { readEnvironment } from '@gatehouse/core/review';
import { type SecretKey, toCamelCase } from '@gatehouse/core/values';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { officialMessage } from '../components/custom-message.ts';
import { runError } from '../components/inputs.ts';
import { internalGroup } from '../components/internal-group.ts';
import { namespacePathOf } from '../components/namespace.ts';
import { StackProvider } from '../providers/stack-provider.ts';
import { judge } from './judge.ts';

/** Exported for each auth method. */
export interface MethodOutputs {
  /** Kind of its provider. */
  kind: string;
  accessor: pulumi.Output<string>;
  /** Names of its roles. */
  roles: string[];
  /** With `cluster`: name of a role → pod volume with a token for it. */
  tokenVolumes?: StackProvider['tokenVolumes'];
}

/** Options of all resources of an environment. */
export interface EnvironmentOptions
  extends Pick<pulumi.ResourceOptions, 'parent' | 'dependsOn' | 'protect' | 'transforms'> {
  /** The plugin that reaches the service. Defaults to one for the service's address and namespace. */
  provider?: vault.Provider;
}

/** What a stack's program exports. */
export interface EnvironmentOutputs {
  /** Address of the secrets service. */
  address: string;
  /** Auth methods by their paths, after that of their namespace. */
  methods: Record<string, MethodOutputs>;
  /** Names of the groups. */
  groups: string[];
  /** Names of the policies. */
  policies: string[];
  /** Titles of the custom messages. */
  messages: string[];
}

/**
 * Builds the environment that the stack's configuration declares: configuration → declared graph → rules →
 * components.
 *
 * @param directory Folder of Pulumi.yaml.
 * @param opts Resource options. Default to none.
 * @throws pulumi.RunError with every problem of the configuration, or every error that the rules find.
 */
export async function buildEnvironment(
  directory: string,
  opts: EnvironmentOptions = {},
): Promise<EnvironmentOutputs> {
  return build(directory, opts).catch((error) => {
    throw runError(error);
  });
}

async function build(directory: string, opts: EnvironmentOptions): Promise<EnvironmentOutputs> {
  const source = {
    config: pulumi.runtime.allConfig(),
    variables: process.env,
    stack: pulumi.getStack(),
    readFile: (path: string) => readFileSync(join(directory, path), 'utf8'),
  };
  const inFile = inClearInStackFile(source);
  const inClear = (key: string) => (isSecretInEngine(key) ? inFile(key) : 'all');
  const environment = await resolve(readEnvironment({ ...source, inClear }), directory, (path) =>
    whereIn(source)(path),
  );
  if (!environment.service.features.messages && environment.messages.length > 0) {
    pulumi.log.info(
      `${environment.messages.length} custom messages are left out: gatehouse:service says that the service does not support them.`,
    );
  }
  const warn = (message: string) => void pulumi.log.warn(message);
  const all = byNamespace(environment).map((part) => ({ ...part, declared: declare(part.environment) }));
  for (const part of all) judge(part.environment, part.declared, warn);
  // No token here: the plugin takes it from VAULT_TOKEN, so it never reaches the state.
  const { address, namespace } = environment.service;
  const { provider: plugin = new vault.Provider('service', { address, namespace }, opts), ...shared } = opts;
  const namespaces = makeNamespaces(environment, { ...shared, provider: plugin });
  const built = all.map((part) => compose(part, namespaces.get(part.path), plugin, shared));
  return {
    address,
    methods: Object.fromEntries(built.flatMap(({ methods }) => Object.entries(methods))),
    groups: built.flatMap(({ groups }) => groups),
    policies: built.flatMap(({ policies }) => policies),
    messages: built.flatMap(({ messages }) => messages),
  };
}

/** Whether the engine says that a key holds a secret, which the SDK keeps for its own use (`runtime/config.ts`). */
function isSecretInEngine(key: string): boolean {
  const isConfigSecret = Reflect.get(pulumi.runtime, 'isConfigSecret') as
    | ((key: string) => boolean)
    | undefined;
  return isConfigSecret?.(key) ?? true;
}

/**
 * Reads what an environment's configuration refers to: files and issuers.
 *
 * @param directory Folder of Pulumi.yaml, which holds the policy files.
 * @param where says where a part of the environment is written. Defaults to its path in the YAML.
 * @throws GatehouseError what `resolveEnvironment` throws, `issuer_unreadable`, `cluster_keys_unreadable`.
 */
export function resolve(
  environment: Environment,
  directory: string,
  where?: (path: PropertyKey[]) => string,
): Promise<Environment> {
  return resolveEnvironment(environment, {
    ...(where && { where }),
    readFile: (path) => readFile(join(directory, path), 'utf8'),
    // Few environments name a cluster by its address; the others do not load the client.
    readIssuer: async (apiServer, caPem) =>
      (await import('@gatehouse/service-client')).readIssuer(apiServer, caPem),
    readClusterKeys: async (apiServer, caPem) =>
      (await import('@gatehouse/service-client')).readClusterKeys(apiServer, caPem),
  });
}

/** Makes the namespaces of an environment, those that hold others first: their paths, each known once it is there. */
function makeNamespaces(
  { namespaces }: Environment,
  toService: pulumi.CustomResourceOptions,
): Map<string, pulumi.Input<string>> {
  const paths = new Map<string, pulumi.Input<string>>();
  for (const { path, exists } of namespaces.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const outer = namespaceAbove(path);
    const namespace = paths.get(outer) ?? (outer === '' ? undefined : outer);
    const inside = { path: nameOfNamespace(path), namespace };
    paths.set(path, exists ? path : namespacePathOf(new vault.Namespace(path, inside, toService), namespace));
  }
  return paths;
}

/** What an environment declares for one namespace. */
type NamespacePart = ReturnType<typeof byNamespace>[number] & { declared: Graph };

/** Where the resources of one namespace are made, and how they are named. */
interface PlaceInService {
  namespace: pulumi.Input<string> | undefined;
  toService: pulumi.CustomResourceOptions;
  /** A name of its own for a resource: the path of the namespace is part of it. */
  named(name: string): string;
}

/** Builds what an environment declares for one namespace. */
function compose(
  part: NamespacePart,
  namespace: pulumi.Input<string> | undefined,
  plugin: vault.Provider,
  opts: Omit<EnvironmentOptions, 'provider'>,
): Omit<EnvironmentOutputs, 'address'> {
  const { environment, declared } = part;
  const named = (name: string) => namespaceBelow(part.path, name);
  const place = { namespace, toService: { ...opts, provider: plugin }, named };
  composeTexts(declared, place);
  const { methods, groupIds } = composeProviders(part, place, { ...opts, providers: [plugin] });
  composeInternalGroups(environment, place, groupIds);
  return {
    methods,
    groups: [...declared.groups, ...environment.groups].map(({ name }) => named(name)),
    policies: declared.policies.map(({ name }) => named(name)),
    messages: declared.messages.map(({ title }) => title),
  };
}

/** Makes the policies, the messages, and the settings of the service. */
function composeTexts(declared: Graph, { namespace, toService, named }: PlaceInService): void {
  for (const { name, text } of declared.policies)
    new vault.Policy(named(name), { name, policy: text, namespace }, toService);
  for (const message of declared.messages)
    new vault.config.UiCustomMessage(messageResourceName(message.title), officialMessage(message), toService);
  for (const resource of resources) {
    const { yaml, official, fields, nameOf } = resource;
    if (yaml?.settings === undefined || official === undefined) continue;
    for (const part of partsIn(declared, resource))
      new DescribedResource(official.pulumi, nameOf(part), officialInputs(fields, part), toService);
  }
}

/** Makes the providers with their roles and external groups. */
function composeProviders(
  { environment, declared }: NamespacePart,
  { namespace, named }: PlaceInService,
  opts: pulumi.ComponentResourceOptions,
): { methods: EnvironmentOutputs['methods']; groupIds: Map<string, pulumi.Output<string>> } {
  const { service } = environment;
  const methods: EnvironmentOutputs['methods'] = {};
  const groupIds = new Map<string, pulumi.Output<string>>();
  const clientSecret = secretsBelow('clientSecrets', environment.clientSecrets);
  const serviceAccountKey = secretsBelow('serviceAccountKeys', environment.serviceAccountKeys);
  for (const settings of environment.providers) {
    const { kind, name, path = name } = settings;
    const additions = {
      clientSecret: clientSecret(name),
      serviceAccountKey: serviceAccountKey(name),
      namespace,
    };
    const groups = settings.groups.map((group) => group.name);
    const parts = { declared: providerIn(declared, path, groups), service, additions };
    const provider = new StackProvider(settings, parts, opts);
    for (const [group, id] of provider.groupIds) groupIds.set(group.toLowerCase(), id);
    methods[named(path)] = {
      kind,
      accessor: provider.accessor,
      roles: settings.roles.map((role) => role.name),
      ...('cluster' in settings && settings.cluster && { tokenVolumes: provider.tokenVolumes }),
    };
  }
  return { methods, groupIds };
}

/** Makes the internal groups, members first, and adds their ids to those of the external groups. */
function composeInternalGroups(
  { groups }: Environment,
  { namespace, toService, named }: PlaceInService,
  groupIds: Map<string, pulumi.Output<string>>,
): void {
  for (const { name, policies, members } of membersFirst(groups)) {
    const memberGroupIds = members.flatMap((member) => groupIds.get(member.toLowerCase()) ?? []);
    const { id } = new vault.identity.Group(
      named(name.toLowerCase()),
      internalGroup({ name, policies, memberGroupIds, namespace }),
      toService,
    );
    groupIds.set(name.toLowerCase(), id);
  }
}

/** A resource that its description says all of: it has the fields of its table and no more, as a policy has. */
export class DescribedResource extends pulumi.CustomResource {}

/** A part as its official resource has it, where each field has the name of its table. */
export function officialInputs(fields: Fields, part: object): pulumi.Inputs {
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [toCamelCase(wireNameIn(fields, name)), value]),
  );
}

/** The secrets of providers below a key of the configuration, by their names: never plain values. */
function secretsBelow(key: SecretKey, names: readonly string[]) {
  const secrets = new pulumi.Config('gatehouse').getSecretObject<Record<string, string>>(key);
  return (provider: string) =>
    names.includes(provider) ? secrets?.apply((byProvider) => byProvider?.[provider] ?? '') : undefined;
}
