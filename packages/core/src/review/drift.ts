import { decideAccess } from '../access/questions/change.ts';
import type { Environment } from '../environment/environment.ts';
import type { Known } from '../graph/exception-settings.ts';
import { type Graph, type ServiceGraph, sizeOf } from '../graph/graph.ts';
import { type Difference, graphDifferences, restored } from '../graph/graph-difference.ts';
import { kinds } from '../graph/kinds/kinds.ts';
import type { LiveGraph } from '../graph/live/live-graph.ts';
import type { Unreadable } from '../graph/live/live-groups.ts';
import { message } from '../graph/resources/custom-message.ts';
import { partWith, resourceNamed } from '../graph/resources/resources.ts';
import { role } from '../graph/resources/role.ts';
import { type Subject, subjectKey, subjectName } from '../graph/subject.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { ended } from './rules/ends.ts';
import type { Finding } from './rules/finding.ts';
import { promiseBroken } from './rules/promise-broken.ts';
import { ruleOptions } from './rules/rule-options.ts';
import { judgeBy } from './rules/rules.ts';
import { type AccessVerdict, verdictOf } from './verdict.ts';

/** What a namespace of a service holds differently from what is declared. */
export interface Drift {
  /** Declared, and missing or changed. */
  differences: Difference[];
  /** On the service, and not declared; empty unless asked for. */
  unmanaged: Difference[];
  /** What the service did not let us read: so whether it is as declared is not known. */
  unverifiable: Unreadable[];
  /** Secrets that are declared: no service ever shows one. */
  secrets: Subject[];
  /** Roles of declared methods that no one declared; of those methods whose roles may be listed. */
  undeclaredRoles: number;
  /** Entities without policies of their own; counted with what is not declared, and else 0. */
  plainEntities: number;
  compared: number;
  /** Promises of the environment that what is on the service breaks, or of which that cannot be said. */
  promises: Finding[];
  /** What should have ended, and the service goes on with. */
  ended: Finding[];
  /** Who gains and who loses by the differences; undefined where nothing that bears on access differs. */
  access?: AccessVerdict;
}

/** What is declared of a namespace. */
interface Declared {
  environment: Environment;
  graph: Graph;
}

/** What is compared of one namespace. */
interface Compared {
  /** Say too what is on the service and not declared. */
  unmanaged: boolean;
  /** Leave out what bears on nothing: titles, texts of messages, descriptions. Defaults to false. */
  accessOnly?: boolean;
  /** Names of the namespaces in it that are declared. Defaults to none. */
  children?: readonly string[];
  /** Nanoseconds since 1970. */
  now: bigint;
}

/**
 * Compares what is declared with what its service holds, by what it means.
 *
 * @returns `needsWhole` where `judgedDrift` says more of it
 */
export function driftOf(
  { environment, graph }: Declared,
  live: LiveGraph,
  { unmanaged, accessOnly = false, children = [], now }: Compared,
): { found: Drift; needsWhole: boolean } {
  const all = [...graphDifferences(graph, live.graph), ...live.undeclared].filter(
    (one) => !accessOnly || bearsOnAccess(one),
  );
  const { known } = environment;
  const declared = children.map((name) => `namespace ${JSON.stringify(`${name}/`)}`);
  const undeclared = all.filter(
    ({ kind, subject }) =>
      kind === 'unmanaged' && !isKnown(known, subject) && !declared.includes(subject.name),
  );
  const unverifiable = live.unreadable.filter(({ subject }) => unmanaged || !isListWithNames(subject));
  const isHidden = hiddenBy(unverifiable, graph);
  const differences = all.filter(
    (one) => one.kind !== 'unmanaged' && !(one.kind === 'missing' && isHidden(one)),
  );
  const { promises } = environment;
  const options = { ...ruleOptions(environment), now };
  return {
    found: {
      differences,
      unmanaged: unmanaged ? [...undeclared, ...live.orphans.map(orphaned)] : [],
      undeclaredRoles: unmanaged
        ? undeclared.filter(({ subject }) => isRoleOf(graph, subject)).length
        : live.otherRoles,
      plainEntities: live.plainEntities,
      unverifiable,
      secrets: secretsIn(environment),
      compared: sizeOf(graph),
      promises: [],
      ended: judgeBy([ended], graph, options).filter(({ severity }) => severity === 'error'),
    },
    needsWhole: differences.some(bearsOnAccess) || known.length > 0 || promises.length > 0,
  };
}

/** The same with what only the whole service shows: promises that it breaks, and who gains and loses by the differences. */
export function judgedDrift(
  { environment, graph }: Declared,
  found: Drift,
  whole: ServiceGraph,
  now: bigint,
): Drift {
  const options = { ...ruleOptions(environment), now, unseen: whole.missing };
  return {
    ...found,
    promises: environment.promises.length > 0 ? judgeBy([promiseBroken], whole.graph, options) : [],
    ...(found.differences.some(bearsOnAccess) && { access: accessBy(whole, graph, found.differences, now) }),
  };
}

/** What became of access, from what is declared to what is there. */
function accessBy(
  { graph, missing }: ServiceGraph,
  declared: Graph,
  differences: Difference[],
  now: bigint,
): AccessVerdict {
  const change = {
    ...{ before: restored(graph, declared, differences), after: graph, missing },
    ...{ replaced: [], rotated: [], unknown: [] },
  };
  return verdictOf(change, decideAccess(change, now));
}

/** A message, and a field that is only shown, let no one in. */
function bearsOnAccess({ subject, field }: Difference): boolean {
  if (subject.type === message.type) return false;
  return resourceNamed(subject.type)?.fields[field ?? '']?.bearsOn !== 'nothing' && field !== 'description';
}

/** A known auth method is known with what is in it. */
function isKnown(known: readonly Known[], subject: Subject): boolean {
  return known.some(({ kind, name }) => {
    const wanted = nameKey(`${kind} ${name}`);
    return nameKey(subjectName(subject)) === wanted || nameKey(`method ${subject.method ?? ''}`) === wanted;
  });
}

function isRoleOf({ methods }: Graph, { type, method }: Subject): boolean {
  return type === role.type && methods.some(({ path }) => path === method);
}

/** A list that may not be read matters only to what is not declared: the rest is read by its names. */
function isListWithNames({ type, name }: Subject): boolean {
  return name === '*' && resourceNamed(type)?.wire?.nameInList === undefined;
}

/** Whether something is missing only because it, or what it is read with, may not be read. */
function hiddenBy(unverifiable: Unreadable[], graph: Graph) {
  const hidden = new Set(unverifiable.map(({ subject }) => subjectKey(subject)));
  const isHidden = (one: { type: string; name: string; method?: string }) => hidden.has(subjectKey(one));
  return ({ subject }: Difference): boolean => {
    const resource = resourceNamed(subject.type);
    const part = resource && partWith(graph, resource, subject);
    const owner = part && resource?.readWith?.(part);
    const list = owner !== undefined && resource?.wire === undefined ? owner : subject;
    return [subject, { ...list, name: '*' }, ...(owner === undefined ? [] : [owner])].some(isHidden);
  };
}

function orphaned({ name, group, accessor }: { name: string; group: string; accessor: string }): Difference {
  return {
    kind: 'unmanaged',
    subject: { type: 'alias', name },
    note: `it leads to the group ${JSON.stringify(group)}, and its auth method (${accessor}) is gone`,
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
