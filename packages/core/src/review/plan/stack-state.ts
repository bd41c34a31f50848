import type { Graph } from '../../graph/graph.ts';
import { namespaceToken } from '../../graph/resources/namespace.ts';
import { partsIn, resources } from '../../graph/resources/resources.ts';
import { type Subject, subjectKey, subjectOf } from '../../graph/subject.ts';
import { GatehouseError } from '../../graph/values/errors.ts';
import { isHiddenText } from '../../graph/values/hidden-text.ts';
import { namespaceBelow } from '../../graph/values/namespace-path.ts';
import { toSnakeCase } from '../../graph/values/wire.ts';
import { composeChanges } from './compose-change.ts';
import { holds } from './json-parts.ts';
import { isServiceProvider, typeOfUrn } from './pulumi-servers.ts';
import { keptFromOutputs, readPulumiPreview } from './read-pulumi-preview.ts';
import type { ExportedResource, StackExport } from './stack-export.ts';

/** What a stack made, as its state has it. */
export interface StackState {
  /** Of its service; undefined where the program left it to `VAULT_ADDR`. */
  address?: string;
  /** One graph a namespace, by their paths from the root. */
  graphs: { namespace: string; graph: Graph; untold: Subject[] }[];
  /** Namespaces that it made, by their paths below that of its provider. */
  namespaces: string[];
  /** What may give access and is in no graph, in words. */
  unseen: string[];
}

/**
 * Reads the state of a stack as what its program declares: for programs whose stack files declare nothing.
 *
 * @param withLeftovers also what is still to be deleted, because its replacement was made first. Defaults to false.
 * @throws GatehouseError `state_several_services`
 */
export function stateOfStack(
  { resources: all, isInterrupted }: StackExport,
  withLeftovers = false,
): StackState {
  const kept = withLeftovers ? all.map(apart) : all.filter(isKept);
  const steps = kept.map((resource) => {
    const state = resource.external === true ? resource : asked(resource);
    return { op: 'same', urn: resource.urn, oldState: state, newState: state };
  });
  const plan = readPulumiPreview({ steps });
  const placed = composeChanges(plan);
  const servers = [...new Set(placed.flatMap(({ place }) => place.server ?? []))];
  if (servers.length > 1) throw new GatehouseError('state_several_services', { given: servers.join(', ') });
  const address = addressOf(kept);
  return {
    ...(address !== undefined && { address }),
    graphs: placed.map(({ place, change: { after, unknown } }) => ({
      namespace: place.namespace ?? '',
      graph: after,
      untold: [...unknown, ...hiddenIn(after, unknown)],
    })),
    namespaces: kept.flatMap(({ urn, inputs }) => {
      const { path, namespace } = inputs;
      if (typeOfUrn(urn) !== namespaceToken || typeof path !== 'string') return [];
      return namespaceBelow(typeof namespace === 'string' ? namespace : '', path);
    }),
    unseen: [
      ...plan.incomplete,
      ...plan.passedOver.flatMap(({ type, ofService }) =>
        ofService ? `what resources of type ${type} give` : [],
      ),
      ...(isInterrupted ? ['what the deployment did last, which was interrupted'] : []),
    ],
  };
}

const isKept = (resource: ExportedResource) => resource.delete !== true;

/** What is still to be deleted has the URN of its replacement: here, one of its own. */
function apart(resource: ExportedResource, index: number): ExportedResource {
  return isKept(resource) ? resource : { ...resource, urn: `${resource.urn}-leftover-${index}` };
}

/** What the program asks for: the outputs also have what the service made of the rest. */
function asked(resource: ExportedResource): ExportedResource {
  const computed = Object.entries(resource.outputs).filter(([name]) =>
    keptFromOutputs.includes(toSnakeCase(name)),
  );
  return { ...resource, outputs: { ...Object.fromEntries(computed), ...resource.inputs } };
}

/** Of the provider that the resources are made with; providers that nothing is made with say nothing. */
function addressOf(all: readonly ExportedResource[]): string | undefined {
  const used = new Set(all.flatMap(({ provider = '' }) => provider.slice(0, provider.lastIndexOf('::'))));
  const addresses = all.flatMap(({ urn, inputs }) => {
    const { address } = inputs;
    const isUsed = isServiceProvider(urn) && used.has(urn);
    return isUsed && typeof address === 'string' ? address : [];
  });
  return addresses[0];
}

/** What the state holds encrypted. */
function hiddenIn(graph: Graph, known: readonly Subject[]): Subject[] {
  const listed = new Set(known.map(subjectKey));
  return resources.flatMap((resource) =>
    partsIn(graph, resource).flatMap((part) => {
      const subject = subjectOf(resource, part);
      return holds(part, isHiddenText) && !listed.has(subjectKey(subject)) ? [subject] : [];
    }),
  );
}
