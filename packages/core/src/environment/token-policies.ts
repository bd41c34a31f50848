import { emptyGraph, type Graph, type Identity } from '../graph/graph.ts';
import { needsSudo } from '../graph/policies/sudo-paths.ts';
import { listPatterns } from '../graph/resources/method-lists.ts';
import { rolePath } from '../graph/resources/role.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { policyKey } from '../graph/values/name-key.ts';
import { namespaceBelow } from '../graph/values/namespace-path.ts';

/** The uses of a token. Each includes those before it: a token that plans also reads, one that deploys also plans. */
export const tokenUses = ['reading', 'planning', 'deploying'] as const;
export type TokenUse = (typeof tokenUses)[number];

/** A path of requests by commands and the official plugin. Each use adds its capabilities to the earlier ones. */
interface Need {
  path: string;
  reading?: string;
  planning?: string;
  deploying?: string;
  /** Parameters that a body must or must not have, as HCL. */
  limits?: Partial<Record<TokenUse, string>>;
}

/** Paths about the token itself. The plugin uses a child token, which has the same access and ends with its parent. */
const ofToken: Need[] = [
  { path: 'auth/token/lookup-self', reading: 'read' },
  { path: 'auth/token/create', planning: 'update' },
  { path: 'auth/token/revoke-self', planning: 'update' },
  { path: 'sys/capabilities-self', planning: 'update' },
];

const texts = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ');

/**
 * The requests for the parts that a stack declares and has created. Parts no longer declared are read and deleted.
 *
 * @param state the parts that it has created
 */
function needsOf(declared: Graph, state: Graph): Need[] {
  const needs = needsOfParts(declared);
  const paths = new Set(needs.map(({ path }) => path));
  const ofGone = needsOfParts(state).filter(({ path }) => !paths.has(path));
  return [
    ...needs,
    ...ofGone.map(({ limits: _, deploying, ...need }) => ({
      ...need,
      ...(deploying?.split(', ').includes('delete') && { deploying: 'delete' }),
    })),
    ...movesOf(declared, state),
  ];
}

/** A method that is now at another path is moved: `sys/remount` is limited to methods of the state and of the stack. */
function movesOf(declared: Graph, state: Graph): Need[] {
  const without = (graph: Graph, otherGraph: Graph) =>
    graph.methods
      .filter(({ path }) => otherGraph.methods.every((other) => other.path !== path))
      .map(({ path }) => `auth/${path}`);
  const before = without(state, declared);
  const after = without(declared, state);
  if (before.length === 0 || after.length === 0) return [];
  const limits = { from: texts(before), to: texts(after) };
  return [
    { path: 'sys/remount', deploying: 'update', limits: { deploying: allowedOnly(limits, ['from', 'to']) } },
    { path: 'sys/remount/status/+', deploying: 'read' },
  ];
}

/** The parameters that a body may have, each with the values that it may have, and those that it must have, as HCL. */
function allowedOnly(allowed: Record<string, string>, required: readonly string[] = []): string {
  const must = required.length === 0 ? '' : `  required_parameters = [${texts(required)}]\n`;
  return `  allowed_parameters = {\n${namedLists(allowed)}  }\n${must}`;
}

const deniedAlways = (names: readonly string[]) =>
  `  denied_parameters = {\n${namedLists(Object.fromEntries(names.map((name) => [name, anyValue])))}  }\n`;

function namedLists(values: Record<string, string>): string {
  const width = Object.keys(values).reduce((longest, name) => Math.max(longest, name.length), 0) + 2;
  return Object.entries(values)
    .map(([name, list]) => `    ${JSON.stringify(name).padEnd(width)} = [${list}]\n`)
    .join('');
}

/** The values of a parameter, as HCL within a list: any, or a list with nothing in it. */
const anyValue = '';
const emptyList = '[]';

/** Settings that the official plugin also sends when a group changes. The service ignores them. */
const ofOfficialGroup = {
  external_policies: anyValue,
  external_member_entity_ids: anyValue,
  external_member_group_ids: anyValue,
};

/** The requests for each resource of a graph, whatever the command: the one table. */
function needsOfParts({
  methods,
  roles,
  groups,
  aliases,
  policies,
  messages,
  identities = [],
}: Graph): Need[] {
  return [
    // Which methods there are: without the list, roles that others added to them would not be looked for.
    { path: 'sys/auth', reading: 'read' },
    ...needsOfMethods(methods),
    ...needsOfRoles(roles),
    ...needsOfGroups(groups, identities),
    ...needsOfAliases(aliases),
    ...needsOfPolicies(policies),
    ...needsOfMessages(messages),
  ];
}

