import type { Graph } from '../../graph/graph.ts';
import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import { group } from '../../graph/resources/external-group.ts';
import { isSame } from '../../graph/resources/field.ts';
import { partWith, resourceNamed, resources } from '../../graph/resources/resources.ts';
import type { Subject } from '../../graph/subject.ts';
import type { Identities } from './identities.ts';
import { leftByUpdate, leftInBlocks, readable, untold } from './judged-fields.ts';
import { nodeOf } from './node-of-side.ts';
import type { PlanNode, PlanNodes } from './plan-node.ts';
import type { PlannedResource, PlannedSide } from './planned-resource.ts';
import { type Fields, typeInPlan } from './resource-types.ts';

/** What a provider does to its service for one resource of a plan. */
export interface Write {
  /** Where it comes from. */
  resource: PlannedResource;
  /** A replacement deletes and creates, in the order that `resource.replaced` tells. */
  does: 'keep' | 'create' | 'update' | 'replace' | 'delete';
  /** The node before it. Absent where there is none, or where the plan does not tell what it is. */
  before?: PlanNode | undefined;
  /** The node after it, with what an update leaves of it. Absent as `before` is. */
  after?: PlanNode | undefined;
  /** Its mount goes, and it stays in the plan: no sign-in leads to it any more. Defaults to false. */
  isOrphaned?: true;
  /** Names of the fields that it empties and the service keeps. Defaults to none. */
  left?: string[];
  /** What it leaves unknown: it cannot be judged. Defaults to nothing. */
  unknown?: Subject[];
  /** Unknown fields that the plan shows and no table has. Defaults to none. */
  unread?: Subject[];
}

/** What has another name afterwards, by its key before: what hangs on it by its id goes along. */
export function renamedBy(writes: readonly Write[]): PlanNodes {
  return new Map(
    writes.flatMap(({ does, before, after }) =>
      does !== 'replace' && before && after && before.key !== after.key ? [[before.key, after]] : [],
    ),
  );
}

/**
 * The write that a resource of a plan is.
 *
 * @param declared what the program of the plan declares: it tells what the plan does not
 */
export function writeOf(
  resource: PlannedResource,
  identities: Identities,
  declared: Graph | undefined,
): Write {
  const { type, changes, replaced } = resource;
  const does = operationOf(resource);
  const isUnplaced = resource.isUnplaced || resource.after?.unknown.includes('namespace');
  const unknown = isUnplaced && changes ? [nameless(resource)] : [];
  const read = resource.before && readable(type, resource.before);
  const before = read && nodeBefore(resource, read.side, identities);
  if (resource.after === undefined) {
    if (before === undefined && changes) unknown.push(nameless(resource));
    return { resource, does, before, unknown };
  }
  if (identities.isLost(type, resource.after)) return { resource, does, before, isOrphaned: true, unknown };
  if (does === 'keep') {
    // Its owner may have another name then.
    return {
      resource,
      does,
      before,
      after: read && nodeOf(resource, read.side, 'after', identities),
      unknown,
    };
  }
  const sent = sentBy(resource, read, readable(type, resource.after), identities);
  const stays = replaced === undefined ? before : undefined;
  const after =
    nodeOf(resource, sent.side, 'after', identities) ??
    (stays && { ...stays, unknownParts: [stays.subject] });
  if (after === undefined) return { resource, does, before, unknown: [...unknown, nameless(resource)] };
  // Only sign-ins put people into an external group (`identityGroupUpdateFields` of the official provider).
  if (after.list === group.list) after.members = stays?.members;
  const untoldFields = untoldOf(after, sent, declared);
  return {
    resource,
    does,
    before,
    after,
    left: sent.left,
    unknown: [...unknown, ...(sent.isHidden ? [after.subject] : []), ...untoldFields.unknown],
    unread: untoldFields.unread,
  };
}

function operationOf({ before, after, replaced }: PlannedResource): Write['does'] {
  if (after === before) return 'keep';
  if (after === undefined) return 'delete';
  if (before === undefined) return 'create';
  return replaced === undefined ? 'update' : 'replace';
}

