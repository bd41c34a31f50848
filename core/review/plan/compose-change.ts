import type { Change } from '../../model/change.ts';
import { fieldNamed } from '../../model/resources/field.ts';
import { tables } from '../../model/resources/tables.ts';
import type { State } from '../../model/state.ts';
import { type IdentifiedSubject, Identities } from './identities.ts';
import { messageOf, methodOf, policyTextOf, roleOf, textMap, textOf, textsOf } from './model-of.ts';
import type { PlannedResource, PlannedSide, PlanResources, ReviewedType } from './planned-resource.ts';
import { readableSide } from './readable-side.ts';
import { unknownFields } from './unknown-fields.ts';

/** A change, and the namespace of the service that it is made in; the root's is the empty text. */
export interface NamespacedChange {
  namespace: string;
  change: Change;
}

/**
 * Composes what a plan says of single resources to states before and after, one pair a namespace. Where the plan does
 * not tell a value, what was before stands in for it, and the subject is listed as unknown.
 */
export function composeChanges({ resources, known }: PlanResources): NamespacedChange[] {
  const byNamespace = new Map<string, PlannedResource[]>();
  for (const resource of resources) {
    const fields = (resource.after ?? resource.before)?.fields ?? {};
    const namespace = (textOf(fields['namespace']) ?? '').replace(/^\/+|\/+$/g, '');
    const own = byNamespace.get(namespace);
    if (own === undefined) byNamespace.set(namespace, [resource]);
    else own.push(resource);
  }
  return [...byNamespace]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, own]) => ({ namespace, change: composeChange(own, known) }));
}

function composeChange(resources: PlannedResource[], known: PlanResources['known']): Change {
  const identities = new Identities(resources, known);
  const change: Change = {
    before: emptyState(),
    after: emptyState(),
    replaced: [],
    rotated: [],
    unknown: [],
  };
  const seen = new Set<string>();
  for (const resource of resources) {
    const { type, address, replaced, rotated } = resource;
    const before = resource.before && readableSide(type, resource.before);
    // What stays as it is has one side for both, and becomes one object of both states.
    const stays = resource.after === resource.before;
    const after = stays ? before : resource.after && readableSide(type, resource.after);
    const old = before && identities.subject(type, before, 'before');
    const made = before && old && old !== 'orphaned' ? partOf(type, before, old) : undefined;
    if (made !== undefined) add(change.before, made);
    if (after === undefined) continue;
    const subject = identities.subject(type, after, 'after') ?? (replaced ? undefined : old);
    if (subject === undefined) {
      change.unknown.push({ type, name: address });
      continue;
    }
    if (subject === 'orphaned') continue;
    // Two resources that write one thing: which of them stays is for nobody to say.
    const key = JSON.stringify([type, subject.method, subject.name]);
    if (type !== 'message' && seen.has(key)) change.unknown.push(subject);
    seen.add(key);
    const untold = unknownFields(type, after);
    change.unknown.push(...untold.map((field) => ({ ...subject, field: modelFieldOf(type, field) })));
    const isSame = stays && made !== undefined && untold.length === 0;
    const side = replaced ? after : withKnown(after, before, untold);
    add(change.after, isSame ? made : partOf(type, side, subject));
    if (replaced && type === 'method') change.replaced.push(subject);
    change.rotated.push(...rotated.map((field) => ({ ...subject, field: modelFieldOf(type, field) })));
  }
  return change;
}

/** What is not told is taken to stay as it was. */
function withKnown(after: PlannedSide, before: PlannedSide | undefined, untold: string[]): PlannedSide {
  const fields = { ...after.fields };
  for (const field of untold) {
    if (before !== undefined && field in before.fields) fields[field] = before.fields[field];
  }
  return { ...after, fields };
}

function modelFieldOf(type: ReviewedType, field: string): string {
  return fieldNamed(tables[type], field === 'message_base64' ? 'message' : field) ?? field;
}

/** One entry of a state, with the list that it belongs to. */
type Part = {
  [List in keyof Required<State>]: { list: List; entry: Required<State>[List][number] };
}[keyof State];

function partOf(type: ReviewedType, { fields }: PlannedSide, subject: IdentifiedSubject): Part {
  const { name, method = '', group = '' } = subject;
  switch (type) {
    case 'method':
      return { list: 'methods', entry: methodOf(name, fields) };
    case 'role':
      return { list: 'roles', entry: roleOf(method, name, fields) };
    case 'group': {
      const metadata = textMap(fields['metadata']);
      return {
        list: 'groups',
        entry: { name, policies: textsOf(fields['policies']), ...(metadata && { metadata }) },
      };
    }
    case 'alias':
      return { list: 'aliases', entry: { name, method, group } };
    case 'policy':
      return { list: 'policies', entry: { name, text: policyTextOf(fields) } };
    case 'message':
      return { list: 'messages', entry: messageOf(fields) };
  }
}

function add(state: State, { list, entry }: Part): void {
  (state[list] as unknown[]).push(entry);
}

function emptyState(): State {
  return { methods: [], roles: [], groups: [], aliases: [], policies: [], messages: [] };
}
