import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  apartList,
  canonicalOf,
  entityOfNode,
  groupOfNode,
  isApart,
  isKnownAs,
  isLoginEnforcement,
  isSubjectNamed,
  type KnownAccess,
  type KnownName,
  knownWords,
  type LiveGraph,
  methodOf,
  partsIn,
  resources,
  type Subject,
  sortedJson,
  subjectName,
  subjectOf,
} from '@gatehouse/core/graph';
import { GatehouseError, jsonIn, nameKey, nearest } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { readProject, replaceFile, stackFilePath } from '@gatehouse/engine/stack-files';
import { z } from 'zod';

/** A known thing, and whether it has changed since it was declared known. */
export interface KnownThing extends KnownAccess {
  /**
   * `recorded`: for the first time. `unrecorded`: there is no record of it, and none is made here. `unread`: the token may not
   * read all of it, and what it reads is not what was recorded.
   */
  state: 'same' | 'recorded' | 'unrecorded' | 'changed' | 'missing' | 'unread';
  /** Nodes of the service's graph that belong to it now and did not when it was recorded. */
  added: unknown[];
  /** Nodes that belonged to it when it was recorded and do not now. */
  removed: unknown[];
  /** For a thing that is missing: the name on the service that it most likely means. */
  likely?: string;
}

/** What a service has of which something can be known. */
export type KnownIn = Pick<LiveGraph, 'graph' | 'orphans' | 'undeclared' | 'disabled' | 'unreadable'>;

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
  known: readonly KnownAccess[],
  live: KnownIn,
  env: NodeJS.ProcessEnv,
): Promise<KnownThing[]> {
  const file = await knownFile(stack);
  const before = await readRecords(file);
  const compared = known.map((thing): KnownThing & { key: string; nodes: string[] } => {
    const key = knownWords(thing);
    const nodes = nodesOf(live, thing);
    const record = before[key];
    const added = difference(nodes, record ?? nodes);
    const removed = difference(record ?? [], nodes);
    const state = knownState({
      isRecorded: record !== undefined,
      isMissing: nodes.length === 0,
      isChanged: added.length + removed.length > 0,
      isUnread: isUnread(thing, live.unreadable),
      isInCI: Boolean(env['CI']),
    });
    const likely = nodes.length === 0 ? nearest(key, partNames(live, thing.kind)) : undefined;
    return { ...thing, key, nodes, state, added, removed, ...(likely !== undefined && { likely }) };
  });
  const first = compared.filter(({ state }) => state === 'recorded');
  if (first.length > 0) {
    const all = { ...before, ...Object.fromEntries(first.map(({ key, nodes }) => [key, nodes])) };
    const kept = Object.entries(all).filter(([key]) => compared.some((thing) => thing.key === key));
    await writeRecords(file, kept);
  }
  return compared.map(({ key: _, nodes: __, ...thing }) => thing);
}

/** What decides the state of a known thing. */
interface KnownFacts {
  isRecorded: boolean;
  /** Whether the service has nothing of it. */
  isMissing: boolean;
  /** Whether the service has more or less of it than its record. */
  isChanged: boolean;
  /** Whether the token may not read all of it. */
  isUnread: boolean;
  isInCI: boolean;
}

function knownState({ isRecorded, isMissing, isChanged, isUnread, isInCI }: KnownFacts): KnownThing['state'] {
  if (isRecorded && !isMissing && !isChanged) return 'same';
  if (isUnread) return 'unread';
  if (isMissing) return 'missing';
  if (!isRecorded) return isInCI ? 'unrecorded' : 'recorded';
  return 'changed';
}

/**
 * Records what is known for the first time, in a folder without a record.
 *
 * @returns the name of the file
 */
export async function recordKnown(
  folder: string,
  stack: string,
  known: readonly KnownAccess[],
  live: KnownIn,
): Promise<string> {
  const read = known.filter((thing) => !isUnread(thing, live.unreadable));
  const entries = read.map((thing) => [knownWords(thing), nodesOf(live, thing)] as const);
  await writeRecords(join(folder, recordName(stack)), entries);
  return recordName(stack);
}

/** The name of the record of a stack. Pulumi takes every `Pulumi.*` for a stack file. */
export function recordName(stack: string): string {
  return `known.${stack}.json`;
}

