import { createHash } from 'node:crypto';
import type { Principals } from '../access/access-change.ts';
import { GraphIndex } from '../access/graph-index.ts';
import { principalsOf } from '../access/principals.ts';
import { withoutStandIns } from '../access/questions/graph-principals.ts';
import { type PoliciesReach, reachOfPolicies } from '../access/questions/reach.ts';
import type { Reason } from '../access/reasons/reason.ts';
import type { Exception } from '../graph/exception-settings.ts';
import { type Graph, isComplete, isWhole } from '../graph/graph.ts';
import {
  effectOf,
  entityOfNode,
  groupOfNode,
  isOpaque,
  methodOf,
  type OtherNode,
  ofKind,
  wordsOf,
} from '../graph/nodes/other-node.ts';
import { type Promised, promiseText } from '../graph/promise-settings.ts';
import { sortedJson } from '../graph/resources/field.ts';
import { isSubjectNamed, type Subject } from '../graph/subject.ts';
import { formatInstant } from '../graph/values/instant.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { partName } from '../graph/values/visible.ts';
import type { GrantUse } from '../usage/grant-use.ts';
import { mayOverlap } from '../usage/pattern-overlap.ts';
import { populationWords } from '../words/condition-words.ts';
import { principalsWords } from '../words/giver-words.ts';
import { missingFromLogWords } from '../words/missing-from-log-words.ts';
import { reasonWords } from '../words/reason-words.ts';

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
  const reached = new Map<string, PoliciesReach>();
  const reach = (policies: readonly string[]) => {
    const key = JSON.stringify(policies);
    const found = reached.get(key) ?? reachOfPolicies(graph, policies, now);
    reached.set(key, found);
    return found;
  };
  const rows: AccessRow[] = [];
  const unknown = new Set<string>([...unread(graph), ...missing.map(reasonWords)]);
  const add = (one: Pick<AccessRow, 'kind' | 'who' | 'letsIn' | 'conditions'>, of: Added) => {
    const found = reach(of.policies);
    for (const name of found.unread) unknown.add(`what ${partName('policy', name)} gives ${one.who}`);
    for (const what of found.missing) unknown.add(`what ${one.who} reaches: ${reasonWords(what)}`);
    for (const { pattern, capabilities, limits, policies } of found.rows) {
      // Every token has that.
      if (one.kind !== 'everyone' && policies.length === 1 && policies[0] === 'default') continue;
      const used = of.principals && use?.lastOf(of.principals, pattern, policies);
      rows.push({
        status: 'new',
        ...one,
        pattern,
        capabilities,
        limits,
        policies,
        decision: '',
        about: [
          ...aboutExceptions(service, of.subject, policies),
          ...aboutPromises(service, pattern, capabilities),
        ],
        lastUsed: used === undefined ? '' : new Date(used).toISOString(),
      });
    }
  };
  for (const principals of everyone(graph)) {
    const { after: policies } = principals;
    const who = {
      kind: kindOf(principals),
      who: principalsWords(principals.by),
      letsIn: letsIn(principals),
    };
    const conditions = digest(conditionsOf(principals, graph)).slice(0, 23);
    add({ ...who, conditions }, { policies, principals, subject: subjectOf(principals) });
  }
  add(
    { kind: 'everyone', who: 'every token, by policy default', letsIn: '', conditions: '' },
    { policies: ['default'] },
  );
  for (const missing of use?.missing ?? []) unknown.add(missingFromLogWords(missing));
  return [...rows.sort(compareRows), ...[...unknown].sort().map(notRead)];
}

interface Added {
  policies: readonly string[];
  principals?: Principals;
  subject?: Subject;
}

/** `sha256:…` of a value, whatever the order of its maps. */
export function digest(value: unknown): string {
  return `sha256:${createHash('sha256').update(sortedJson(value)).digest('hex')}`;
}

