import { type NamespaceGraph, parseEnvironment } from '@gatehouse/core/environment';
import { emptyGraph, namespaceWithin, type Subject } from '@gatehouse/core/graph';
import { readStackExport, stateOfStack } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { Engine, Stack } from '@gatehouse/engine';
import type { OpenEngine } from './engines.ts';
import { type DeclaredNamespace, isOfProgram } from './open-environment.ts';

/** What the state of a stack has for a namespace: it stands in for what the stack declares. */
export interface MadeNamespace extends DeclaredNamespace {
  /** The subjects whose values are encrypted in the state. */
  untold: Subject[];
  /** What may give access and is in no graph, in words. */
  unseen: string[];
}

/** The namespaces that a program of one's own made, its outermost first; never empty. */
export type MadeNamespaces = [MadeNamespace, ...MadeNamespace[]];

/**
 * What a program of one's own made; undefined for a stack that declares its environment itself.
 *
 * @throws GatehouseError what `openEngine`, `Engine.exportState` and `namespacesMade` throw
 */
export async function openMade(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  openEngine: OpenEngine,
  engineRequest: Parameters<OpenEngine>[0] = {},
): Promise<MadeNamespaces | undefined> {
  if (!isOfProgram(stack)) return undefined;
  const { engine } = await openEngine(engineRequest, stack, env);
  return await namespacesMade(stack, engine, env);
}

/** What the state of a stack has, to compare with what the stack declares. */
export interface StateGraphs {
  namespaces: NamespaceGraph[];
  /** Why it may not be all that the stack made, as a sentence; undefined where it is. */
  note?: string | undefined;
}

/**
 * What a stack made, with what is still to be deleted, by namespaces below the environment's own.
 *
 * @param within the environment's own namespace. Defaults to the root's.
 * @throws GatehouseError what `openEngine` throws
 */
export async function openStateGraphs(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  openEngine: OpenEngine,
  engineRequest: Parameters<OpenEngine>[0] = {},
  within = '',
): Promise<StateGraphs> {
  const { engine, warning } = await openEngine(engineRequest, stack, env);
  try {
    const exported = readStackExport(JSON.stringify(await engine.exportState(stack)));
    const { graphs, namespaces } = stateOfStack(exported, true);
    const placed = graphs.map(({ namespace, graph }) => ({
      path: namespaceWithin(within, namespace),
      graph,
    }));
    const paths = new Set([...placed.map(({ path }) => path), ...namespaces]);
    return {
      namespaces: [...paths].map((path) => ({
        path,
        graph: placed.find((state) => state.path === path)?.graph ?? emptyGraph(),
        isMade: namespaces.includes(path),
      })),
      note: warning,
    };
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    return { namespaces: [], note: `The state of the stack is not known. ${error.parts.what}` };
  }
}

/** @throws GatehouseError `environment_missing` for a state without anything of a service, `address_missing`, `state_several_services` */
async function namespacesMade(stack: Stack, engine: Engine, env: NodeJS.ProcessEnv): Promise<MadeNamespaces> {
  const { address, graphs, unseen } = stateOfStack(
    readStackExport(JSON.stringify(await engine.exportState(stack))),
  );
  if (graphs.length === 0) {
    throw new GatehouseError('environment_missing.state', {
      given: stack.name,
      values: { stack: stack.name },
    });
  }
  const at = address || env['VAULT_ADDR'];
  if (!at) throw new GatehouseError('address_missing');
  const outer = commonPath(graphs.map(({ namespace }) => namespace));
  const own = graphs.find(({ namespace }) => namespace === outer);
  const first = own ?? { namespace: outer, graph: emptyGraph(), untold: [] };
  const fromState = ({ namespace, graph, untold }: typeof first): MadeNamespace => ({
    path: namespace === outer ? '' : namespaceWithin(outer, namespace),
    isMade: false,
    environment: parseEnvironment({
      service: { address: at, ...(namespace !== '' && { namespace }) },
    }),
    graph,
    untold,
    unseen,
  });
  return [fromState(first), ...graphs.filter((state) => state !== own).map(fromState)];
}

/** The innermost namespace that holds all of them. */
function commonPath(paths: readonly string[]): string {
  const [first = [], ...rest] = paths.map((path) => path.split('/'));
  const end = first.findIndex((name, at) => rest.some((other) => other[at] !== name));
  return (end === -1 ? first : first.slice(0, end)).join('/');
}
