import { type Promised, type Somebody, somebodyFrom } from '../model/promise-settings.ts';
import type { State } from '../model/state.ts';
import { nameKey } from '../model/values/name-key.ts';
import type { AskedPaths } from './asked-paths.ts';
import type { Witness } from './sign-in/population.ts';
import { type Alike, type Askers, type Bearer, bearerText, signInOf, Tokens, verdictOn } from './tokens.ts';

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

/** Whether a promise is kept in a state. `witness`: who has what is promised not to be, or has not what is. */
export type PromiseAnswer =
  | { answer: 'kept' }
  | { answer: 'broken'; witness: PromiseWitness }
  | { answer: 'unknown'; missing: string };

/** A token that somebody may have: of a role, in some groups; of an entity; of another way in. */
interface Token {
  parts: Alike[];
  /** One of each part: of those who have the same policies, the one that the promise does not allow. */
  bearers: Bearer[];
  /** Whether the promise is about them; `unknown` where nobody here knows whether they are the same people. */
  is: 'meant' | 'unknown';
  /** Whether a sign-in is known that gets it. Only asked of those that must have something. */
  isOpen?: boolean;
}

/** Answers whether promises are kept in a state. */
export class Promises {
  readonly #tokens: Tokens;
  readonly #members: Map<string, { kind: 'group' | 'entity'; name: string }[]>;
  readonly #unseen: readonly string[];

