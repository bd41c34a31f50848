import type { Principals } from '../access/access-change.ts';
import { GraphIndex } from '../access/graph-index.ts';
import { principalsOf } from '../access/principals.ts';
import { opaqueIn, withoutStandIns } from '../access/questions/graph-principals.ts';
import { type PoliciesReach, type Reached, reachOfPolicies } from '../access/questions/reach.ts';
import type { Reason } from '../access/reasons/reason.ts';
import type { Exception } from '../graph/exception-settings.ts';
import { type Graph, isComplete, isWhole } from '../graph/graph.ts';
import { mayOverlap } from '../graph/policies/pattern-overlap.ts';
import { type Promised, promiseText } from '../graph/promise-settings.ts';
import { isSubjectNamed, type Subject } from '../graph/subject.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { formatInstant } from '../graph/values/instant.ts';
import { addAll } from '../graph/values/sequences.ts';
import { partName } from '../graph/values/visible.ts';
import type { GrantUse } from '../usage/grant-use.ts';
import { populationWords } from '../words/condition-words.ts';
import { principalsWords } from '../words/giver-words.ts';
import { missingFromLogWords } from '../words/missing-from-log-words.ts';
import { reasonWords } from '../words/reason-words.ts';
import { GrantConditions } from './grant-conditions.ts';

/** One thing that principals can do by one grant: a row for a reviewer. */
export interface AccessRow {
  /** Against an earlier report; without one, all are new. */
  status: 'new' | 'changed' | 'same' | 'gone';
  /** `not read`: what is not known, which `who` says. `everyone`: what every token has by policy default. */
  kind: 'role' | 'group' | 'entity' | 'other' | 'everyone' | 'not read';
  who: string;
  /** Whom that lets in, in words, where there are some. */
  letsIn: string;
  pattern: string;
  capabilities: string[];
  limits: string[];
  /** The policies that name the pattern. */
  policies: string[];
  /** Exceptions and promises about it. */
  about: string[];
  /** RFC 3339; empty where the logs have no use of it, or without logs. */
  lastUsed: string;
  /** Of the reviewer. */
  decision: string;
  /** Changes with everything that decides who gets it. */
  conditions: string;
}

export interface ReportedService {
  graph: Graph;
  /** What could not be read. */
  missing: readonly Reason[];
  exceptions: readonly Exception[];
  promises: readonly Promised[];
  /** What logs tell. Defaults to nothing. */
  use?: GrantUse;
}

/**
 * Who has which access by what, a row for each pattern that decides somewhere: of every role, group, entity and other node
 * by itself. Access that a token has by several of them is in the rows of one of them
 * (packages/core/src/access/questions/who-can.ts).
 *
 * @param now nanoseconds since 1970: rules expire
 */
export function accessRows(service: ReportedService, now: bigint): AccessRow[] {
  const { graph, missing, use } = service;
  const index = new GraphIndex(graph);
  const conditions = new GrantConditions(index);
  const reached = new Map<string, PoliciesReach>();
  const unknown = new Set<string>([...unread(graph), ...missing.map(reasonWords)]);
  const rowsOf = (grant: ListedGrant): AccessRow[] => {
    const { who, kind, policies: held } = grant;
    const reach = getOrMake(reached, JSON.stringify(held), () => reachOfPolicies(graph, held, now));
    for (const name of reach.unread) unknown.add(`what ${partName('policy', name)} gives ${who}`);
    for (const reason of reach.missing) unknown.add(`what ${who} reaches: ${reasonWords(reason)}`);
    // Every token has what is of the policy `default` alone.
    return reach.rows
      .filter(({ policies }) => kind === 'everyone' || policies.length !== 1 || policies[0] !== 'default')
      .map((decided) => rowOf(service, grant, decided));
  };
  const rows = [...everyone(index)].flatMap((principals) =>
    rowsOf({
      kind: kindOf(principals),
      who: principalsWords(principals.by),
      letsIn: letsIn(principals),
      conditions: conditions.of(principals),
      policies: principals.after,
      principals,
    }),
  );
  const ofEveryone = { kind: 'everyone' as const, who: 'every token, by policy default' };
  addAll(rows, rowsOf({ ...ofEveryone, letsIn: '', conditions: '', policies: ['default'] }));
  for (const missingOfLog of use?.missing ?? []) unknown.add(missingFromLogWords(missingOfLog));
  return [...rows.sort(compareRows), ...[...unknown].sort().map(notRead)];
}

