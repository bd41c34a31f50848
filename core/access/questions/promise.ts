import type { Graph } from '../../model/graph.ts';
import { type Promised, type Somebody, somebodyFrom } from '../../model/promise-settings.ts';
import { OutOfBudget } from '../../model/values/budget.ts';
import { nameKey } from '../../model/values/name-key.ts';
import type { PathView } from '../rule-book.ts';
import type { Witness } from '../sign-in/population.ts';
import {
  GraphPrincipals,
  type PrincipalsThere,
  type SamePolicies,
  type Standing,
  signInOf,
  standingText,
  verdictOn,
} from './graph-principals.ts';

/** Who shows that a promise is broken. */
export interface PromiseWitness {
  /** In words: `role "web" of auth/cluster, in group "admins" ("x" of auth/cluster)`. */
  who: string;
  path: string;
  capability: string;
  /** The pattern that decides there, and the policies that give it. */
  pattern?: string;
  policies?: string[];
  signIn?: { role: string; token: Witness };
}

/** Whether a promise is kept in a graph. `witness`: who has what is promised not to be, or has not what is. */
export type PromiseAnswer =
  | { answer: 'kept' }
  | { answer: 'broken'; witness: PromiseWitness }
  | { answer: 'unknown'; missing: string };

/** A token that principals may have: of a role, in some groups; of an entity; of another access. */
interface Token {
  parts: SamePolicies[];
  /** One of each part: of those with the same policies, the one that the promise does not allow. */
  standings: Standing[];
  /** Whether the promise is about them; `unknown` where it is not known whether they are the same people. */
  is: 'meant' | 'unknown';
  /** Whether a sign-in is known that gets it. Only asked of those that must have something. */
  isOpen?: boolean;
}

/** Answers whether promises are kept in a graph. */
export class Promises {
  readonly #principals: GraphPrincipals;
  readonly #members: Map<string, { kind: 'group' | 'entity'; name: string }[]>;
  readonly #external: ReadonlySet<string>;
  readonly #unseen: readonly string[];

