import { decideAccess } from '@gatehouse/core/access';
import type { Environment } from '@gatehouse/core/environment';
import {
  type Difference,
  type Graph,
  graphDifferences,
  type Known,
  kinds,
  message,
  nameOfNamespace,
  namespaceAbove,
  partWith,
  resourceNamed,
  restored,
  role,
  type ServiceGraph,
  type Subject,
  sizeOf,
  subjectKey,
  subjectName,
  subjectWithin,
} from '@gatehouse/core/graph';
import {
  type AccessVerdict,
  ended,
  type Finding,
  judgeBy,
  promiseBroken,
  ruleOptions,
  verdictOf,
  verdictOfAll,
} from '@gatehouse/core/review';
import { GatehouseError, nameKey, readBudget } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { type OnRead, readLiveGraph, type ServiceClient, type Unreadable } from '@gatehouse/service-client';
import { checkToken } from '../deployment/check-ready.ts';
import { openNamespaceClient } from '../open/open-client.ts';
import { type Declared, type DeclaredNamespace, openNamespaces } from '../open/open-environment.ts';
import { wholeLiveGraph } from '../open/open-graph.ts';
import { compareKnown, type KnownThing } from './known.ts';

export interface DriftRequest {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  /** Say too what is on the service and not declared. */
  unmanaged: boolean;
  /** Leave out what bears on nothing: titles, texts of messages, descriptions. Defaults to false. */
  accessOnly?: boolean;
  onRead?: OnRead;
  /** Ends the reading: it then fails. Defaults to none. */
  signal?: AbortSignal;
}

/** What the service holds differently from what is declared. */
export interface DriftReport {
  address: string;
  /** Declared, and missing or changed. */
  differences: Difference[];
  /** On the service, and not declared; empty unless asked for. */
  unmanaged: Difference[];
  /** What the service did not let us read: so whether it is as declared is not known. */
  unverifiable: Unreadable[];
  /** Secrets that are declared: no service ever shows one. */
  secrets: Subject[];
  /** Roles of declared methods that no one declared; of those methods whose roles may be listed. */
  undeclaredRoles: number;
  /** Entities without policies of their own; counted with what is not declared, and else 0. */
  plainEntities: number;
  compared: number;
  /** Promises of the environment that what is on the service breaks, or of which that cannot be said. */
  promises: Finding[];
  /** What should have ended, and the service goes on with. */
  ended: Finding[];
  /** What is known: managed elsewhere, and how it is since it was declared known. */
  known: KnownThing[];
  /** Who gains and who loses by the differences; undefined where nothing that bears on access differs. */
  access?: AccessVerdict;
}

/**
 * Compares what a stack declares with what its service holds, by what it means.
 *
 * @throws GatehouseError `token_refused`, and what `openDeclared`, `compareKnown` and the client throw
 */
export async function drift(request: DriftRequest): Promise<DriftReport> {
  const { stack, env } = request;
  const all = await openNamespaces(stack, env);
  const [own, ...otherNamespaces] = all;
  const { service } = own.environment;
  request.signal?.throwIfAborted();
  const client = openNamespaceClient(service, env);
  request.signal?.addEventListener('abort', () => client.close());
  const childrenOf = (outer: string) =>
    all.flatMap(({ path }) => (path !== '' && namespaceAbove(path) === outer ? nameOfNamespace(path) : []));
  try {
    const reports = await Promise.all([
      compareWithService(own, client, { ...request, children: childrenOf('') }, (whole) =>
        compareKnown(stack, own.environment.known, whole, env),
      ),
      ...otherNamespaces.map(async (declared) => {
        const { path } = declared;
        const there = client.with({ namespace: path });
        const asked = { ...request, children: childrenOf(path) };
        try {
          const found = await compareWithService(declared, there, asked);
          return within(path, found);
        } catch (error) {
          const isGone = error instanceof GatehouseError && error.code === 'namespace_not_found';
          if (declared.isMade && isGone) return notMade(declared);
          throw error;
        }
      }),
    ]);
    return together(service.address, reports);
  } finally {
    client.close();
  }
}