/** What some principals have, as rows show them. */
interface ListedGrant extends Pick<AccessRow, 'kind' | 'who' | 'letsIn' | 'conditions'> {
  policies: readonly string[];
  principals?: Principals;
}

function rowOf(service: ReportedService, grant: ListedGrant, decided: Reached): AccessRow {
  const { kind, who, letsIn, conditions, principals } = grant;
  const { pattern, capabilities, limits, policies } = decided;
  const used = principals && service.use?.lastOf(principals, pattern, policies);
  return {
    status: 'new',
    kind,
    who,
    letsIn,
    conditions,
    pattern,
    capabilities,
    limits,
    policies,
    decision: '',
    about: [
      ...aboutExceptions(service, principals && subjectOf(principals), policies),
      ...aboutPromises(service, pattern, capabilities),
    ],
    lastUsed: used === undefined ? '' : new Date(used).toISOString(),
  };
}

export function compareRows(left: AccessRow, right: AccessRow): number {
  const keyOf = ({ kind, who, pattern }: AccessRow) => [kinds.indexOf(kind), who, pattern] as const;
  const [leftKey, rightKey] = [keyOf(left), keyOf(right)];
  const at = leftKey.findIndex((part, index) => part !== rightKey[index]);
  return at === -1 ? 0 : (leftKey[at] ?? '') < (rightKey[at] ?? '') ? -1 : 1;
}

const kinds: AccessRow['kind'][] = ['role', 'group', 'entity', 'other', 'everyone', 'not read'];

function notRead(who: string): AccessRow {
  return {
    status: 'new',
    kind: 'not read',
    who,
    letsIn: '',
    pattern: '',
    capabilities: ['not known'],
    limits: [],
    policies: [],
    about: [],
    lastUsed: '',
    decision: '',
    conditions: '',
  };
}

/** What the graph does not know of itself. */
function unread(graph: Graph): string[] {
  return [
    ...opaqueIn(graph).map(reasonWords),
    ...(isWhole(graph) ? [] : ['the rest of the service: only a part of it was read']),
    ...(isComplete(graph, 'tokens') ? [] : ['tokens that were issued, or made by hand']),
  ];
}

/** Each once, as an entity with aliases at several methods is in all of them. */
function everyone(index: GraphIndex): Set<Principals> {
  const { graph } = index;
  const { mounts, newcomers, identities, otherPrincipals } = principalsOf({ before: graph, after: graph });
  const ofMounts = [...mounts.values()].flatMap(({ roles, groups }) => [...roles, ...groups]);
  const all = new Set([...newcomers, ...ofMounts, ...identities, ...otherPrincipals]);
  return new Set(
    withoutStandIns([...all], identities, index).filter(
      ({ kind, after }) => kind !== 'method' && after.length > 0,
    ),
  );
}

function kindOf({ kind }: Principals): AccessRow['kind'] {
  if (kind === 'role' || kind === 'entity') return kind;
  return kind === 'alias' || kind === 'group' ? 'group' : 'other';
}

function letsIn({ kind, name, method, population, node }: Principals): string {
  if (population !== undefined) return populationWords(population()) || 'everyone the provider lets in';
  if (kind === 'alias') return `people in ${JSON.stringify(name)} of auth/${method}`;
  return node?.kind === 'otherRole' ? (node.who ?? '') : '';
}

function subjectOf({ kind, name, method, group }: Principals): Subject {
  if (kind === 'role') return { type: 'role', name, ...(method !== undefined && { method }) };
  if (kind === 'alias') return { type: 'group', name: group ?? name };
  return kind === 'group' || kind === 'entity' ? { type: kind, name } : { type: 'other', name };
}

function aboutExceptions(
  { exceptions }: ReportedService,
  subject: Subject | undefined,
  policies: readonly string[],
): string[] {
  const subjects: Subject[] = [
    ...(subject ? [subject] : []),
    ...policies.map((name) => ({ type: 'policy' as const, name })),
  ];
  return exceptions
    .filter(({ subject: text }) => subjects.some((named) => isSubjectNamed(named, text)))
    .map(({ rule, until, owner, because }) => `exception ${rule} until ${until}, ${owner}: ${because}`);
}

function aboutPromises({ promises }: ReportedService, pattern: string, capabilities: string[]): string[] {
  return promises
    .filter(
      ({ can, on: path }) =>
        can.some((capability) => capabilities.includes(capability)) && mayOverlap(pattern, path),
    )
    .map((promise) => `promise ${promiseText(promise)}`);
}

/** When it is made, in the form of the report. */
export const madeAt = (now: bigint): string => formatInstant(now - (now % 1_000_000_000n));
