import {
  apartSubject,
  type Graph,
  message,
  nameOfNamespace,
  namespaceAbove,
  type Subject,
  sizeOf,
  subjectWithin,
  wordsOf,
} from '@gatehouse/core/graph';
import { type Drift, driftOf, verdictOfAll } from '@gatehouse/core/review';
import { GatehouseError, readBudget } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { placeOf, readLiveGraph, type ServiceClient, sharingReads } from '@gatehouse/service-client';
import { checkToken } from '../deployment/check-ready.ts';
import { compareKnown, type KnownIn, type KnownThing } from '../open/known.ts';
import { openNamespaceClient } from '../open/open-client.ts';
import { type Declared, type DeclaredNamespace, openNamespaces } from '../open/open-environment.ts';
import { type ReadLimits, serviceGraphOf } from '../open/open-graph.ts';
import type { MadeNamespace, MadeNamespaces } from '../open/open-state.ts';

export interface DriftRequest {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  /** What the program of the stack made, where its stack file declares nothing. Defaults to what the stack declares. */
  fromState?: MadeNamespaces | undefined;
  /** Also report what is on the service and not declared. */
  unmanaged: boolean;
  /** Leave out what bears on nothing: titles, texts of messages, descriptions. Defaults to false. */
  accessOnly?: boolean;
  onRead?: ReadLimits['onRead'];
  /** Aborts the reading, which then fails. Defaults to none. */
  signal?: AbortSignal;
}

/** What the service holds differently from what is declared. */
export interface DriftReport extends Drift {
  address: string;
  /** What is managed elsewhere and declared known, and whether it has changed since. */
  known: KnownThing[];
}

/**
 * Compares what a stack declares with what its service holds, by what it means.
 *
 * @throws GatehouseError `token_refused`, and what `openDeclared`, `compareKnown` and the client throw
 */
export async function drift(request: DriftRequest): Promise<DriftReport> {
  const { stack, env, fromState } = request;
  const all = fromState ?? (await openNamespaces(stack, env));
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
        const namespaceClient = client.with({ namespace: path });
        const comparison = { ...request, children: childrenOf(path) };
        try {
          const report = await compareWithService(declared, namespaceClient, comparison);
          return reportWithin(path, report);
        } catch (error) {
          const isGone = error instanceof GatehouseError && error.code === 'namespace_not_found';
          if (declared.isMade && isGone) return notMade(declared);
          throw error;
        }
      }),
    ]);
    return joinedReports(service.address, reports);
  } finally {
    client.close();
  }
}

/** A namespace that the stack makes and the service does not have. */
function notMade({ path, environment, graph }: DeclaredNamespace): DriftReport {
  const subject = apartSubject('namespace', path);
  return {
    address: environment.service.address,
    differences: [{ kind: 'missing', subject, note: 'with all that is declared for it' }],
    compared: sizeOf(graph) + 1,
    unmanaged: [],
    unverifiable: [],
    missing: [],
    secrets: [],
    promises: [],
    ended: [],
    trust: [],
    known: [],
    isUnmanagedDrift: false,
    plainEntities: 0,
  };
}

/** The report of a namespace, whose subjects then say in which namespace they are. */
function reportWithin(namespace: string, report: DriftReport): DriftReport {
  const placed = <Part extends { subject: Subject }>(all: readonly Part[]): Part[] =>
    all.map((part) => ({ ...part, subject: subjectWithin(namespace, part.subject) }));
  const { access } = report;
  return {
    ...report,
    differences: placed(report.differences),
    unmanaged: placed(report.unmanaged),
    unverifiable: placed(report.unverifiable),
    secrets: report.secrets.map((subject) => subjectWithin(namespace, subject)),
    promises: placed(report.promises),
    ended: placed(report.ended),
    trust: placed(report.trust),
    ...(access && {
      access: { ...access, access: access.access.map((change) => ({ ...change, namespace })) },
    }),
  };
}

/** The reports of a stack's namespaces as one. */
function joinedReports(address: string, all: readonly DriftReport[]): DriftReport {
  const sum = (part: 'plainEntities' | 'compared') => all.reduce((total, report) => total + report[part], 0);
  const verdicts = all.flatMap(({ access }) => access ?? []);
  return {
    address,
    differences: all.flatMap(({ differences }) => differences),
    unmanaged: all.flatMap(({ unmanaged }) => unmanaged),
    isUnmanagedDrift: all.some(({ isUnmanagedDrift }) => isUnmanagedDrift),
    unverifiable: all.flatMap(({ unverifiable }) => unverifiable),
    missing: [...new Set(all.flatMap(({ missing }) => missing))],
    secrets: all.flatMap(({ secrets }) => secrets),
    plainEntities: sum('plainEntities'),
    compared: sum('compared'),
    promises: all.flatMap(({ promises }) => promises),
    ended: all.flatMap(({ ended }) => ended),
    trust: all.flatMap(({ trust }) => trust),
    known: all.flatMap(({ known }) => known),
    ...(verdicts.length > 0 && { access: verdictOfAll(verdicts) }),
  };
}

/** What is compared of one namespace. */
interface DriftComparison extends Pick<DriftRequest, 'unmanaged' | 'accessOnly' | 'onRead'> {
  /** Names of the namespaces in it that are declared. Defaults to none. */
  children?: readonly string[];
}

/** Compares what a configuration that is loaded already declares with its service, through an open client. */
export async function compareWithService(
  declared: Declared & Partial<MadeNamespace>,
  client: ServiceClient,
  { onRead, ...compared }: DriftComparison,
  knownIn: (whole: KnownIn) => Promise<KnownThing[]> = async () => [],
): Promise<DriftReport> {
  const { environment, graph, unseen = [] } = declared;
  const { address, features, namespace } = environment.service;
  const { unmanaged } = compared;
  // Where none are declared, a service without messages is as declared.
  const messages = features.messages && graph.messages.length > 0;
  const options = { known: graph, onRead, undeclared: true };
  return await sharingReads([placeOf(new URL(address), namespace)], async () => {
    // The budget does not limit the declared part.
    const live = await readLiveGraph(client, { ...options, messages, knownOnly: true });
    if (live.unreadable.length > 0 && sizeOf(live.graph) === 0) await checkToken(client);
    const hasKnown = environment.known.length > 0;
    const whole = await readLiveGraph(client, {
      ...options,
      whole: true,
      // What is known is compared as a whole, or not at all.
      budget: unmanaged || hasKnown ? undefined : readBudget,
      messages:
        features.messages && (unmanaged || environment.known.some(({ kind }) => kind === message.type)),
    });
    const answered = { declared: live, whole: { ...whole, ...serviceGraphOf(whole) } };
    const known = hasKnown ? await knownIn(answered.whole) : [];
    const now = BigInt(Date.now()) * 1_000_000n;
    const result = driftOf(declared, answered, { ...compared, now });
    return {
      address,
      ...result,
      unverifiable: [...result.unverifiable, ...uncompared(graph, unseen)],
      known,
    };
  });
}

/** What a program of one's own makes and no graph declares. It is not compared, and the report says so. */
function uncompared({ others = [] }: Graph, unseen: readonly string[]): Drift['unverifiable'] {
  const names = [...others.map(wordsOf), ...unseen];
  return names.map((name) => ({
    subject: { type: 'other' as const, name },
    why: 'It is compared by gatehouse preview --refresh alone.',
  }));
}
