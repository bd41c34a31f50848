import type { State } from '../../model/state.ts';
import { modelName } from '../../model/wire.ts';
import type { Change } from '../../rules/change.ts';
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
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), resource]);
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
    const after = resource.after && readableSide(type, resource.after);
    const old = before && identities.subject(type, before, 'before');
    if (before !== undefined && old !== undefined) add(change.before, type, before, old);
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
    change.unknown.push(...untold.map((field) => ({ ...subject, field: modelFieldOf(field) })));
    add(change.after, type, replaced ? after : withKnown(after, before, untold), subject);
    if (replaced && type === 'method') change.replaced.push(subject);
    change.rotated.push(...rotated.map((field) => ({ ...subject, field: modelName(field) })));
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

function modelFieldOf(field: string): string {
  if (field === 'policy') return 'text';
  return field === 'message_base64' ? 'message' : modelName(field);
}

function add(
  state: State,
  type: ReviewedType,
  { fields }: PlannedSide,
  subject: IdentifiedSubject | 'orphaned',
): void {
  if (subject === 'orphaned') return;
  const { name, method = '', group = '' } = subject;
  switch (type) {
    case 'method':
      state.methods.push(methodOf(name, fields));
      break;
    case 'role':
      state.roles.push(roleOf(method, name, fields));
      break;
    case 'group': {
      const metadata = textMap(fields['metadata']);
      state.groups.push({ name, policies: textsOf(fields['policies']), ...(metadata && { metadata }) });
      break;
    }
    case 'alias':
      state.aliases.push({ name, method, group });
      break;
    case 'policy':
      state.policies.push({ name, text: policyTextOf(fields) });
      break;
    case 'message':
      state.messages.push(messageOf(fields));
      break;
  }
}

function emptyState(): State {
  return { methods: [], roles: [], groups: [], aliases: [], policies: [], messages: [] };
}