function needsOfMethods(methods: Graph['methods']): Need[] {
  return methods.flatMap(({ path }): Need[] => [
    { path: `sys/auth/${path}`, reading: 'read', deploying: 'update, delete' },
    { path: `sys/mounts/auth/${path}`, planning: 'read' },
    { path: `sys/mounts/auth/${path}/tune`, planning: 'read', deploying: 'update' },
    { path: `auth/${path}/config`, reading: 'read', deploying: 'update' },
    { path: `auth/${path}/role`, reading: 'list' },
    // Roles that others added to the method are read, too.
    { path: `auth/${path}/role/+`, reading: 'read' },
    { path: `auth/${path}/cel/role`, reading: 'list' },
  ]);
}

function needsOfRoles(roles: Graph['roles']): Need[] {
  return [
    // The limit that a period is compared with while the method does not exist.
    ...(roles.some(({ tokenPeriod }) => tokenPeriod)
      ? [{ path: 'sys/mounts/auth/token/tune', planning: 'read' }]
      : []),
    ...roles.map(({ method, name }) => ({
      path: rolePath(method, name),
      reading: 'read',
      deploying: 'create, update, delete',
    })),
  ];
}

function needsOfGroups(groups: Graph['groups'], identities: readonly Identity[]): Need[] {
  const external = groups.map(({ name }) => name);
  const internal = identities
    .filter(({ kind, name }) => kind === 'group' && !external.includes(name))
    .map(({ name }) => name);
  const groupNames = [...external, ...internal];
  if (groupNames.length === 0) return [];
  const types = [...(external.length > 0 ? ['external'] : []), ...(internal.length > 0 ? ['internal'] : [])];
  // A group of groups is sent with an empty list of people; an external group with no list at all.
  const ofInternal =
    internal.length > 0 ? { member_group_ids: anyValue, member_entity_ids: emptyList } : undefined;
  const ofGroup = { policies: anyValue, metadata: anyValue, ...ofInternal };
  const creating = allowedOnly({ type: texts(types), name: texts(groupNames), ...ofGroup }, ['type', 'name']);
  const changing =
    ofInternal === undefined
      ? deniedAlways(['member_entity_ids', 'member_group_ids'])
      : allowedOnly({ name: anyValue, ...ofGroup, ...ofOfficialGroup });
  return [
    { path: 'identity/group', deploying: 'update', limits: { deploying: creating } },
    { path: 'identity/group/name', planning: 'list' },
    ...groupNames.map((name) => ({ path: `identity/group/name/${name}`, reading: 'read' })),
    { path: 'identity/group/id', reading: 'list' },
    {
      path: 'identity/group/id/+',
      reading: 'read',
      deploying: 'update, delete',
      limits: { deploying: changing },
    },
  ];
}

function needsOfAliases(aliases: Graph['aliases']): Need[] {
  if (aliases.length === 0) return [];
  return [
    { path: 'identity/group-alias', deploying: 'update' },
    { path: 'identity/group-alias/id', reading: 'list' },
    { path: 'identity/group-alias/id/+', reading: 'read', deploying: 'update, delete' },
  ];
}

function needsOfPolicies(policies: Graph['policies']): Need[] {
  return [
    ...policies.map(({ name }) => ({
      path: `sys/policies/acl/${name}`,
      reading: 'read',
      deploying: 'update, delete',
    })),
    // Nearly every token has `default`: a change of it by others is looked for.
    ...(policies.some(({ name }) => policyKey(name) === 'default')
      ? []
      : [{ path: 'sys/policies/acl/default', reading: 'read' }]),
  ];
}

function needsOfMessages(messages: Graph['messages']): Need[] {
  if (messages.length === 0) return [];
  return [
    { path: 'sys/config/ui/custom-messages', reading: 'list', deploying: 'update' },
    { path: 'sys/config/ui/custom-messages/+', reading: 'read', deploying: 'update, delete' },
  ];
}

/** The requests for the whole service, which may hold resources of others. No secret is below these paths. */
export const wholeService: readonly Need[] = [
  { path: 'sys/auth', reading: 'read' },
  { path: 'sys/mounts/auth/+', reading: 'read' },
  { path: 'auth/+/config', reading: 'read' },
  // A list is requested on the folder, where `+` stands for the empty text.
  ...listPatterns.map((pattern) => ({ path: `auth/+/${pattern}`, reading: 'read, list' })),
  { path: 'auth/+/cel/role/+', reading: 'list' },
  { path: 'sys/policies/acl/+', reading: 'read, list' },
  { path: 'identity/+/id/+', reading: 'read, list' },
  { path: 'identity/mfa/login-enforcement/+', reading: 'read, list' },
  { path: 'sys/namespaces/+', reading: 'list' },
  { path: 'sys/mounts', reading: 'read' },
  { path: 'identity/oidc/role/+', reading: 'read, list' },
  { path: 'identity/oidc/key/+', reading: 'read' },
  { path: 'identity/oidc/client/+', reading: 'list' },
  // Its certificates need no token. An engine at another path needs the same, and a pattern would let read values of other engines.
  { path: 'pki/roles/+', reading: 'read, list' },
  ...['acme', 'est', 'scep', 'cmp'].map((name) => ({ path: `pki/config/${name}`, reading: 'read' })),
];