  /**
   * @param now nanoseconds since 1970: rules of policies may expire
   * @param unseen what else may give access and was not read, in words
   */
  constructor(graph: Graph, now: bigint, unseen: readonly string[] = []) {
    this.#principals = new GraphPrincipals(graph, now);
    this.#unseen = [...this.#principals.unseen, ...unseen];
    this.#external = new Set(graph.groups.map(({ name }) => nameKey(name)));
    this.#members = new Map(
      (graph.holders ?? []).map(({ kind, name, members = [] }) => [`${kind} ${nameKey(name)}`, members]),
    );
  }

  decide(promise: Promised): PromiseAnswer {
    return promise.always === undefined ? this.#forbidden(promise) : this.#granted(promise, promise.always);
  }

  /**
   * `only` and `never`: no token of those who are meant has it. For each role it is enough to look at it alone, with
   * each group, and, for a promise about a group, with each group beside that one (see `Reach.whoCan`: whatever other
   * groups a token has, it can only lose).
   */
  #forbidden(promise: Promised): PromiseAnswer {
    let broken: PromiseWitness | undefined;
    let unknown: string | undefined;
    const missing = this.#visit(promise, covering, (view, capability) => {
      if (broken !== undefined) return;
      for (const token of this.#tokensFor(promise, this.#principals.at(view))) {
        const verdict = verdictOn(view, token.parts, capability);
        if (verdict.can === 'no') continue;
        if (verdict.can === 'yes' && token.is === 'meant') {
          broken = {
            ...this.#witness(token, view.path, capability),
            ...(verdict.pattern !== undefined && { pattern: verdict.pattern }),
            policies: verdict.givers,
          };
          return;
        }
        unknown ??=
          verdict.can === 'unknown'
            ? `what ${policiesText(verdict.unread)} allows, which ${who(token.standings)} has: its text is not here, or cannot be read`
            : `whether they are also ${who(token.standings)}, which can ${capability} ${JSON.stringify(view.path)}`;
      }
    });
    if (broken !== undefined) return { answer: 'broken', witness: broken };
    const open = unknown ?? missing ?? this.#unseen[0];
    return open === undefined ? { answer: 'kept' } : { answer: 'unknown', missing: open };
  }

  /** `always`: on each of the paths, one of the sign-ins of each of them is enough, without a limit. */
  #granted(promise: Promised, wanted: string[]): PromiseAnswer {
    let broken: PromiseWitness | undefined;
    let unknown: string | undefined;
    const missing = this.#visit(promise, exactly, (view, capability) => {
      if (broken !== undefined) return;
      const there = this.#principals.at(view);
      for (const text of wanted) {
        const ways = waysOf(somebodyFrom(text), there);
        const verdicts = ways.map((token) => ({ token, verdict: verdictOn(view, token.parts, capability) }));
        const isAble = ({ verdict }: (typeof verdicts)[number]) =>
          verdict.can === 'yes' && verdict.limits.length === 0;
        if (verdicts.some((one) => isAble(one) && one.token.isOpen)) continue;
        const open = (verdicts.find(isAble) ?? verdicts.find(({ verdict }) => verdict.can !== 'no'))?.verdict;
        if (open === undefined) {
          const [first] = ways;
          broken = {
            ...(first && this.#witness(first, view.path, capability)),
            who: text,
            path: view.path,
            capability,
          };
          return;
        }
        unknown ??=
          open.can === 'yes' && open.limits.length === 0
            ? `a sign-in by which ${text} would get in`
            : open.can === 'yes'
              ? `whether ${text} can meet the limits of ${JSON.stringify(open.pattern)}: ${open.limits.join(', ')}`
              : `what ${policiesText(open.unread)} allows, which ${text} has: its text is not here, or cannot be read`;
      }
    });
    if (broken !== undefined) return { answer: 'broken', witness: broken };
    const open = unknown ?? missing;
    return open === undefined ? { answer: 'kept' } : { answer: 'unknown', missing: open };
  }

  #visit(
    { on, can }: Promised,
    meaning: (capability: string) => string[],
    look: (view: PathView, capability: string) => void,
  ): string | undefined {
    const capabilities = [...new Set(can.flatMap(meaning))];
    try {
      this.#principals.visit(on, (view) => {
        for (const capability of capabilities) {
          if ((capability === 'list') === (view.asks === 'list')) look(view, capability);
        }
      });
    } catch (error) {
      if (error instanceof OutOfBudget) return `every path: ${error.message}`;
      throw error;
    }
    return undefined;
  }

  #witness({ standings }: Token, path: string, capability: string): PromiseWitness {
    const found = this.#signIn(standings);
    return { who: who(standings), path, capability, ...(found && { signIn: found }) };
  }

  #signIn(standings: Standing[]): { role: string; token: Witness } | undefined {
    const [first] = standings;
    if (first === undefined) return undefined;
    const group = standings.find(({ kind }) => kind === 'group');
    if (group === undefined) return signInOf(first, []);
    const here = this.#principals.mounts.get(group.method ?? '')?.roles.all ?? [];
    return signInOf(group, first.readsGroups ? [first] : here);
  }

  /** All tokens that must not have it. */
  #tokensFor({ only, never = [] }: Promised, { mounts, identities, others: rest }: PrincipalsThere): Token[] {
    const named = (only ?? never).map(somebodyFrom);
    const everybody = named.some(({ kind }) => kind === 'everybody');
    const isNamed = (standing: Standing) => named.some((one) => isOf(one, standing));
    const first = (same: SamePolicies, wanted: (standing: Standing) => boolean) =>
      same.standings.find(wanted);
    const any = () => true;
    if (only !== undefined || everybody) {
      // All but those named; of `never: [anyone]`, all.
      const isOutside = only === undefined ? any : (standing: Standing) => !isNamed(standing);
      const isStranger = (standing: Standing) => only === undefined || !this.#isWithin(standing, named);
      return [
        ...mounts.flatMap(({ roles, groups }) => pairs(roles, groups, isOutside, isOutside)),
        ...[...identities, ...rest].flatMap((same) =>
          token(this.#isWithoutAlias(same) ? 'unknown' : 'meant', [same], [first(same, isStranger)]),
        ),
      ];
    }
    return [
      ...mounts.flatMap(({ roles, groups }) => [
        ...pairs(roles, groups, isNamed, any),
        ...groups.flatMap((group) => {
          const meant = first(group, isNamed);
          const others = [[], ...groups.filter((one) => one !== group).map((one) => [one])];
          const from = roles.length === 0 ? [[]] : roles.map((role) => [role]);
          return from.flatMap((role) =>
            others.flatMap((other) =>
              token(
                'meant',
                [...role, group, ...other],
                [role[0]?.standings[0], meant, other[0]?.standings[0]],
                meant,
              ),
            ),
          );
        }),
      ]),
      // Who is in an internal group is not known here; one of other groups alone adds to those.
      ...identities.flatMap((same) =>
        token('unknown', [same], [first(same, (standing) => !this.#isOfGroups(standing))]),
      ),
    ];
  }

  /** Whether they are of external groups whose aliases are not here: who is in these is not known. */
  #isWithoutAlias({ standings }: SamePolicies): boolean {
    return standings.every(({ kind, name }) => kind === 'members' && this.#external.has(nameKey(name)));
  }

  /** Whether all who are in an internal group are in it by groups that are named. */
  #isWithin(standing: Standing, named: Somebody[]): boolean {
    const inside = this.#groupsIn(identityKey(standing));
    return (
      inside?.every((group) => named.some((one) => one.kind === 'group' && nameKey(one.name) === group)) ===
      true
    );
  }

  #isOfGroups(standing: Standing): boolean {
    return this.#groupsIn(identityKey(standing)) !== undefined;
  }

  /** The external groups that a group consists of; undefined where others are in it, or nobody is known to be. */
  #groupsIn(key: string): string[] | undefined {
    const found = new Set<string>();
    const reached = new Set([key]);
    for (const one of reached) {
      const members = this.#members.get(one) ?? [];
      const isExternal = one !== key && this.#isExternal(one);
      if (isExternal) found.add(one.replace(/^group /, ''));
      else if (members.length === 0) return undefined;
      for (const { kind, name } of members) {
        if (kind === 'entity') return undefined;
        reached.add(`group ${nameKey(name)}`);
      }
    }
    return [...found];
  }

  #isExternal(key: string): boolean {
    return [...this.#principals.mounts.values()].some(({ groups }) =>
      groups.all.some(({ name }) => `group ${nameKey(name)}` === key),
    );
  }
}

