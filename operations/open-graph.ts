import type { Readable } from 'node:stream';
import { readLiveGraph } from '../client/live-graph.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { uncertainOf } from '../core/access/questions/change.ts';
import type { Graph } from '../core/model/graph.ts';
import { method } from '../core/model/resources/auth-method.ts';
import { policy } from '../core/model/resources/policy.ts';
import { partsIn, resources } from '../core/model/resources/resources.ts';
import { role } from '../core/model/resources/role.ts';
import { subjectText } from '../core/model/subject.ts';
import { nameKey } from '../core/model/values/name-key.ts';
import { composeChanges, type Place } from '../core/review/plan/compose-change.ts';
import type { PlanResources } from '../core/review/plan/planned-resource.ts';
import type { Stack } from '../engine/stack.ts';
import { openNamespaceClient } from './open-client.ts';
import { openDeclared } from './open-environment.ts';
import { readPlanFile } from './read-plan-file.ts';

/** A graph that is asked about, and what else may give access and is not in it, in words. */
export interface AskedGraph {
  place: Place;
  graph: Graph;
  unseen: string[];
}

/** Where a graph comes from: what a stack declares, the service of that stack, or a plan once it is applied. */
export type GraphSource =
  | { from: 'declared' | 'live'; stack: Stack; env: NodeJS.ProcessEnv }
  | { from: 'plan'; path: string; stdin: Readable };

/**
 * Opens the graphs that a question is about: one, or one for each server and namespace of a plan.
 *
 * @throws GatehouseError what `openDeclared`, `readPlanFile` and the client throw
 */
export async function openGraphs(source: GraphSource): Promise<AskedGraph[]> {
  if (source.from === 'plan') return graphsAfter(await readPlanFile(source.path, source.stdin));
  const { environment, graph } = await openDeclared(source.stack, source.env);
  if (source.from === 'declared') return [{ place: {}, graph, unseen: [] }];
  const client = openNamespaceClient(environment.service, source.env);
  try {
    return [{ place: {}, ...(await wholeLiveGraph(client)) }];
  } finally {
    client.close();
  }
}

function graphsAfter(plan: PlanResources): AskedGraph[] {
  const leftOut = [
    ...plan.incomplete,
    ...plan.passedOver.flatMap(({ type, ofService, changed }) =>
      ofService && changed > 0 ? `what resources of type ${type} give` : [],
    ),
  ];
  return composeChanges(plan).map(({ place, change: { after, unknown } }) => ({
    place,
    graph: after,
    unseen: [...uncertainOf(unknown), ...leftOut],
  }));
}

/** Everything on a service that bears on who can do what, declared or not. */
export async function wholeLiveGraph(client: ServiceClient): Promise<Omit<AskedGraph, 'place'>> {
  const { graph, unreadable, beside } = await readLiveGraph(client, { messages: false, beside: true });
  const others = beside.filter(
    ({ kind, subject }) =>
      kind === 'unmanaged' && (subject.type === method.type || subject.type === role.type),
  );
  const written = beside.flatMap(({ subject, field, live }) =>
    subject.type === policy.type && field === 'text' ? { name: subject.name, text: String(live) } : [],
  );
  const isListed = !unreadable.some(({ subject }) => subject.type === policy.type && subject.name === '*');
  const hidden = unreadable.flatMap(({ subject }) =>
    subject.type === policy.type ? nameKey(subject.name) : [],
  );
  const there = new Set([...graph.policies.map(({ name }) => nameKey(name)), ...hidden, 'default', 'root']);
  const held = resources.flatMap((one) => partsIn(graph, one).flatMap((part) => one.grants?.(part) ?? []));
  // A policy that is not on the service gives nothing, though roles and groups name it.
  const absent = isListed
    ? new Set(held.map(nameKey).filter((name) => !there.has(name) && !name.includes('{{')))
    : [];
  return {
    graph: {
      ...graph,
      policies: [...graph.policies, ...written, ...[...absent].map((name) => ({ name, text: '' }))],
    },
    unseen: [
      ...unreadable.map(({ subject, why }) => `what ${subjectText(subject)} is: it cannot be read (${why})`),
      ...others.map(
        ({ subject, note }) =>
          `what ${subjectText(subject)} gives (${note}): Gatehouse does not look into that`,
      ),
    ],
  };
}
