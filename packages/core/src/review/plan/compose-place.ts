import { mayReach } from '../../access/reached.ts';
import type { Change } from '../../graph/change.ts';
import { type Complete, type Graph, type Identity, isComplete } from '../../graph/graph.ts';
import { boundsOfNode, keyOfNode } from '../../graph/nodes/other-node.ts';
import { type AuthMethod, method } from '../../graph/resources/auth-method.ts';
import { credentials } from '../../graph/resources/credentials.ts';
import { isSame } from '../../graph/resources/field.ts';
import { role } from '../../graph/resources/role.ts';
import { type Subject, subjectKey } from '../../graph/subject.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { isHiddenText } from '../../graph/values/hidden-text.ts';
import { toCamelCase } from '../../graph/values/wire.ts';
import { type AppliedWrites, applyWrites } from './apply-writes.ts';
import { graphOf } from './graph-nodes.ts';
import { accessorsOf, type Identities } from './identities.ts';
import type { LiveService } from './live-service.ts';
import { nodeOf } from './node-of-side.ts';
import { otherNodeIn, type PlanNode, type PlanNodes } from './plan-node.ts';
import type { PlannedResource, PlanResources } from './planned-resource.ts';
import { type Fields, typeInPlan } from './resource-types.ts';
import { type Write, writeOf } from './write.ts';
import { onService } from './writes-on-service.ts';

/** Addresses of the resources that make a subject, by its key. */
export type Origins = Map<string, string[]>;

/** The one resource that makes a subject, and what is its field; undefined where there are several or none. */
export function originOf(origins: Origins, subject: Subject): string | undefined {
  const [address, ...rest] = origins.get(subjectKey(subject)) ?? [];
  return rest.length > 0 ? undefined : address;
}

/** What is known of a place apart from the resources of the plan. */
interface KnownOfPlace extends Pick<PlanResources, 'deletesLast'> {
  declared: Graph | undefined;
  live: LiveService | undefined;
}

/** The change that the resources of a plan make at one place, and where each part of it comes from. */
export function composePlace(
  place: { resources: PlannedResource[]; outside: PlannedResource[] },
  { deletesLast, declared, live }: KnownOfPlace,
  identities: Identities,
): { change: Change; origins: Origins } {
  const writes = place.resources
    .filter(({ type }) => !typeInPlan(type).isInert)
    .map((resource) => writeOf(resource, identities, declared));
  const kept = keptOutside(place.outside, writes, identities);
  const isReplaced = ({ resource }: Write) =>
    resource.replaced !== undefined && resource.type === method.type;
  const change = changeOf([...writes, ...kept], {
    deletesLast,
    live,
    replaced: writes.flatMap((write) => (write.after && isReplaced(write) ? write.after.subject : [])),
    rotated: writes.flatMap(rotatedBy),
    unknown: [],
  });
  const onMadeMount = new Set(change.replaced.map(({ name }) => name));
  const remade = writes.filter(({ resource }) => resource.replaced !== undefined && isRemade(resource));
  const remadeSubjects = remade.flatMap(({ after }) => after?.subject ?? []);
  const left = writes.flatMap(({ after, left: fields = [] }) =>
    after ? fields.map((field) => ({ ...after.subject, field })) : [],
  );
  const unread = writes.flatMap((write) => write.unread ?? []);
  return {
    change: {
      ...change,
      remade: [
        ...(change.remade ?? []),
        ...remadeSubjects.filter(({ method: path = '' }) => !onMadeMount.has(path)),
      ],
      remadeOthers: [...(change.remadeOthers ?? []), ...remade.flatMap(({ after }) => keysOfOthers(after))],
      accessors: accessorsOf([...place.outside, ...place.resources], live),
      ...(left.length > 0 && { left }),
      ...(unread.length > 0 && { unread }),
    },
    origins: originsOf(writes),
  };
}

/** What the plan knows of things outside it, and does not write itself. */
function keptOutside(
  outside: readonly PlannedResource[],
  writes: readonly Write[],
  identities: Identities,
): Write[] {
  const written = new Set(writes.flatMap(({ before, after }) => [before?.key, after?.key]));
  return outside.flatMap((resource): Write[] => {
    const node = resource.before && nodeOf(resource, resource.before, 'before', identities);
    if (node === undefined || written.has(node.key) || node.list === 'others') return [];
    return [{ resource, does: 'keep', before: node, after: node }];
  });
}

function originsOf(writes: readonly Write[]): Origins {
  const origins: Origins = new Map();
  for (const { resource, after } of writes)
    if (after !== undefined) getOrMake(origins, subjectKey(after.subject), () => []).push(resource.address);
  return origins;
}

/** Secrets that change, by what holds them, also in what is written to any path. */
function rotatedBy({ resource, before, after }: Write): Subject[] {
  if (after === undefined) return [];
  const boundsBefore = boundsIn(before);
  const boundsAfter = boundsIn(after);
  const isRotated = (name: string) =>
    boundsBefore[name] && boundsAfter[name] && !isSame(boundsBefore[name], boundsAfter[name]);
  const secrets = [...resource.rotated, ...credentials.filter(isRotated)];
  return secrets.map((name) => ({ ...after.subject, field: toCamelCase(name) }));
}