/** A namespace that the stack makes and the service does not have. */
function notMade({ path, environment, graph }: DeclaredNamespace): DriftReport {
  const subject: Subject = { type: 'other', name: `namespace ${JSON.stringify(path)}` };
  return {
    address: environment.service.address,
    differences: [{ kind: 'missing', subject, note: 'with all that is declared for it' }],
    compared: sizeOf(graph) + 1,
    ...{ unmanaged: [], unverifiable: [], secrets: [], promises: [], ended: [], known: [] },
    ...{ undeclaredRoles: 0, plainEntities: 0 },
  };
}

/** A report of a namespace: its subjects say where they are. */
function within(namespace: string, report: DriftReport): DriftReport {
  const placed = <One extends { subject: Subject }>(all: readonly One[]): One[] =>
    all.map((one) => ({ ...one, subject: subjectWithin(namespace, one.subject) }));
  const { access } = report;
  return {
    ...report,
    differences: placed(report.differences),
    unmanaged: placed(report.unmanaged),
    unverifiable: placed(report.unverifiable),
    secrets: report.secrets.map((subject) => subjectWithin(namespace, subject)),
    promises: placed(report.promises),
    ended: placed(report.ended),
    ...(access && { access: { ...access, access: access.access.map((one) => ({ ...one, namespace })) } }),
  };
}

/** The reports of a stack's namespaces as one. */
function together(address: string, all: readonly DriftReport[]): DriftReport {
  const sum = (part: 'undeclaredRoles' | 'plainEntities' | 'compared') =>
    all.reduce((total, one) => total + one[part], 0);
  const verdicts = all.flatMap(({ access }) => access ?? []);
  return {
    address,
    differences: all.flatMap(({ differences }) => differences),
    unmanaged: all.flatMap(({ unmanaged }) => unmanaged),
    unverifiable: all.flatMap(({ unverifiable }) => unverifiable),
    secrets: all.flatMap(({ secrets }) => secrets),
    undeclaredRoles: sum('undeclaredRoles'),
    plainEntities: sum('plainEntities'),
    compared: sum('compared'),
    promises: all.flatMap(({ promises }) => promises),
    ended: all.flatMap(({ ended }) => ended),
    known: all.flatMap(({ known }) => known),
    ...(verdicts.length > 0 && { access: verdictOfAll(verdicts) }),
  };
}

/** What is compared of one namespace. */
interface Comparison extends Pick<DriftRequest, 'unmanaged' | 'accessOnly' | 'onRead'> {
  /** Names of the namespaces in it that are declared. Defaults to none. */
  children?: readonly string[];
}

/** The same from loaded configuration, with an open client. */
export async function compareWithService(
  { environment, graph }: Declared,
  client: ServiceClient,
  { unmanaged, accessOnly = false, onRead, children = [] }: Comparison,
  knownIn: (whole: Graph) => Promise<KnownThing[]> = async () => [],
): Promise<DriftReport> {
  const live = await readLiveGraph(client, {
    known: graph,
    messages: environment.service.features.messages,
    // What no one asks for is not read: another team's methods may hold thousands of roles.
    knownOnly: !unmanaged,
    undeclared: true,
    onRead,
  });
  if (live.unreadable.length > 0 && sizeOf(live.graph) === 0) await checkToken(client);
  const all = [...graphDifferences(graph, live.graph), ...live.undeclared].filter(
    (one) => !accessOnly || bearsOnAccess(one),
  );
  const { known } = environment;
  const declared = children.map((name) => `namespace ${JSON.stringify(`${name}/`)}`);
  const undeclared = all.filter(
    ({ kind, subject }) =>
      kind === 'unmanaged' && !isKnown(known, subject) && !declared.includes(subject.name),
  );
  const unverifiable = live.unreadable.filter(({ subject }) => unmanaged || !isListWithNames(subject));
  const isHidden = hiddenBy(unverifiable, graph);
  const differences = all.filter(
    (one) => one.kind !== 'unmanaged' && !(one.kind === 'missing' && isHidden(one)),
  );
  const isJudged = differences.some(bearsOnAccess);
  const isWholeAsked = isJudged || known.length > 0 || environment.promises.length > 0;
  const whole = isWholeAsked
    ? await wholeLiveGraph(client, { budget: readBudget, known: graph, onRead })
    : undefined;
  const options = { ...ruleOptions(environment), now: BigInt(Date.now()) * 1_000_000n };
  return {
    address: environment.service.address,
    differences,
    unmanaged: unmanaged ? [...undeclared, ...live.orphans.map(orphaned)] : [],
    undeclaredRoles: unmanaged
      ? undeclared.filter(({ subject }) => isRoleOf(graph, subject)).length
      : live.otherRoles,
    plainEntities: live.plainEntities,
    unverifiable,
    secrets: secretsOf(environment),
    compared: sizeOf(graph),
    promises:
      whole && environment.promises.length > 0
        ? judgeBy([promiseBroken], whole.graph, { ...options, unseen: whole.missing })
        : [],
    ended: judgeBy([ended], graph, options).filter(({ severity }) => severity === 'error'),
    known: whole && known.length > 0 ? await knownIn(whole.graph) : [],
    ...(whole && isJudged && { access: accessBy(whole, graph, differences, options.now) }),
  };
}