/** A resource whose node the plan does not tell, by its address. */
function nameless({ type, address }: PlannedResource): Subject {
  return { type: resourceNamed(type)?.type ?? typeInPlan(type).addsTo ?? 'other', name: address };
}

function nodeBefore(
  resource: PlannedResource,
  side: PlannedSide,
  identities: Identities,
): PlanNode | undefined {
  const node = nodeOf(resource, side, 'before', identities);
  return node && resource.isHiddenBefore ? { ...node, isNameOnly: true } : node;
}

type ReadSide = ReturnType<typeof readable>;

/** What a write sends, as far as the plan tells. */
interface Sent {
  /** With what stays on the service of what it does not send. */
  side: PlannedSide;
  left: string[];
  /** Fields that cannot be judged. */
  untold: { model: string; isShown: boolean }[];
  /** The name or a reference is hidden and changes. */
  isHidden: boolean;
}

function sentBy(
  resource: PlannedResource,
  before: ReadSide | undefined,
  after: ReadSide,
  identities: Identities,
): Sent {
  const { type, replaced } = resource;
  const { side } = after;
  const unreadable = [...after.unreadable, ...(before?.unreadable ?? [])].filter(
    (field) => !isSame(resource.before?.fields[field], resource.after?.fields[field]),
  );
  const isMade = before === undefined || replaced !== undefined;
  const { fields: all, isHidden } = untold(type, before?.side, side, unreadable, isMade);
  const isLed = (wire: string) =>
    typeInPlan(type).at?.includes(wire) === true && identities.pathIn(side, wire) !== undefined;
  const fields = all.filter(({ wire }) => !isLed(wire));
  // What is made anew has nothing that could stay.
  const stays = isMade ? {} : before.side.fields;
  const kept = fields.flatMap(({ wire }) =>
    wire in stays && !(wire in side.fields) ? [[wire, stays[wire]]] : [],
  );
  const isUpdate = !isMade && !resource.mayBeReplaced;
  const left = isUpdate ? leftByUpdate(type, before.side, side) : [];
  const leftInside = isUpdate ? leftInBlocks(type, before.side, side) : [];
  const leftFields = left.map(({ wire, value }) => [wire, value]);
  return {
    side: { ...side, fields: { ...side.fields, ...Object.fromEntries([...kept, ...leftFields]) } },
    left: [...left.map(({ model }) => model), ...leftInside],
    untold: fields.map(({ wire, model }) => {
      return { model, isShown: wire in side.fields || unreadable.includes(wire) };
    }),
    isHidden,
  };
}

/** The fields of a node that cannot be judged, once what the program of the plan declares is set. */
function untoldOf(after: PlanNode, { untold: fields }: Sent, declared: Graph | undefined) {
  const names = fields.map(({ model }) => model);
  if (setDeclared(after, declared, names)) return { unknown: [], unread: [] };
  const subjectOf = (field: string): Subject => ({ ...after.subject, field });
  return {
    unknown: names.map(subjectOf),
    unread: fields.flatMap(({ model, isShown }) => (isShown ? subjectOf(model) : [])),
  };
}

/**
 * Sets fields that a plan does not tell to what the program of the plan declares. A value that it does not declare either is
 * unset.
 *
 * @returns whether it is declared
 */
function setDeclared(node: PlanNode, declared: Graph | undefined, fields: string[]): boolean {
  const { list, entry, subject } = node;
  const described = resources.find((resource) => resource.list === list && resource.type === subject.type);
  const known = declared && described && partWith(declared, described, subject);
  if (known === undefined) return false;
  for (const field of fields) {
    // An auth method's fields are those of its configuration, but for the mount's own.
    const isConfig = 'config' in entry && field !== 'tune';
    const [to, from] = [entry, known].map((part) => (isConfig ? (part as AuthMethod).config : part)) as [
      Fields,
      Fields,
    ];
    if (from[field] === undefined) delete to[field];
    else to[field] = from[field];
  }
  return true;
}
