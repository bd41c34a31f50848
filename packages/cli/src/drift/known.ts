import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Graph,
  isSubjectNamed,
  type Known,
  partsIn,
  resources,
  sortedJson,
  subjectName,
  subjectOf,
} from '@gatehouse/core/graph';
import { GatehouseError, jsonIn, nameKey, nearest } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readProject, replaceFile, stackFilePath } from '@gatehouse/engine/stack-files';
import { z } from 'zod';

/** What became of a known thing since it was declared known. */
export interface KnownThing extends Known {
  /** `recorded`: for the first time. `unrecorded`: there is no record of it, and none is made here. */
  state: 'same' | 'recorded' | 'unrecorded' | 'changed' | 'missing';
  /** What the service has of it now and had not, and the reverse: nodes of its graph. */
  added: unknown[];
  removed: unknown[];
  /** Of what is missing: the name on the service that it most likely means. */
  likely?: string;
}

const records = z.record(z.string(), z.array(z.string()));

/**
 * Compares what is known with its record in `known.<stack>.json`, next to the stack file, which belongs into git. A thing
 * without a record gets one, except in CI: there no one would keep it.
 *
 * @param live the whole service
 * @throws GatehouseError `known_record_invalid`, `file_unwritable`
 */
export async function compareKnown(
  stack: Stack,
  known: readonly Known[],
  live: Graph,
  env: NodeJS.ProcessEnv,
): Promise<KnownThing[]> {
  const file = await knownFile(stack);
  const before = await readRecords(file);
  const found = known.map((one): KnownThing & { key: string; nodes: string[] } => {
    const key = `${one.kind} ${one.name}`;
    const nodes = nodesOf(live, one);
    const record = before[key];
    const [added, removed] = [difference(nodes, record ?? nodes), difference(record ?? [], nodes)];
    const state = (): KnownThing['state'] => {
      if (nodes.length === 0) return 'missing';
      if (record === undefined) return env['CI'] ? 'unrecorded' : 'recorded';
      return added.length + removed.length === 0 ? 'same' : 'changed';
    };
    const likely = nodes.length === 0 ? nearest(key, namesOf(live, one.kind)) : undefined;
    return { ...one, key, nodes, state: state(), added, removed, ...(likely !== undefined && { likely }) };
  });
  const first = found.filter(({ state }) => state === 'recorded');
  if (first.length > 0) {
    const all = { ...before, ...Object.fromEntries(first.map(({ key, nodes }) => [key, nodes])) };
    const kept = Object.entries(all).filter(([key]) => found.some((one) => one.key === key));
    await replaceFile(file, `${JSON.stringify(Object.fromEntries(kept.sort()), undefined, 2)}\n`);
  }
  return found.map(({ key: _, nodes: __, ...one }) => one);
}

function difference(some: readonly string[], excluded: readonly string[]): unknown[] {
  return some.filter((one) => !excluded.includes(one)).map((one) => jsonIn(one) ?? one);
}

/** Names of all parts of a kind, as `known` has them after the kind. */
function namesOf(graph: Graph, kind: Known['kind']): string[] {
  return resources
    .filter(({ type }) => type === kind)
    .flatMap((resource) => partsIn(graph, resource).map((part) => subjectName(subjectOf(resource, part))));
}

/** All nodes of a graph that are, lead to, or are in a thing; as JSON, sorted. */
function nodesOf(graph: Graph, { kind, name }: Known): string[] {
  const isSame = (text: string | undefined) => text !== undefined && nameKey(text) === nameKey(name);
  const parts = resources.flatMap((resource) =>
    partsIn(graph, resource).filter((part) => {
      const subject = subjectOf(resource, part);
      const { group } = part as { group?: string };
      return (
        isSubjectNamed(subject, `${kind} ${name}`) ||
        (kind === 'method' && isSame(subject.method)) ||
        (kind === 'group' && isSame(group))
      );
    }),
  );
  const otherAccess = (graph.otherAccess ?? []).filter(
    (one) =>
      (kind === 'method' && (isSame(one.method) || isSame(one.identity?.name))) ||
      (kind === 'entity' && isSame(one.entity)) ||
      (kind === 'group' && isSame(one.group)),
  );
  const around = (graph.identities ?? []).filter(({ members = [] }) =>
    members.some((one) => one.kind === kind && isSame(one.name)),
  );
  return [...new Set([...parts, ...otherAccess, ...around].map((node) => sortedJson(node)))].sort();
}

async function knownFile(stack: Stack): Promise<string> {
  const folder = dirname(stackFilePath(await readProject(stack.directory), stack.name));
  // Pulumi takes every `Pulumi.*` for a stack file.
  return join(folder, `known.${stack.name}.json`);
}

async function readRecords(file: string): Promise<Record<string, string[]>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const read = records.safeParse(jsonIn(text));
  if (read.success) return read.data;
  throw new GatehouseError('known_record_invalid', { given: file });
}
