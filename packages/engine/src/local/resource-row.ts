import { isDeepStrictEqual } from 'node:util';
import type { ResourceState } from '../resource-state.ts';
import type { Goal } from './goal.ts';

/** The row of a resource that the program registers. */
export function newRow(urn: string, goal: Goal, rest: Partial<ResourceState>): ResourceState {
  const { type, inputs, parent, dependencies, provider, additionalSecretOutputs, sourcePosition } = goal;
  return {
    urn,
    type,
    custom: true,
    inputs,
    outputs: {},
    parent,
    protect: false,
    dependencies,
    propertyDependencies: {},
    provider,
    initErrors: [],
    delete: false,
    pendingReplacement: false,
    additionalSecretOutputs,
    replaceOnChanges: [],
    sourcePosition,
    ...rest,
  };
}

/** Gives a row new contents, but keeps its identity in the state. */
export function overwrite(row: ResourceState, next: ResourceState): void {
  const fields = row as Partial<ResourceState>;
  for (const key of Object.keys(row) as (keyof ResourceState)[]) {
    if (!(key in next)) delete fields[key];
  }
  Object.assign(row, next);
}

const compared = [
  ...(['urn', 'type', 'custom', 'id', 'parent', 'provider', 'protect', 'importId', 'inputs'] as const),
  ...(['outputs', 'pendingReplacement', 'additionalSecretOutputs', 'replaceOnChanges'] as const),
];

/**
 * Whether an unchanged resource must still be written (pulumi/pulumi `pkg/backend/snapshot.go`, `mustWrite`). A new
 * source position is not written.
 */
export function mustWrite(old: ResourceState, next: ResourceState): boolean {
  return !(
    compared.every((field) => isDeepStrictEqual(old[field], next[field])) &&
    old.initErrors.length === next.initErrors.length &&
    sameSet(old.dependencies, next.dependencies) &&
    samePropertyDependencies(old, next)
  );
}

function samePropertyDependencies(old: ResourceState, next: ResourceState): boolean {
  const before = old.propertyDependencies;
  const after = next.propertyDependencies;
  return (
    Object.keys(before).every((key) => sameSet(before[key] ?? [], after[key] ?? [])) &&
    Object.keys(after).every((key) => key in before || after[key]?.length === 0)
  );
}

function sameSet(a: string[], b: string[]): boolean {
  if (a.length !== b.length) return false;
  if (a.every((entry, index) => entry === b[index])) return true;
  const members = new Set(a);
  return b.every((entry) => members.has(entry));
}
