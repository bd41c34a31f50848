import type { Graph, Identity } from '../graph/graph.ts';
import { type Difference, graphDifferences } from '../graph/graph-difference.ts';
import { isKnownAs, type KnownAccess } from '../graph/known.ts';
import type { LiveGraph } from '../graph/live/live-graph.ts';
import { Memberships, namedKey } from '../graph/memberships.ts';
import {
  isOpaque,
  methodOf,
  type OtherNode,
  ofKind,
  policiesOfNode,
  wordsOf,
} from '../graph/nodes/other-node.ts';
import type { OtherRole } from '../graph/nodes/other-role.ts';
import { method } from '../graph/resources/auth-method.ts';
import { message } from '../graph/resources/custom-message.ts';
import { group } from '../graph/resources/external-group.ts';
import { alias } from '../graph/resources/group-alias.ts';

import { policy } from '../graph/resources/policy.ts';
import { role } from '../graph/resources/role.ts';
import { type Subject, subjectKey, subjectName, subjectOf } from '../graph/subject.ts';
import { shortened } from '../graph/values/cut.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { partName } from '../graph/values/visible.ts';

/** Names in one line. */
const most = 6;

/** What is on a service and not declared. */
export interface Additions {
  /** On what the stack manages: its methods, their sign-ins, its groups. */
  managed: Difference[];
  /** Elsewhere; what gives the most first. */
  elsewhere: Difference[];
  /** The live graph without what is added on what the stack manages. */
  without: Graph;
}

/** Something that was added: how it is reported, and the graph without it. */
interface Addition {
  difference: Difference;
  /** Known under this name as well: its group, its method. */
  alsoNamed?: Subject;
  without(graph: Graph): Graph;
}

/**
 * What a service has that no one declared and no one knows: on what the stack manages it is drift, also where no one gains by it.
 *
 * @param live the whole service
 */
export function additionsTo(declared: Graph, live: LiveGraph, known: readonly KnownAccess[]): Additions {
  const isKnown = ({ difference: { subject }, alsoNamed }: Pick<Addition, 'difference' | 'alsoNamed'>) => {
    const all = [subject, alsoNamed, subject.method && { type: method.type, name: subject.method }];
    return known.some((thing) => all.some((name) => name && isKnownAs(thing, name)));
  };
  const service = new ComparedService(declared, live);
  const added = [...service.onMethods(), ...service.identities(), ...service.disabled()].filter(
    (addition) => !isKnown(addition),
  );
  const taken = new Set(added.map(({ difference }) => subjectKey(difference.subject)));
  const groups = new Set(added.flatMap(({ alsoNamed }) => (alsoNamed ? subjectKey(alsoNamed) : [])));
  const elsewhere = [...service.elsewhere()].filter(
    (addition) =>
      !isKnown(addition) &&
      !taken.has(subjectKey(addition.difference.subject)) &&
      !groups.has(subjectKey(addition.difference.subject)),
  );
  return {
    managed: added.map(({ difference }) => difference),
    elsewhere: elsewhere.map(({ difference }) => difference),
    without: added.reduce((graph, addition) => addition.without(graph), live.graph),
  };
}

/** A service, next to what a stack declares of it. */
class ComparedService {
  readonly #declared: Graph;
  readonly #live: LiveGraph;
  readonly #methods: ReadonlySet<string>;
  readonly #groups: ReadonlySet<string>;
  readonly #memberships: Memberships;
  /** Entities with a name at one of its methods. */
  readonly #people: ReadonlySet<string>;
  /** Groups and entities of who signs in by what it manages, and all groups around these. */
  readonly #reached: ReadonlySet<string>;
  /** Undeclared parts that may be declared. */
  readonly #undeclared: readonly Difference[];

