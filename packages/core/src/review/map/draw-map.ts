import { GraphIndex, policiesOfOther, policiesOfRole } from '../../access/graph-index.ts';
import { limitsOf } from '../../access/limits.ts';
import { policySides, type Side, textMissing } from '../../access/policy-sides.ts';
import { RuleBook } from '../../access/rule-book.ts';
import { populationOf, populationWords } from '../../access/sign-in/population.ts';
import type { Change } from '../../graph/change.ts';
import { type Named, namedKey } from '../../graph/memberships.ts';
import type { AuthMethod } from '../../graph/resources/auth-method.ts';
import type { Role } from '../../graph/resources/role.ts';
import { roleSubject, subjectName } from '../../graph/subject.ts';
import { nameKey, policyKey } from '../../graph/values/name-key.ts';
import { partName } from '../../graph/values/visible.ts';
import type { Place } from '../plan/compose-change.ts';
import {
  type AccessMap,
  type Column,
  type MapEdge,
  type MapNode,
  mapAround,
  type State,
  sorted,
} from './access-map.ts';

type Graphs = Pick<Change, 'before' | 'after'>;

/**
 * Draws changes, or graphs that are the same before and after.
 *
 * @param now nanoseconds since 1970: rules of policies may expire
 * @param around titles of roles and groups: only what leads to them or from them is drawn. Defaults to all.
 */
export function accessMap(
  changes: readonly { place: Place; change: Graphs }[],
  now: bigint,
  around?: readonly string[],
): AccessMap {
  const [before, after] = [new Drawing('before', now), new Drawing('after', now)];
  for (const { place, change } of changes) {
    before.add(change, place);
    after.add(change, place);
  }
  const map = sorted({
    nodes: merged(before.nodes, after.nodes),
    edges: merged(before.edges, after.edges),
    missing: [...after.missing],
  });
  return around === undefined ? map : mapAround(map, around);
}

function merged<T extends object>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>) {
  return [...new Map([...before, ...after])].map(([key, one]): T & { state: State } => ({
    ...one,
    state: !before.has(key) ? 'appears' : after.has(key) ? 'same' : 'goes',
  }));
}

/** The nodes and lines of graphs that are there at one time, by what makes two of them one. */
class Drawing {
  readonly nodes = new Map<string, Omit<MapNode, 'state'>>();
  readonly edges = new Map<string, Omit<MapEdge, 'state'>>();
  readonly missing = new Set<string>();
  readonly #side: Side;
  readonly #now: bigint;
  #place = '';

  constructor(side: Side, now: bigint) {
    this.#side = side;
    this.#now = now;
  }

  add(change: Graphs, { namespace, server }: Place): void {
    const graph = change[this.#side];
    this.#place = [namespace && `namespace ${namespace}`, server].filter(Boolean).join(', ');
    const index = new GraphIndex(graph, []);
    const policies = new Map(graph.policies.map(({ name }) => [policyKey(name), this.#policy(name)]));
    const grant = (from: string, names: readonly string[]) => {
      for (const name of names) {
        policies.set(name, this.#policy(name));
        this.#line(from, this.#policy(name));
      }
    };
    for (const role of index.roles.values()) {
      const to = this.#node('roles and groups', subjectName(roleSubject(role)));
      this.#line(this.#whoSignsIn(role, index.methods.get(role.method)), to);
      grant(to, policiesOfRole(role));
    }
    const external = graph.groups.map(({ name }): Named => ({ kind: 'group', name }));
    const named = new Map([...external.map((one) => [namedKey(one), one] as const), ...index.identities]);
    for (const { kind, name } of named.values()) grant(this.#named(kind, name), index.policiesOf(kind, name));
    for (const { name, method, group } of index.aliases.values()) {
      if (!index.readsGroups(method)) continue;
      const who = this.#node('principals', `people in ${name}`, `auth/${method}`);
      this.#line(who, this.#named('group', group));
    }
    for (const other of index.otherAccess.values()) {
      const { name, who, effect, entity, group, isOpaque } = other;
      if (effect === 'takes') continue;
      if (isOpaque || effect === 'either') this.missing.add(`what ${name} gives`);
      const [kind, of] = entity === undefined ? (['group', group] as const) : (['entity', entity] as const);
      const names = policiesOfOther(index, other);
      // An alias only leads to what its entity or its group has.
      if (of !== undefined && other.policies.length === 0 && named.has(namedKey({ kind, name: of })))
        this.#line(this.#node('principals', name), this.#named(kind, of));
      else if (names.length > 0) {
        const to = this.#node('roles and groups', name);
        if (who !== undefined) this.#line(this.#node('principals', who), to);
        grant(to, names);
      }
    }
    this.#drawRules(change, policies);
  }

  #drawRules(change: Graphs, policies: Map<string, string>): void {
    const book = new RuleBook(policySides(policies.keys(), change.before, change.after), this.#now);
    const note = (name: string, detail: string) =>
      this.#node('policies', partName('policy', name), detail, true);
    for (const name of policies.keys()) {
      if (book.isRead(name, 'before') && book.isRead(name)) continue;
      // An edge that is unknown on one side neither appears nor goes.
      policies.delete(name);
      this.missing.add(textMissing(name));
      note(name, 'text unknown');
    }
    // What servers come with is about a token itself: its twenty paths would hide the others.
    if (
      policies.has('default') &&
      !change[this.#side].policies.some(({ name }) => policyKey(name) === 'default')
    ) {
      policies.delete('default');
      note('default', 'built in: a token’s own matters');
    }
    for (const [pattern, rules] of book.rules(policies.keys())) {
      if (rules[this.#side].size === 0) continue;
      const to = this.#node('paths', pattern);
      for (const [name, rule] of rules[this.#side]) {
        const limits = limitsOf(rule).join(', ');
        const given = [...rule.capabilities].sort().join(', ') || 'deny';
        this.#line(this.#policy(name), to, limits === '' ? given : `${given} (limited by ${limits})`);
      }
    }
  }

  #whoSignsIn(role: Role, method: AuthMethod | undefined): string {
    const { oidcDiscoveryUrl, boundIssuer } = method?.config ?? {};
    const issuer = oidcDiscoveryUrl ?? boundIssuer ?? `auth/${role.method}`;
    const population = populationOf(role, method);
    const words = populationWords(population);
    return this.#node('principals', words || `everyone with an account at ${issuer}`, `auth/${role.method}`);
  }

  #named(kind: Named['kind'], name: string): string {
    return this.#node('roles and groups', partName(kind, name));
  }

  #policy(name: string): string {
    return this.#node('policies', partName('policy', name));
  }

  #node(column: Column, title: string, detail = '', isOver = false): string {
    // Services compare the names of roles, groups and policies in lower case; paths as they are.
    const name = column === 'paths' || column === 'principals' ? title : nameKey(title);
    const id = JSON.stringify([this.#place, column, name, column === 'principals' ? detail : '']);
    const node = { id, column, title, detail: [detail, this.#place].filter(Boolean).join(', ') };
    if (isOver || !this.nodes.has(id)) this.nodes.set(id, node);
    return id;
  }

  #line(from: string, to: string, label = ''): void {
    this.edges.set(JSON.stringify([from, to, label]), { from, to, label });
  }
}