/** What a stack has in one namespace, by its path below the token’s own namespace. */
export interface NamespaceGraph {
  path: string;
  graph: Graph;
  /** The stack makes the namespace. */
  isMade: boolean;
}

/** The parts that a stack declares, and those that it has created, by its state. */
export interface StackGraphs {
  declared: readonly NamespaceGraph[];
  /** Defaults to nothing: it was never applied. */
  state?: readonly NamespaceGraph[];
}

/** The text of a policy that grants what the paths need for one use. */
export function policyFor(use: TokenUse, needs: readonly Need[], head: string): string {
  const uses = tokenUses.slice(0, tokenUses.indexOf(use) + 1);
  const rules = needs.flatMap((need) => {
    const granted = uses.flatMap((tokenUse) => need[tokenUse]?.split(', ') ?? []);
    if (granted.length === 0) return [];
    // Servers disagree on which paths need `sudo`. Where it is not needed, it grants nothing.
    const sudo = needsSudo(need) === 'no' ? [] : ['sudo'];
    const capabilities = [...new Set([...granted, ...sudo])]
      .map((capability) => JSON.stringify(capability))
      .join(', ');
    const limits = need.limits?.[use] ?? '';
    return [`path ${JSON.stringify(need.path)} {\n  capabilities = [${capabilities}]\n${limits}}\n`];
  });
  return `${head
    .split('\n')
    .map((line) => `# ${line}`.trimEnd())
    .join('\n')}\n\n${rules.join('')}`;
}

/**
 * The smallest policies for the tokens that deploy, plan and read a stack: exactly its paths, and no other names. Parts
 * that it created and no longer declares can only be read and deleted. Ids that the service draws stand as `+`.
 *
 * @param isWhole whether they also read what others have on the service
 * @throws GatehouseError `token_policy_broad` for a name that is a pattern in a policy, and for a policy of the stack that
 *   has the name of one of these
 */
export function tokenPolicies(
  stack: string,
  { declared, state = [] }: StackGraphs,
  isWhole: boolean,
): { name: string; use: TokenUse; text: string }[] {
  const nameOf = (use: TokenUse) => `gatehouse-${stack}-${use}`;
  const all = [...declared, ...state];
  const own = all.filter(({ path }) => path === '').flatMap(({ graph }) => graph.policies);
  const taken = own.find(({ name }) => tokenUses.some((use) => policyKey(nameOf(use)) === policyKey(name)));
  if (taken !== undefined) throw new GatehouseError('token_policy_broad.own', { given: taken.name });
  const broad = all
    .flatMap(({ path, graph }) => [path, ...namesIn(graph)])
    .filter((name) => !isLiteral(name));
  if (broad.length > 0) {
    throw new GatehouseError('token_policy_broad', { given: [...new Set(broad)].join(', ') });
  }
  const needs = [
    ...ofToken,
    ...[...Map.groupBy(all, ({ path }) => path).keys()].flatMap((path) => {
      const before = state.find((namespace) => namespace.path === path);
      const after = declared.find((namespace) => namespace.path === path);
      const ofParts = needsOf(after?.graph ?? emptyGraph(), before?.graph ?? emptyGraph());
      return [
        ...(after?.isMade
          ? [madeAt(path, 'update, delete')]
          : before?.isMade
            ? [madeAt(path, 'delete')]
            : []),
        ...[...ofParts, ...(isWhole ? wholeService.slice(1) : [])].map((need) => ({
          ...need,
          path: namespaceBelow(path, need.path),
        })),
      ];
    }),
  ];
  return tokenUses.toReversed().map((use) => {
    const name = nameOf(use);
    const head = `${name}: what a token needs for ${use} the stack ${stack}${isWhole ? ', with what others have on the service' : ''}, and no more.\nWritten by: gatehouse token-policy -s ${stack}${isWhole ? ' --whole' : ''}`;
    return { name, use, text: policyFor(use, needs, head) };
  });
}

/** The requests for a namespace, which go to the namespace around it. */
function madeAt(path: string, deploying: string): Need {
  const at = path.lastIndexOf('/');
  const [outer, name] = at === -1 ? ['', path] : [path.slice(0, at), path.slice(at + 1)];
  return {
    path: namespaceBelow(outer, `sys/namespaces/${name}`),
    planning: 'read',
    deploying,
  };
}

function namesIn({ methods, roles, groups, policies, identities = [] }: Graph): string[] {
  return [
    ...methods.map(({ path }) => path),
    ...[roles, groups, policies, identities].flatMap((all) => all.map(({ name }) => name)),
  ];
}

/** Whether a name means only itself in a policy. A segment `+`, a star at either end, and braces are patterns. */
function isLiteral(name: string): boolean {
  return !/(?:^|\/)\+(?:\/|$)|^\*|\*$|\{\{|\}\}|\$\{/.test(name);
}