  /**
   * @param now nanoseconds since 1970: rules of policies may expire
   * @param unseen what else may give access and was not read, in words
   */
  constructor(state: State, now: bigint, unseen: readonly string[] = []) {
    this.#tokens = new Tokens(state, now);
    this.#unseen = unseen;
    this.#members = new Map(
      (state.holders ?? []).map(({ kind, name, members = [] }) => [`${kind} ${nameKey(name)}`, members]),
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
    const missing = this.#visit(promise, covering, (paths, capability) => {
      if (broken !== undefined) return;
      for (const token of this.#tokensFor(promise, this.#tokens.at(paths))) {
        const verdict = verdictOn(paths, token.parts, capability);
        if (verdict.can === 'no') continue;
        if (verdict.can === 'yes' && token.is === 'meant') {
          broken = {
            ...this.#witness(token, paths.path, capability),
            ...(verdict.pattern !== undefined && { pattern: verdict.pattern }),
            policies: verdict.givers,
          };
          return;
        }
        unknown ??=
          verdict.can === 'unknown'
            ? `what ${policiesText(verdict.unread)} allows, which ${who(token.bearers)} has: its text is not here, or cannot be read`
            : `whether they are also ${who(token.bearers)}, which can ${capability} ${JSON.stringify(paths.path)}`;
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
    const missing = this.#visit(promise, exactly, (paths, capability) => {
      if (broken !== undefined) return;
      const askers = this.#tokens.at(paths);
      for (const text of wanted) {
        const ways = waysOf(somebodyFrom(text), askers);
        const verdicts = ways.map((token) => ({ token, verdict: verdictOn(paths, token.parts, capability) }));
        const isAble = ({ verdict }: (typeof verdicts)[number]) =>
          verdict.can === 'yes' && verdict.limits.length === 0;
        if (verdicts.some((one) => isAble(one) && one.token.isOpen)) continue;
        const open = (verdicts.find(isAble) ?? verdicts.find(({ verdict }) => verdict.can !== 'no'))?.verdict;
        if (open === undefined) {
          const [first] = ways;
          broken = {
            ...(first && this.#witness(first, paths.path, capability)),
            who: text,
            path: paths.path,
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
    look: (paths: AskedPaths, capability: string) => void,
  ): string | undefined {
    const capabilities = [...new Set(can.flatMap(meaning))];
    return this.#tokens.rules.visit(on, (paths) => {
      for (const capability of capabilities) {
        if ((capability === 'list') === (paths.asks === 'list')) look(paths, capability);
      }
    });
  }

  #witness({ bearers }: Token, path: string, capability: string): PromiseWitness {
    const found = this.#signIn(bearers);
    return { who: who(bearers), path, capability, ...(found && { signIn: found }) };
  }

  #signIn(bearers: Bearer[]): { role: string; token: Witness } | undefined {
    const [first] = bearers;
    if (first === undefined) return undefined;
    const group = bearers.find(({ kind }) => kind === 'group');
    if (group === undefined) return signInOf(first, []);
    const here = this.#tokens.mounts.get(group.method ?? '')?.roles.all ?? [];
    return signInOf(group, first.readsGroups ? [first] : here);
  }

  /** All tokens that must not have it. */
  #tokensFor({ only, never = [] }: Promised, { mounts, holders, others }: Askers): Token[] {
    const named = (only ?? never).map(somebodyFrom);
    const everybody = named.some(({ kind }) => kind === 'everybody');
    const isNamed = (bearer: Bearer) => named.some((one) => isOf(one, bearer));
    const first = (alike: Alike, wanted: (bearer: Bearer) => boolean) => alike.bearers.find(wanted);
    const any = () => true;
    if (only !== undefined || everybody) {
      // Whoever is not among those named; of `never: [anyone]` nobody is.
      const isOutside = only === undefined ? any : (bearer: Bearer) => !isNamed(bearer);
      const isStranger = (bearer: Bearer) => only === undefined || !this.#isWithin(bearer, named);
      return [
        ...mounts.flatMap(({ roles, groups }) => pairs(roles, groups, isOutside, isOutside)),
        ...[...holders, ...others].flatMap((alike) => token('meant', [alike], [first(alike, isStranger)])),
      ];
    }
    return [
      ...mounts.flatMap(({ roles, groups }) => [
        ...pairs(roles, groups, isNamed, any),
        ...groups.flatMap((group) => {
          const meant = first(group, isNamed);
          const besides = [[], ...groups.filter((one) => one !== group).map((one) => [one])];
          const from = roles.length === 0 ? [[]] : roles.map((role) => [role]);
          return from.flatMap((role) =>
            besides.flatMap((beside) =>
              token(
                'meant',
                [...role, group, ...beside],
                [role[0]?.bearers[0], meant, beside[0]?.bearers[0]],
                meant,
              ),
            ),
          );
        }),
      ]),
      // Whom an entity or an internal group holds is not known here; one of other groups alone adds to those.
      ...holders.flatMap((alike) =>
        token('unknown', [alike], [first(alike, (bearer) => !this.#isOfGroups(bearer))]),
      ),
    ];
  }

  /** Whether all who are in an internal group are in it by groups that are named. */
  #isWithin(bearer: Bearer, named: Somebody[]): boolean {
    const inside = this.#groupsIn(holderKey(bearer));
    return (
      inside?.every((group) => named.some((one) => one.kind === 'group' && nameKey(one.name) === group)) ===
      true
    );
  }

  #isOfGroups(bearer: Bearer): boolean {
    return this.#groupsIn(holderKey(bearer)) !== undefined;
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
    return [...this.#tokens.mounts.values()].some(({ groups }) =>
      groups.all.some(({ name }) => `group ${nameKey(name)}` === key),
    );
  }
}

/** What must not be, in other words: whoever may patch may write, and a scan is a list of everything below. */
const others: Record<string, string[]> = { update: ['patch'], list: ['scan'] };
const covering = (capability: string) => [capability, ...(others[capability] ?? [])];
const exactly = (capability: string) => [capability];

/** Each role alone, and with each group of its mount; groups alone where nobody here knows the roles. */
function pairs(
  roles: Alike[],
  groups: Alike[],
  isRole: (bearer: Bearer) => boolean,
  isGroup: (bearer: Bearer) => boolean,
): Token[] {
  const alone =
    roles.length === 0 ? groups.map((group) => ({ parts: [group], who: [group.bearers.find(isGroup)] })) : [];
  return [
    ...alone.flatMap(({ parts, who: bearers }) => token('meant', parts, bearers)),
    ...roles.flatMap((role) => {
      const one = role.bearers.find(isRole);
      return [
        ...token('meant', [role], [one]),
        ...groups.flatMap((group) => token('meant', [role, group], [one, group.bearers.find(isGroup)])),
      ];
    }),
  ];
}

/** A token, unless one of its parts has nobody that is meant. */
function token(is: Token['is'], parts: Alike[], bearers: (Bearer | undefined)[], needed?: Bearer): Token[] {
  const found = bearers.filter((one) => one !== undefined);
  return found.length === parts.length && (needed === undefined || found.includes(needed))
    ? [{ is, parts, bearers: found }]
    : [];
}

/**
 * The tokens by which somebody can do something: of each of their roles, and of a group by each role that reads groups.
 * No sign-in gives the policy root.
 */
function waysOf(wanted: Somebody, { mounts, holders, others: beside }: Askers): Token[] {
  const isWanted = (bearer: Bearer) => wanted.kind === 'everybody' || isOf(wanted, bearer);
  const way = (parts: Alike[], bearers: readonly Bearer[], isOpen: (bearer: Bearer) => boolean): Token[] => {
    const open = bearers.find(isOpen);
    const shown = open ?? bearers[0];
    const isRoot = parts.some(({ policies }) => policies.includes('root'));
    return shown === undefined || isRoot
      ? []
      : [{ is: 'meant', parts, bearers: [shown], isOpen: open !== undefined }];
  };
  const never = () => false;
  return [
    ...mounts.flatMap(({ roles, groups }) => [
      ...roles.flatMap((role) =>
        way([role], role.bearers.filter(isWanted), (one) => signInOf(one, []) !== undefined),
      ),
      ...groups.flatMap((group) => {
        const members = group.bearers.filter(isWanted);
        if (roles.length === 0) return way([group], members, never);
        return roles
          .filter(({ bearers }) => bearers.some(({ readsGroups }) => readsGroups))
          .flatMap((role) => way([role, group], members, (one) => signInOf(one, role.bearers) !== undefined));
      }),
    ]),
    ...holders.flatMap((alike) => way([alike], alike.bearers.filter(isWanted), never)),
    ...beside.flatMap((alike) => way([alike], alike.bearers.filter(isWanted), () => true)),
  ];
}

function isOf(wanted: Somebody, { kind, name, method }: Bearer): boolean {
  if (wanted.kind === 'everybody') return true;
  if (wanted.kind !== kind || nameKey(wanted.name) !== nameKey(name)) return false;
  return wanted.kind === 'group' || wanted.method === undefined || wanted.method === method;
}

function holderKey({ name }: Bearer): string {
  return name
    .replace(/^internal /, '')
    .replace(/^(group|entity) (.*)$/s, (_, kind, rest) => `${kind} ${nameKey(rest)}`);
}

function who(bearers: Bearer[]): string {
  return bearers
    .map((bearer, at) => `${at > 0 && bearer.kind === 'group' ? 'in ' : ''}${bearerText(bearer)}`)
    .join(', ');
}

function policiesText(names: string[]): string {
  return names.map((name) => `policy ${JSON.stringify(name)}`).join(' and ');
}