/** Capabilities that one stands for: to patch is to write, and a scan is a list of everything below. */
const including: Record<string, string[]> = { update: ['patch'], list: ['scan'] };
const covering = (capability: string) => [capability, ...(including[capability] ?? [])];
const exactly = (capability: string) => [capability];

/** Each role alone, and with each group of its mount; groups alone where the roles are not known. */
function pairs(
  roles: SamePolicies[],
  groups: SamePolicies[],
  isRole: (standing: Standing) => boolean,
  isGroup: (standing: Standing) => boolean,
): Token[] {
  const alone =
    roles.length === 0
      ? groups.map((group) => ({ parts: [group], who: [group.standings.find(isGroup)] }))
      : [];
  return [
    ...alone.flatMap(({ parts, who: standings }) => token('meant', parts, standings)),
    ...roles.flatMap((role) => {
      const one = role.standings.find(isRole);
      return [
        ...token('meant', [role], [one]),
        ...groups.flatMap((group) => token('meant', [role, group], [one, group.standings.find(isGroup)])),
      ];
    }),
  ];
}

/** A token, unless one of its parts has no principals that are meant. */
function token(
  is: Token['is'],
  parts: SamePolicies[],
  standings: (Standing | undefined)[],
  needed?: Standing,
): Token[] {
  const found = standings.filter((one) => one !== undefined);
  return found.length === parts.length && (needed === undefined || found.includes(needed))
    ? [{ is, parts, standings: found }]
    : [];
}

/**
 * The tokens of those wanted: of each of their roles, and of a group by each role that reads groups.
 * No sign-in gives the policy root.
 */
function waysOf(wanted: Somebody, { mounts, identities, others: rest }: PrincipalsThere): Token[] {
  const isWanted = (standing: Standing) => wanted.kind === 'everybody' || isOf(wanted, standing);
  const way = (
    parts: SamePolicies[],
    standings: readonly Standing[],
    isOpen: (standing: Standing) => boolean,
  ): Token[] => {
    const open = standings.find(isOpen);
    const shown = open ?? standings[0];
    const isRoot = parts.some(({ policies }) => policies.includes('root'));
    return shown === undefined || isRoot
      ? []
      : [{ is: 'meant', parts, standings: [shown], isOpen: open !== undefined }];
  };
  const never = () => false;
  return [
    ...mounts.flatMap(({ roles, groups }) => [
      ...roles.flatMap((role) =>
        way([role], role.standings.filter(isWanted), (one) => signInOf(one, []) !== undefined),
      ),
      ...groups.flatMap((group) => {
        const members = group.standings.filter(isWanted);
        if (roles.length === 0) return way([group], members, never);
        return roles
          .filter(({ standings }) => standings.some(({ readsGroups }) => readsGroups))
          .flatMap((role) =>
            way([role, group], members, (one) => signInOf(one, role.standings) !== undefined),
          );
      }),
    ]),
    ...identities.flatMap((same) => way([same], same.standings.filter(isWanted), never)),
    ...rest.flatMap((same) => way([same], same.standings.filter(isWanted), () => true)),
  ];
}

function isOf(wanted: Somebody, { kind, name, method }: Standing): boolean {
  if (wanted.kind === 'everybody') return true;
  if (wanted.kind !== kind || nameKey(wanted.name) !== nameKey(name)) return false;
  return wanted.kind === 'group' || wanted.method === undefined || wanted.method === method;
}

function identityKey({ kind, name }: Standing): string {
  return `${kind === 'members' ? 'group' : kind} ${nameKey(name)}`;
}

function who(standings: Standing[]): string {
  return standings
    .map((standing, at) => `${at > 0 && standing.kind === 'group' ? 'in ' : ''}${standingText(standing)}`)
    .join(', ');
}

function policiesText(names: string[]): string {
  return names.map((name) => `policy ${JSON.stringify(name)}`).join(' and ');
}
