import { decideAccess } from '../access/questions/change.ts';
import type { Environment } from '../environment/environment.ts';
import { type Graph, sizeOf } from '../graph/graph.ts';
import { type Difference, graphDifferences, restored } from '../graph/graph-difference.ts';
import { kinds } from '../graph/kinds/kinds.ts';
import { isKnownAs } from '../graph/known.ts';
import type { LiveGraph } from '../graph/live/live-graph.ts';
import type { Unreadable } from '../graph/live/live-groups.ts';
import { message } from '../graph/resources/custom-message.ts';
import { group } from '../graph/resources/external-group.ts';
import { partWith, resourceNamed } from '../graph/resources/resources.ts';
import { type Subject, subjectKey } from '../graph/subject.ts';
import { isHiddenText } from '../graph/values/hidden-text.ts';
import { partName } from '../graph/values/visible.ts';
import { additionsTo } from './additions.ts';
import { ended } from './rules/ends.ts';
import type { Finding } from './rules/finding.ts';
import { promiseBroken } from './rules/promise-broken.ts';
import { ruleOptions } from './rules/rule-options.ts';
import { judgeBy, judgeChangeBy } from './rules/rules.ts';
import { trustChanged } from './rules/trust-changed.ts';
import { type AccessVerdict, verdictOf } from './verdict.ts';

/** What a namespace of a service holds differently from what is declared. */
export interface Drift {
  /** Declared, and missing or changed; or added to what the stack manages. */
  differences: Difference[];
  /** On the service elsewhere, and neither declared nor known. */
  unmanaged: Difference[];
  /** Whether that is drift as well: it was asked for. */
  isUnmanagedDrift: boolean;
  /** What the service did not let us read: so whether it is as declared is not known. */
  unverifiable: Unreadable[];
  /** What else could not be read, in words: additions there are not seen. */
  missing: string[];
  /** Secrets that are declared: no service ever shows one. */
  secrets: Subject[];
  /** Entities without policies of their own; counted with what is not declared, and else 0. */
  plainEntities: number;
  compared: number;
  /** Promises of the environment that the service breaks, or may break. */
  promises: Finding[];
  /** Parts that should have ended and are still on the service. */
  ended: Finding[];
  /** Methods that trust another party than is declared, or check less. */
  trust: Finding[];
  /** Who gains and who loses by the differences; undefined where nothing that bears on access differs. */
  access?: AccessVerdict;
}

/** What is declared of a namespace. */
interface DeclaredSide {
  environment: Environment;
  graph: Graph;
  /** Declared parts that cannot be read: the state of a stack has them encrypted. Defaults to none. */
  untold?: readonly Subject[];
}

/** What its service answered. */
export interface AnsweredService {
  /** What is declared, as it is there. */
  declared: LiveGraph;
  /** The whole service, with what could not be read in words. */
  whole: LiveGraph & { missing: string[] };
}

/** What is compared of one namespace. */
interface ComparedNamespace {
  /** Whether all that is on the service and not declared was to be read. */
  unmanaged: boolean;
  /** Leave out what bears on nothing: titles, texts of messages, descriptions. Defaults to false. */
  accessOnly?: boolean;
  /** Names of the namespaces in it that are declared. Defaults to none. */
  children?: readonly string[];
  /** Nanoseconds since 1970. */
  now: bigint;
}