function boundsIn(node: PlanNode | undefined): Fields {
  const other = otherNodeIn(node);
  return other === undefined ? {} : boundsOfNode(other);
}

function keysOfOthers(node: PlanNode | undefined): string[] {
  const other = otherNodeIn(node);
  return other === undefined ? [] : [keyOfNode(other)];
}

/** Whether what is deleted and made again is another one: not where the service draws nothing for it, or the same is given. */
function isRemade({ type, before, after }: PlannedResource): boolean {
  const { drawn = [] } = typeInPlan(type);
  const isDrawn = drawn.some(
    (field) => before?.fields[field] === undefined || !isSame(before.fields[field], after?.fields[field]),
  );
  return type === role.type || isDrawn;
}

/** What is known of a change apart from what each of its writes does. */
interface KnownOfWrites
  extends Pick<Change, 'replaced' | 'rotated' | 'unknown'>,
    Pick<PlanResources, 'deletesLast'> {
  live: LiveService | undefined;
}

/** The change that writes come to, on top of what the service has where that is known. */
export function changeOf(
  planned: readonly Write[],
  { deletesLast, live, replaced, rotated, unknown }: KnownOfWrites,
): Change {
  const { writes: onTop, taken } = live ? onService(planned, live) : { writes: planned, taken: [] };
  const writes = onTop.map(withoutNameOnly);
  const isWhole =
    live !== undefined && isComplete(live.graph, 'groups') && isComplete(live.graph, 'identities');
  const applied = applyWrites(writes, { deletesLast, isWhole });
  const { before, after, lost, orphaned, unordered } = applied;
  const madeAnew = [...after.values()].filter(({ key }) => applied.remade.has(key));
  const isMethod = ({ list }: PlanNode) => list === method.list;
  const change: Change = {
    before: graphOf(before),
    after: graphOf(after),
    remade: madeAnew.flatMap((node) => (isMethod(node) ? [] : node.subject)),
    remadeOthers: madeAnew.flatMap(keysOfOthers),
    ...(unordered.length > 0 && { unordered }),
    replaced: withSubjects(replaced, madeAnew.filter(isMethod)),
    rotated,
    orphaned,
    taken,
    unknown: eachOnce([
      ...unknown,
      ...planned.flatMap((write) => write.unknown ?? []),
      ...unordered,
      ...lost,
      ...writes.flatMap((write) => unknownReferences(write, after)),
    ]),
    missing: live?.missing ?? [],
  };
  const { complete } = live?.graph ?? {};
  if (complete !== undefined) {
    const known = completeAround(change, complete, applied);
    change.before.complete = known;
    change.after.complete = known;
  }
  return { ...change, unknown: change.unknown.filter((subject) => mayReach(change, subject)) };
}

/**
 * Where no service tells what a plan hides of before, what is made counts as new: all of its access is gained. What is deleted
 * stays, by its name.
 */
function withoutNameOnly(write: Write): Write {
  return write.before?.isNameOnly && write.after !== undefined ? { ...write, before: undefined } : write;
}

/** Methods that are replaced, also those that one resource deletes and another makes. */
function withSubjects(replaced: readonly Subject[], methods: readonly PlanNode[]): Subject[] {
  const subjects = [...replaced];
  for (const { subject } of methods)
    if (!subjects.some(({ name }) => name === subject.name)) subjects.push(subject);
  return subjects;
}

/** What a change refers to and the plan does not tell, also where it led before. */
function unknownReferences({ does, before, after }: Write, there: PlanNodes): Subject[] {
  const isMoved =
    before?.hangsOn.group !== after?.hangsOn.group || before?.hangsOn.entity !== after?.hangsOn.entity;
  const left = before !== undefined && (after === undefined || isMoved) ? before.unknownParts : [];
  const isThere = after !== undefined && there.has(after.key) && does !== 'keep';
  return isThere ? [...left, ...after.unknownParts] : left;
}

/** What both graphs know completely: what the service knows, but for what goes by a hidden name. */
function completeAround(
  { before, after }: Pick<Change, 'before' | 'after'>,
  known: readonly Complete[],
  nodes: Pick<AppliedWrites, 'before' | 'after'>,
): Complete[] {
  // A part by a hidden name may be of anything.
  const isNamed = ({ entry, hangsOn }: PlanNode) =>
    ![...((entry as Partial<Identity>).policies ?? []), hangsOn.mount].some(isHiddenText);
  const all = [...nodes.before.values(), ...nodes.after.values()];
  const unnamed = new Set<Complete['list']>(all.flatMap((node) => (isNamed(node) ? [] : node.list)));
  // Everything on a mount that is made here is made here, too.
  const isNew = ({ path }: AuthMethod) => !before.methods.some((known) => known.path === path);
  const ofNewMounts = after.methods
    .filter(isNew)
    .map(({ path }) => ({ list: 'roles' as const, method: path }));
  return [...known, ...ofNewMounts].filter(({ list }) => !unnamed.has(list));
}

function eachOnce(subjects: readonly Subject[]): Subject[] {
  const keyOf = ({ type, method: path, name, field }: Subject) => JSON.stringify([type, path, name, field]);
  return [...new Map(subjects.map((subject) => [keyOf(subject), subject])).values()];
}