async function writeRecords(file: string, all: readonly (readonly [string, string[]])[]): Promise<void> {
  const sorted = all.toSorted(([key], [otherKey]) => (key < otherKey ? -1 : 1));
  await replaceFile(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

function difference(nodes: readonly string[], excluded: readonly string[]): unknown[] {
  return nodes.filter((node) => !excluded.includes(node)).map((node) => jsonIn(node) ?? node);
}

/** Names of all parts of a kind, as `known` has them after the kind. */
function partNames({ graph }: KnownIn, kind: KnownAccess['kind']): string[] {
  return resources
    .filter(({ type }) => type === kind)
    .flatMap((resource) => partsIn(graph, resource).map((part) => subjectName(subjectOf(resource, part))));
}

/** What has to be read for all of a known thing, by its kind. */
const readFor: Record<KnownAccess['kind'], Subject['type'][]> = {
  method: ['method', 'role', 'group', 'entity', 'other'],
  role: ['method', 'role'],
  group: ['method', 'group', 'entity'],
  alias: ['method', 'group'],
  entity: ['method', 'group', 'entity'],
  policy: ['policy'],
  message: ['message'],
  namespace: ['other'],
  enforcement: ['other'],
};

/** Whether the token may not read all of a known thing. */
function isUnread({ kind, name }: KnownName, unreadable: KnownIn['unreadable']): boolean {
  return unreadable.some(({ subject }) => {
    if (!readFor[kind].includes(subject.type)) return false;
    if (isApart(kind)) return subject.name === apartList(kind);
    if (subject.method !== undefined) {
      // A role, user or list of another method says nothing of this one.
      const path = nameKey(subject.method);
      return nameKey(name) === path || nameKey(name).startsWith(`${path}/`);
    }
    return subject.name === '*' || subject.type !== kind || isKnownAs({ kind, name }, subject);
  });
}

/** All nodes of a service that are, lead to, or are in a thing, or the field that is known; as JSON, sorted. */
function nodesOf(live: KnownIn, known: KnownName): string[] {
  const { kind, name, field } = known;
  const { graph, orphans, undeclared, disabled } = live;
  if (field !== undefined) return fieldIn(live, known, field);
  const isSame = (text: string | undefined) => text !== undefined && nameKey(text) === nameKey(name);
  const parts = resources.flatMap((resource) =>
    partsIn(graph, resource).filter((part) => {
      const subject = subjectOf(resource, part);
      const { group } = part as { group?: string };
      return (
        isKnownAs(known, subject) ||
        (kind === 'method' && isSame(subject.method)) ||
        (kind === 'group' && isSame(group))
      );
    }),
  );
  const otherNodes = (graph.others ?? []).filter(
    (node) =>
      (kind === 'method' && isSame(methodOf(node))) ||
      (kind === 'role' && node.kind === 'program' && isSame(`${node.method}/${node.name}`)) ||
      (kind === 'alias' && node.kind === 'otherAlias' && isSame(`${node.method}/${node.name}`)) ||
      (kind === 'entity' && isSame(entityOfNode(node))) ||
      (kind === 'group' && isSame(groupOfNode(node))) ||
      (kind === 'enforcement' && node.kind === 'guard' && isLoginEnforcement(node) && isSame(node.name)),
  );
  const around = (graph.identities ?? []).filter(({ members = [] }) =>
    members.some((member) => member.kind === kind && isSame(member.name)),
  );
  const apart = [
    ...undeclared.filter((finding) => finding.kind === 'unmanaged' && isKnownAs(known, finding.subject)),
    ...orphans.filter((orphan) => kind === 'alias' && isSame(orphan.name)),
    ...disabled.filter((entity) => kind === 'entity' && isSame(entity.name)),
  ];
  return [...new Set([...parts, ...otherNodes, ...around, ...apart].map((node) => sortedJson(node)))].sort();
}

/** The value of one field of a part, where it has one. */
function fieldIn({ graph }: KnownIn, { kind, name }: KnownName, field: string): string[] {
  return resources.flatMap((resource) =>
    partsIn(graph, resource)
      .filter((part) => isSubjectNamed(subjectOf(resource, part), `${kind} ${name}`))
      .flatMap((part) => {
        const value = canonicalOf(resource, part)[field];
        return value === undefined ? [] : sortedJson({ [field]: value });
      }),
  );
}

async function knownFile(stack: Stack): Promise<string> {
  const folder = dirname(stackFilePath(await readProject(stack.directory), stack.name));
  return join(folder, recordName(stack.name));
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