export function compareRows(one: AccessRow, other: AccessRow): number {
  const keyOf = ({ kind, who, pattern }: AccessRow) => [kinds.indexOf(kind), who, pattern] as const;
  const [a, b] = [keyOf(one), keyOf(other)];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 ? 0 : (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
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
  const opaque = (graph.others ?? []).flatMap((node) =>
    effectOf(node) !== 'takes' && isOpaque(node)
      ? [reasonWords({ kind: 'opaque', name: wordsOf(node), asks: 'grants' })]
      : [],
  );
  return [
    ...opaque,
    ...(isWhole(graph) ? [] : ['the rest of the service: only a part of it was read']),
    ...(isComplete(graph, 'tokens') ? [] : ['tokens that were issued, or made by hand']),
  ];
}

/** Each once, as an entity with aliases at several methods is in all of them. */
function everyone(graph: Graph): Set<Principals> {
  const { mounts, newcomers, identities, otherPrincipals } = principalsOf({ before: graph, after: graph });
  const ofMounts = [...mounts.values()].flatMap(({ roles, groups }) => [...roles, ...groups]);
  const all = new Set([...newcomers, ...ofMounts, ...identities, ...otherPrincipals]);
  return new Set(
    withoutStandIns([...all], identities, new GraphIndex(graph)).filter(
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
    .filter((one) => subjects.some((subject) => isSubjectNamed(subject, one.subject)))
    .map(({ rule, until, owner, because }) => `exception ${rule} until ${until}, ${owner}: ${because}`);
}

function aboutPromises({ promises }: ReportedService, pattern: string, capabilities: string[]): string[] {
  return promises
    .filter(({ can, on: path }) => can.some((one) => capabilities.includes(one)) && mayOverlap(pattern, path))
    .map((one) => `promise ${promiseText(one)}`);
}

/** All that decides who the principals are, without what they have. */
function conditionsOf({ kind, name, method, group, node }: Principals, graph: Graph): unknown {
  const mount = graph.methods.find(({ path }) => path === method);
  const { roles, aliases, others = [] } = graph;
  const ofRole = ({ policies: _, ...rest }: (typeof roles)[number]) => rest;
  if (kind === 'role')
    return [
      mount,
      roles.filter((one) => one.method === method && nameKey(one.name) === nameKey(name)).map(ofRole),
    ];
  if (kind === 'other') {
    const own = node === undefined ? [] : [node];
    const at = ofKind(others, 'otherMethod').filter(
      ({ path }) => node !== undefined && path === methodOf(node),
    );
    return [...new Set<OtherNode>([...own, ...at])].map(withoutPolicies);
  }
  const named = nameKey(group ?? name);
  const leading = aliases.filter((one) => nameKey(one.group) === named);
  const paths = new Set(leading.map((one) => one.method));
  return [
    leading,
    membersOf(graph, kind === 'alias' ? 'group' : kind, group ?? name),
    graph.methods.filter(({ path }) => paths.has(path)),
    roles.filter((one) => paths.has(one.method) && one.groupsClaim).map(ofRole),
    others
      .filter((other) => nameKey(entityOfNode(other) ?? groupOfNode(other) ?? '') === named)
      .map(withoutPolicies),
  ];
}

function withoutPolicies(node: OtherNode): unknown {
  if (!('policies' in node)) return node;
  const { policies: _, ...rest } = node;
  return rest;
}

/** All who are in a group, however deep. */
function membersOf({ identities = [] }: Graph, kind: string, name: string): string[] {
  const found = new Set<string>();
  const visit = (of: string, called: string) => {
    for (const identity of identities) {
      if (identity.kind !== of || nameKey(identity.name) !== nameKey(called)) continue;
      for (const member of identity.members ?? []) {
        const key = `${member.kind} ${nameKey(member.name)}`;
        if (found.has(key)) continue;
        found.add(key);
        visit(member.kind, member.name);
      }
    }
  };
  visit(kind, name);
  return [...found].sort();
}

/** When it is made, in the form of the report. */
export const madeAt = (now: bigint): string => formatInstant(now - (now % 1_000_000_000n));