/** What became of access, from what is declared to what is there. */
function accessBy(
  { graph, missing }: ServiceGraph,
  declared: Graph,
  differences: Difference[],
  now: bigint,
): AccessVerdict {
  const change = {
    ...{ before: restored(graph, declared, differences), after: graph, missing },
    ...{ replaced: [], rotated: [], unknown: [] },
  };
  return verdictOf(change, decideAccess(change, now));
}

/** A message, and a field that is only shown, let no one in. */
function bearsOnAccess({ subject, field }: Difference): boolean {
  if (subject.type === message.type) return false;
  return resourceNamed(subject.type)?.fields[field ?? '']?.bearsOn !== 'nothing' && field !== 'description';
}

/** A known auth method is known with what is in it. */
function isKnown(known: readonly Known[], subject: Subject): boolean {
  return known.some(({ kind, name }) => {
    const wanted = nameKey(`${kind} ${name}`);
    return nameKey(subjectName(subject)) === wanted || nameKey(`method ${subject.method ?? ''}`) === wanted;
  });
}

function isRoleOf({ methods }: Graph, { type, method }: Subject): boolean {
  return type === role.type && methods.some(({ path }) => path === method);
}

/** A list that may not be read matters only to what is not declared: the rest is read by its names. */
function isListWithNames({ type, name }: Subject): boolean {
  return name === '*' && resourceNamed(type)?.wire?.nameInList === undefined;
}

/** Whether something is missing only because it, or what it is read with, may not be read. */
function hiddenBy(unverifiable: Unreadable[], graph: Graph) {
  const hidden = new Set(unverifiable.map(({ subject }) => subjectKey(subject)));
  const isHidden = (one: { type: string; name: string; method?: string }) => hidden.has(subjectKey(one));
  return ({ subject }: Difference): boolean => {
    const resource = resourceNamed(subject.type);
    const part = resource && partWith(graph, resource, subject);
    const owner = part && resource?.readWith?.(part);
    const list = owner !== undefined && resource?.wire === undefined ? owner : subject;
    return [subject, { ...list, name: '*' }, ...(owner === undefined ? [] : [owner])].some(isHidden);
  };
}

function orphaned({ name, group, accessor }: { name: string; group: string; accessor: string }): Difference {
  return {
    kind: 'unmanaged',
    subject: { type: 'alias', name },
    note: `it leads to the group ${JSON.stringify(group)}, and its auth method (${accessor}) is gone`,
  };
}

/** Where secrets stand that no service shows again. */
function secretsOf({ serviceAccountKeys, providers }: Environment): Subject[] {
  const path = (owner: string) => providers.find(({ name }) => name === owner)?.path ?? owner;
  return [
    ...providers
      .filter(({ kind }) => kinds[kind].methodType === 'oidc')
      .map(({ name }) => ({ type: 'method' as const, name: path(name), field: 'oidcClientSecret' })),
    ...serviceAccountKeys.map((owner) => ({
      type: 'method' as const,
      name: path(owner),
      field: 'providerConfig.suiteServiceAccount',
    })),
  ];
}