/** Compares what is declared with what its service holds, by what it means, and says who gains and loses by it. */
export function driftOf(
  { environment, graph: declaredGraph, untold = [] }: DeclaredSide,
  { declared: live, whole }: AnsweredService,
  { unmanaged, accessOnly = false, children = [], now }: ComparedNamespace,
): Drift {
  const { known, promises } = environment;
  // Entities have names only where all of them are read.
  const liveGraph = { ...live.graph, ...(whole.graph.identities && { identities: whole.graph.identities }) };
  const graph = withoutUntold(declaredGraph, liveGraph, untold);
  const isNotChild = ({ subject }: Difference) =>
    !children.some((name) => isKnownAs({ kind: 'namespace', name }, subject));
  const unread = unmanaged ? [...live.unreadable, ...whole.unreadable] : live.unreadable;
  const unverifiable = [
    ...[...new Map(unread.map((part) => [subjectKey(part.subject), part])).values()].filter(
      ({ subject }) => unmanaged || !(isListWithNames(subject) || isListOfNone(subject, graph)),
    ),
    ...untold.map((subject) => ({ subject, why: 'The state of the stack does not tell it in clear.' })),
  ];
  const isHidden = hiddenBy(unverifiable, graph);
  const isKnown = ({ subject, field }: Difference) =>
    known.some((thing) => isKnownAs(thing, { ...subject, ...(field !== undefined && { field }) }));
  const unlike = [...graphDifferences(graph, liveGraph), ...live.undeclared].filter(
    (difference) =>
      (difference.kind === 'missing' && !isHidden(difference)) ||
      (difference.kind === 'changed' &&
        !(accessOnly && !bearsOnAccess(difference)) &&
        !(difference.isLeft && isKnown(difference))),
  );
  const added = additionsTo(graph, whole, known);
  const differences = [...unlike, ...added.managed];
  const options = { ...ruleOptions(environment), now };
  const { missing } = whole;
  const change = {
    before: restored(added.without, graph, differences),
    after: whole.graph,
    missing,
    replaced: [],
    rotated: [],
    unknown: [],
  };
  const access = differences.some(bearsOnAccess) ? decideAccess(change, now) : undefined;
  return {
    differences,
    unmanaged: [...added.elsewhere, ...(unmanaged ? whole.orphans.map(orphaned) : [])].filter(
      (difference) =>
        isNotChild(difference) && !isKnown(difference) && !(accessOnly && !bearsOnAccess(difference)),
    ),
    isUnmanagedDrift: unmanaged,
    plainEntities: unmanaged ? whole.plainEntities : 0,
    unverifiable,
    missing: unmanaged ? [] : missing,
    secrets: secretsIn(environment),
    compared: sizeOf(graph),
    promises:
      promises.length > 0 ? judgeBy([promiseBroken], whole.graph, { ...options, unseen: missing }) : [],
    ended: judgeBy([ended], graph, options).filter(isError),
    trust: access ? judgeChangeBy([trustChanged], change, options, access).filter(isError) : [],
    ...(access && { access: verdictOf(change, access) }),
  };
}

/** Values that are not known count as on the service. A part without a name is left out. Both are said to be unverifiable. */
function withoutUntold(graph: Graph, liveGraph: Graph, untold: readonly Subject[]): Graph {
  const rest = { ...graph };
  for (const subject of untold) {
    const resource = resourceNamed(subject.type);
    const part = resource && partWith(rest, resource, subject);
    if (resource === undefined || part === undefined) continue;
    const live = partWith(liveGraph, resource, subject);
    if (live === undefined && !isHiddenText(subject.name)) continue;
    const parts: readonly object[] = rest[resource.list] ?? [];
    Object.assign(rest, {
      [resource.list]: parts.flatMap((other) => (other === part ? (live ?? []) : [other])),
    });
  }
  return rest;
}

const isError = ({ severity }: Finding) => severity === 'error';

/** A message, and a field that is only shown, let no one in. */
function bearsOnAccess({ subject, field }: Difference): boolean {
  if (subject.type === message.type) return false;
  return resourceNamed(subject.type)?.fields[field ?? '']?.bearsOn !== 'nothing' && field !== 'description';
}

/** A list that may not be read matters only to what is not declared: the rest is read by its names. */
function isListWithNames({ type, name }: Subject): boolean {
  return name === '*' && resourceNamed(type)?.wire?.nameInList === undefined;
}

/** A list of groups says which alias each has; where the stack has none, it too matters only to what is not declared. */
function isListOfNone({ type, name }: Subject, { groups, aliases, identities = [] }: Graph): boolean {
  return type === group.type && name === '*' && groups.length + aliases.length + identities.length === 0;
}

/** Whether something is missing only because it, or what it is read with, may not be read. */
function hiddenBy(unverifiable: Unreadable[], graph: Graph) {
  const hidden = new Set(unverifiable.map(({ subject }) => subjectKey(subject)));
  const isHidden = (subject: { type: string; name: string; method?: string }) =>
    hidden.has(subjectKey(subject));
  return ({ subject }: Difference): boolean => {
    const resource = resourceNamed(subject.type);
    const part = resource && partWith(graph, resource, subject);
    const owner = part && resource?.readWith?.(part);
    const list = owner !== undefined && resource?.wire === undefined ? owner : subject;
    return [subject, { ...list, name: '*' }, ...(owner === undefined ? [] : [owner])].some(isHidden);
  };
}

function orphaned({ name, group, accessor }: LiveGraph['orphans'][number]): Difference {
  return {
    kind: 'unmanaged',
    subject: { type: 'alias', name },
    note: `it leads to the ${partName('group', group)}, and its auth method (${accessor}) is gone`,
  };
}

/** Where secrets stand that no service shows again. */
function secretsIn({ serviceAccountKeys, providers }: Environment): Subject[] {
  const path = (owner: string) => providers.find(({ name }) => name === owner)?.path ?? owner;
  return [
    ...providers
      .filter(({ kind }) => kinds[kind].methodType === 'oidc')
      .map(({ name }) => ({ type: 'method' as const, name: path(name), field: 'oidcClientSecret' })),
    ...serviceAccountKeys.map((owner) => ({
      type: 'method' as const,
      name: path(owner),
      field: 'providerConfig.suiteServiceAccount',
    })),
  ];
}