  constructor(declared: Graph, live: LiveGraph) {
    this.#declared = declared;
    this.#live = live;
    this.#methods = new Set(declared.methods.map(({ path }) => path));
    const groups = [...declared.groups, ...(declared.identities ?? [])];
    this.#groups = new Set(groups.map(({ name }) => nameKey(name)));
    this.#memberships = new Memberships(live.graph.identities);
    const { aliases, others } = live.graph;
    const isHere = ({ method }: { method: string }) => this.#methods.has(method);
    const named = ofKind(others, 'entityAlias').filter(isHere);
    this.#people = new Set(named.map(({ entity }) => entity));
    const inner = [
      ...groups.map(({ name }) => ({ kind: 'group' as const, name })),
      ...aliases.filter(isHere).map(({ group: name }) => ({ kind: 'group' as const, name })),
      ...[...this.#people].map((name) => ({ kind: 'entity' as const, name })),
    ];
    const around = inner.flatMap((member) => this.#memberships.around(member).map(({ key }) => key));
    this.#reached = new Set([...inner.map(namedKey), ...around]);
    this.#undeclared = graphDifferences(declared, live.graph).filter(({ kind }) => kind === 'unmanaged');
  }

  /** Roles, programs and aliases of a method that the stack declares. */
  *onMethods(): Iterable<Addition> {
    for (const { subject } of this.#undeclared) {
      if (!this.#methods.has(subject.method ?? '')) continue;
      if (subject.type === role.type) {
        const liveRole = this.#live.graph.roles.find((candidate) =>
          isSubject(subjectOf(role, candidate), subject),
        );
        yield {
          difference: addedAs(subject, givesWords(liveRole?.policies ?? [])),
          without: (graph) => ({
            ...graph,
            roles: graph.roles.filter((candidate) => !isSubject(subjectOf(role, candidate), subject)),
          }),
        };
      }
    }
    for (const { subject } of this.#undeclared) {
      if (subject.type !== alias.type) continue;
      const liveAlias = this.#live.graph.aliases.find((candidate) =>
        isSubject(subjectOf(alias, candidate), subject),
      );
      if (this.#methods.has(subject.method ?? '') || this.#groups.has(nameKey(liveAlias?.group ?? '')))
        yield this.#alias(subject);
    }
    for (const part of this.#live.graph.others ?? []) {
      const difference = this.#onMethod(part);
      if (difference === undefined) continue;
      yield {
        difference,
        without: (graph) => ({
          ...graph,
          ...(graph.others && { others: graph.others.filter((other) => other !== part) }),
        }),
      };
    }
  }

  /** A program on one of its methods, what such a method has by another type, and another method's alias of its groups. */
  #onMethod(node: OtherNode): Difference | undefined {
    const path = methodOf(node) ?? '';
    const gives = isOpaque(node) ? 'what it gives is not known' : givesWords(policiesOfNode(node));
    if (node.kind === 'otherAlias') {
      const { group: groupName } = node;
      if (!this.#groups.has(nameKey(groupName))) return undefined;
      const words = `for the ${partName('group', groupName)}, which ${givesWords(this.#policiesOf(groupName))}`;
      return addedAs({ type: alias.type, name: node.name, method: path }, words);
    }
    if (!this.#methods.has(path)) return undefined;
    const subject: Subject = { type: 'other', name: wordsOf(node), method: path };
    if (node.kind === 'otherMethod') return addedAs(subject, `it is of another type, and ${gives}`);
    if (node.kind === 'otherRole') return addedAs(subject, gives);
    if (node.kind !== 'program') return undefined;
    return addedAs({ type: role.type, name: node.name, method: path }, `a program (CEL): ${gives}`);
  }

  /** An alias leads people of the provider into its group; a group that is there for it alone goes with it. */
  #alias(subject: Subject): Addition {
    const { aliases } = this.#live.graph;
    const liveAlias = aliases.find((candidate) => isSubject(subjectOf(alias, candidate), subject));
    const name = liveAlias?.group ?? '';
    const isAlone = !this.#groups.has(nameKey(name));
    const words = `for the ${partName('group', name)}, which ${givesWords(this.#policiesOf(name))}`;
    return {
      difference: addedAs(subject, words),
      ...(isAlone && { alsoNamed: { type: group.type, name } }),
      without: (graph) => ({
        ...graph,
        aliases: graph.aliases.filter((candidate) => !isSubject(subjectOf(alias, candidate), subject)),
        groups: isAlone ? graph.groups.filter((candidate) => !isNamed(candidate, name)) : graph.groups,
      }),
    };
  }

  /** Groups and entities that give something to who signs in by what the stack manages. */
  *identities(): Iterable<Addition> {
    for (const identity of this.#live.graph.identities ?? []) {
      if (identity.kind === 'entity') {
        if (identity.policies.length === 0 || !this.#people.has(identity.name)) continue;
        const without = { ...identity, policies: [] };
        yield {
          difference: addedAs(
            { type: 'entity', name: identity.name },
            `it signs in there and ${givesWords(identity.policies, 'has')}`,
          ),
          without: (graph) => withIdentity(graph, identity, without),
        };
      } else if (!this.#isDeclared(identity.name)) {
        const reached = (identity.members ?? []).filter((member) => this.#reached.has(namedKey(member)));
        if (reached.length === 0) continue;
        const who = reached.map(({ kind, name }) => partName(kind, name));
        const note = `it has ${shortened(who, most)} in it, and ${givesWords(this.#policiesOf(identity.name))}`;
        yield {
          difference: addedAs({ type: 'group', name: identity.name }, note),
          without: (graph) => withIdentity(graph, identity, undefined),
        };
      }
    }
  }

  /** Whether a group is declared as what it is: an internal one under the name of an external one is another. */
  #isDeclared(name: string): boolean {
    const isExternal = this.#live.graph.groups.some((candidate) => isNamed(candidate, name));
    const declared = (isExternal ? this.#declared.groups : this.#declared.identities) ?? [];
    return declared.some((candidate) => isNamed(candidate, name));
  }

  /** Entities that give nothing now, and something once someone enables them. */
  *disabled(): Iterable<Addition> {
    for (const { name, policies } of this.#live.disabled) {
      if (!this.#people.has(name)) continue;
      const note = `it is disabled; once enabled it signs in there and ${givesWords(policies, 'has')}`;
      yield { difference: addedAs({ type: 'entity', name }, note), without: (graph) => graph };
    }
  }

  /** The policies of a group, and of those that it is in. */
  #policiesOf(name: string): string[] {
    const around = this.#memberships.around({ kind: 'group', name }).flatMap(({ identities }) => identities);
    const { groups, identities = [] } = this.#live.graph;
    const itself = [...groups, ...identities.filter(({ kind }) => kind === 'group')].filter((candidate) =>
      isNamed(candidate, name),
    );
    const ofExternal = around.flatMap((identity) => groups.filter((group) => isNamed(group, identity.name)));
    return [...itself, ...around, ...ofExternal].flatMap(({ policies }) => policies);
  }

  /** Who has a policy, in words. */
  #givenBy(policy: string): string {
    const { roles, groups, identities = [], others = [] } = this.#live.graph;
    const givesPolicy = ({ policies = [] }: { policies?: readonly string[] }) =>
      policies.map(policyKey).includes(policyKey(policy));
    const by = [
      ...roles.filter(givesPolicy).map((candidate) => subjectName(subjectOf(role, candidate))),
      ...groups.filter(givesPolicy).map(({ name }) => partName('group', name)),
      ...identities.filter(givesPolicy).map(({ kind, name }) => partName(kind, name)),
      ...others.filter((node) => givesPolicy({ policies: policiesOfNode(node) })).map(wordsOf),
    ];
    return by.length === 0 ? 'nothing that was read gives it' : `given by ${shortened(by, 3)}`;
  }

  /** What others have on the service: a line each. */
  *elsewhere(): Iterable<Pick<Addition, 'difference'>> {
    const { others = [], roles, aliases, groups, identities = [] } = this.#live.graph;
    for (const { path, type } of this.#live.graph.methods) {
      if (this.#methods.has(path)) continue;
      const rolesOfMethod = roles.filter(({ method }) => method === path);
      const mapped = aliases.filter(({ method }) => method === path).map(({ group }) => nameKey(group));
      const principals = [...rolesOfMethod, ...groups.filter(({ name }) => mapped.includes(nameKey(name)))];
      yield {
        difference: elsewhere({ type: 'method', name: path }, `of type ${type}; ${ofRoles(principals)}`),
      };
    }
    const rolesByMethod = Map.groupBy(ofKind(others, 'otherRole'), (otherRole) => otherRole.method);
    for (const mount of ofKind(others, 'otherMethod')) {
      const { path, type } = mount;
      if (this.#methods.has(path)) continue;
      const rolesOfMount = rolesByMethod.get(path) ?? [];
      const words = mount.isOpaque
        ? 'what it gives is not known'
        : ofRoles([...rolesOfMount, mount], rolesOfMount.length);
      yield { difference: elsewhere({ type: 'method', name: path }, `of type ${type}; ${words}`) };
    }
    for (const maker of rolesByMethod.get('token') ?? []) yield { difference: tokenRole(maker) };
    for (const { kind, name, policies: own, members = [] } of identities) {
      if (kind === 'entity' && own.length > 0)
        yield { difference: elsewhere({ type: 'entity', name }, givesWords(own, 'has')) };
      const isExternal = groups.some((candidate) => isNamed(candidate, name));
      if (kind === 'entity' || isExternal || this.#isDeclared(name)) continue;
      const gone = this.#live.gone.filter(({ group }) => nameKey(group) === nameKey(name)).length;
      const here = members.length === 0 ? 'no members' : `members: ${members.length}`;
      const words = gone === 0 ? here : `${here}, and ${gone} that ${gone === 1 ? 'is' : 'are'} gone`;
      yield { difference: elsewhere({ type: 'group', name }, `internal; ${givesWords(own)}; ${words}`) };
    }
    for (const { name, policies } of this.#live.disabled) {
      const words = `disabled; once enabled it ${givesWords(policies, 'has')}`;
      yield { difference: elsewhere({ type: 'entity', name }, words) };
    }
    for (const { subject } of this.#undeclared) {
      const { type, name } = subject;
      if (type === group.type) {
        const liveGroup = groups.find((candidate) => isNamed(candidate, name));
        yield { difference: elsewhere(subject, givesWords(liveGroup?.policies ?? [])) };
      } else if (type === policy.type && policyKey(name) !== 'default') {
        yield { difference: elsewhere(subject, this.#givenBy(name)) };
      } else if (type === message.type) yield { difference: elsewhere(subject, undefined) };
    }
    for (const difference of this.#live.undeclared) if (difference.kind === 'unmanaged') yield { difference };
  }
}

function isNamed(part: { name: string }, name: string): boolean {
  return nameKey(part.name) === nameKey(name);
}

function isSubject(left: Subject, right: Subject): boolean {
  return subjectKey(left) === subjectKey(right);
}

function withIdentity(graph: Graph, identity: Identity, replacement: Identity | undefined): Graph {
  const key = namedKey(identity);
  return {
    ...graph,
    identities: (graph.identities ?? []).flatMap((each) =>
      namedKey(each) === key ? (replacement ?? []) : each,
    ),
  };
}

/** No stack declares it: `up` leaves it as it is. */
function addedAs(subject: Subject, note: string): Difference {
  return { kind: 'added', subject, note, isLeft: true };
}

function elsewhere(subject: Subject, note: string | undefined): Difference {
  return { kind: 'unmanaged', subject, ...(note !== undefined && { note }) };
}

function tokenRole(role: OtherRole): Difference {
  const words = role.isOpaque
    ? 'tokens made with it may have policies that are not known'
    : givesWords(role.policies);
  return elsewhere({ type: 'other', name: wordsOf(role), method: role.method }, words);
}

/** What the roles, users and groups of a method give together. */
function ofRoles(all: readonly { policies?: readonly string[] }[], roles = all.length): string {
  const policies = all.flatMap(({ policies = [] }) => policies);
  if (roles === 0 && policies.length === 0) return 'nothing in it gives policies';
  return roles === 1
    ? `1 role or user ${givesWords(policies)}`
    : `${roles} roles and users ${givesWords(policies, 'give')}`;
}

function givesWords(policies: readonly string[], verb = 'gives'): string {
  const names = [...new Set(policies.map(policyKey))].sort();
  return names.length === 0 ? `${verb} no policies` : `${verb} ${shortened(names, most)}`;
}
