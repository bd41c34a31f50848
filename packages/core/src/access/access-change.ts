import type { OtherNode } from '../graph/nodes/other-node.ts';
import { defined } from '../graph/values/loose-values.ts';
import type { NodeKey } from './edges/edge.ts';
import { changedLists, type Grant, type PolicyLists } from './grants.ts';
import type { Side } from './policy-sides.ts';
import type { AlsoChange } from './reasons/also-change.ts';
import type { Giver, PickedGiver } from './reasons/giver.ts';
import type { EdgeNode, Reason } from './reasons/reason.ts';
import type { Condition } from './sign-in/conditions.ts';
import type { Population, ProviderWhom, Widening, Witness } from './sign-in/population.ts';
import type { Life } from './sign-in/token-life.ts';
import { isLimit } from './sign-in/token-limits.ts';

/** Whether principals gain, or lose: proved that none does, some do, or not known. */
export const Answer = { none: 'none', some: 'some', unknown: 'unknown' } as const;
export type Answer = (typeof Answer)[keyof typeof Answer];

/** The answer for all of them together: one that is known to is enough, and one that is not known leaves it open. */
export function strongest(answers: readonly Answer[]): Answer {
  if (answers.includes('some')) return 'some';
  return answers.includes('unknown') ? 'unknown' : 'none';
}

/**
 * What happens to a class of principals.
 * - `opened`: a new sign-in path. - `closed`: one that is gone.
 * - `widened`: some who did not fulfill the bounds before can sign in now. - `narrowed`: some who did no longer can.
 * - `changed`: principals who can sign in before and after get other policies, tokens of another life, or another identity.
 */
export const AccessKind = {
  opened: 'opened',
  closed: 'closed',
  widened: 'widened',
  narrowed: 'narrowed',
  changed: 'changed',
} as const;
export type AccessKind = (typeof AccessKind)[keyof typeof AccessKind];

/** What becomes of the paths that one pattern decides. */
export interface ChangedPaths {
  /** As a policy writes it, with `*` and `+`. */
  path: string;
  gained: string[];
  lost: string[];
  /** Limits on capabilities (parameters, wrapping, others) are other than before. */
  parametersChange: boolean;
  /** Which of these is weaker (gained) or stricter (lost), and on which capabilities. */
  limits?: { side: 'gained' | 'lost'; limit: string; capabilities: string[] }[];
  /** Where it newly lets write who signs in and with what: patterns of packages/core/src/access/administration.ts. */
  administers?: string[];
  /** A path that shows it. */
  witness: string;
  /** From when on, where it is not at once: RFC 3339; rules expire. */
  from?: string;
  /** The rules that decide there, where a rule does before and after. */
  decides?: { before: DecidingRule; after: DecidingRule };
  /** Why, where it is one thing alone, and known. */
  cause?: PathCause;
}

/** The first match of a token, of all its policies. */
export interface DecidingRule {
  /** As a policy writes it. */
  path: string;
  capabilities: string[];
  /** The policy that it is of, where that is one alone. */
  policy?: string;
}

/**
 * What of a policy makes a difference on a path.
 * - `rule-gone`, `rule-new`, `rule-changed`: a rule of a policy that principals keep.
 * - `policy-lost`, `policy-gained`: all of a policy, for these principals.
 * - `text-gone`, `text-new`: what fills in a template of a policy.
 */
export const causeKinds = [
  'rule-gone',
  'rule-new',
  'rule-changed',
  'policy-lost',
  'policy-gained',
  'text-gone',
  'text-new',
] as const;

export interface PathCause {
  kind: (typeof causeKinds)[number];
  policy: string;
  /** What fills in a template: by its name, or by its metadata. */
  by?: EdgeNode;
  what?: 'metadata';
}

/** A change of something else than policies, and what it does. */
export interface Also {
  about: 'lifetime' | 'identity' | 'groups' | 'bounds' | 'credentials' | 'administration';
  gains: Answer;
  losses: Answer;
  /** Of a lifetime; no one gains or loses access by that alone. */
  life?: Life;
  what: AlsoChange;
}

/** Which of the roles that lead to the same are shown. */
export const RolesShown = { any: 'any', elsewhere: 'elsewhere', some: 'some' } as const;
export type RolesShown = (typeof RolesShown)[keyof typeof RolesShown];

/** Bounds of a role; unknown where a plan hides one. */
export type Bounds = Condition[] | 'unknown';

/** A group that a role leads people into. */
export interface LedIntoGroup {
  name: string;
  /** The provider's name of the group, as its alias has it. */
  alias: string;
  policies: string[];
  /** What its policies say, as far as their texts are known; only of the first groups of a list, for people to read. */
  rules?: readonly { path: string; capabilities: string[] }[];
}

/** What a class of principals gains or loses. Several are about the same principals: each is about tokens that have the same. */
export interface AccessChange {
  kind: AccessKind;
  principals: {
    kind: Principals['kind'];
    method: string;
    name: string;
    group?: string;
    /** Of a role, user or group of another method: its own name, which `name` says in words. */
    ownName?: string;
    /** Of the same: who signs in by it, in words, where that is known. */
    letsIn?: string;
    /** Of tokens with one policy alone, what they are of. */
    picked?: PickedGiver;
  };
  /**
   * What is opened or closed here has this name on the other side, where it is proved to have the same access there. Absent in any
   * doubt. The answers are those of a principal that comes or goes.
   */
  otherName?: { method: string; name: string };
  /** What a sign-in had to fulfill before, and has to after: nothing for all whom the provider lets in. */
  bounds: { before?: Bounds; after?: Bounds };
  /** What else their tokens have: one of these. Absent for whatever else they have. */
  together?: Giver[][];
  /**
   * Of these: `any` role of a group's method gives it, `elsewhere` are the roles that do, and `some` are shown of more.
   * Absent where `together` has all.
   */
  byRoles?: RolesShown;
  /** The same in the words of their provider, where it has some: `any ref of project shop/api, audience "y"`. */
  whom?: { before?: ProviderWhom; after?: ProviderWhom };
  policies: { gained: string[]; lost: string[]; kept: string[] };
  /** External groups that come with it, or go: a role that lets in others lets them into their groups. */
  groups: LedIntoGroup[];
  paths: ChangedPaths[];
  /** Groups that it newly leads into, and that let decide who signs in and with what: a path each. */
  administersBy?: { group: string; path: string }[];
  /** What else changes: the lifetime of tokens, the identity that a sign-in gets, where groups are read from. */
  also: Also[];
  /** Policies whose text is not at hand or cannot be read, so that what they allow is not known. */
  unread: string[];
  /** What is missing to judge it. */
  uncertain: Reason[];
  gains: Answer;
  losses: Answer;
  life: Life;
  /** Why others get in than before. */
  because?: Widening;
  /** A sign-in that gains; where something is closed, one that loses. */
  token?: Witness;
}

/** People can leave groups by a sign-in, and could not before. `missing`: what is missing to say so. */
export interface Leaving {
  missing?: Reason;
}

/** A class of principals, by what gives them their policies, with what happens to them. */
export interface Principals extends Grant {
  /**
   * - `role`: people and workloads who sign in to it. - `method`: who sign in by roles that are not here.
   * - `alias`: people in the provider's group of a group alias.
   * - `group`: members of an internal group, or of an external one whose alias is elsewhere. - `entity`: itself.
   * - `other`: a role, user or group of another auth method, a write to any path, a token.
   * - `policy`: principals who have it by a grant that is not here. - `anyone`: people without a token.
   */
  kind: 'role' | 'method' | 'alias' | 'group' | 'entity' | 'other' | 'policy' | 'anyone';
  name: string;
  /** Of `other`: what it is. */
  node?: OtherNode;
  /** What gives them access, by its names. */
  by: Giver;
  /** The node by which their tokens have all this, on each side. Absent on a side, they have none of it there. */
  starts?: Partial<Record<Side, NodeKey>>;
  /** Path of the auth method, of a role or an alias. */
  method?: string;
  /** The external group of an alias. */
  group?: string;
  /** Of a role: who signs in to it after the change; before it, where they lose their way to sign in. */
  population?: () => Population;
  /** Of a role: whether it reads groups. */
  readsGroups?: boolean;
  /** Of a role: each of its tokens is in one of these groups, before and after. Defaults to any tokens. */
  required?: readonly Principals[];
  /** The alias of an entity, or the one that tokens of a user have, in lower case. Defaults to any. */
  alias?: string;
  /** Tokens with one policy alone of those that these may pick from: they are shown where these are not. */
  partOf?: Principals;
  /** Of a group or an entity: where an alias of it, or of a member, is not known. They may sign in anywhere. */
  isAnywhere?: boolean;
  /** Keys of the groups and the entity whose policies these principals have, before and after. */
  within?: readonly string[];
  /**
   * They are in a group no longer: a loss even where their roles give the same, unless they gain by it. A group may be there
   * for templates, second factors or clients, too. Defaults to false.
   */
  leaves?: boolean;
  /**
   * Of a group: tokens that go on without it, as their person leaves it by another sign-in. People choose that, so it is no
   * loss. Defaults to tokens that stay in it.
   */
  left?: Leaving;
  /** External groups that they newly get into. */
  joins?: AccessChange['groups'];
  change: AccessChange;
  /** Lists of policies that change for tokens that stay, whatever else they have: each is judged for any rest. */
  forAnyRest: PolicyLists[];
}

/** Principals of whom no more is known yet than which policies they have on each side. */
export function principalsWith(
  kind: AccessKind,
  given: Omit<Principals, 'change' | 'forAnyRest'>,
  forAnyRest = changedLists(given),
): Principals {
  const { kind: of, method = '', name, group, by, node } = given;
  const [before, after] = [given.before, given.after].map((list) => list.filter((one) => !isLimit(one))) as [
    string[],
    string[],
  ];
  const change: AccessChange = {
    kind,
    principals: {
      kind: of,
      method,
      name,
      ...defined({ group }),
      ...(node?.kind === 'otherRole' && defined({ ownName: node.name, letsIn: node.who })),
      ...(by.kind === 'picked' && { picked: by }),
    },
    bounds: {},
    policies: {
      gained: after.filter((policy) => !before.includes(policy)),
      lost: before.filter((policy) => !after.includes(policy)),
      kept: after.filter((policy) => before.includes(policy)),
    },
    groups: [],
    paths: [],
    also: [],
    unread: [],
    uncertain: [],
    gains: 'none',
    losses: 'none',
    life: 'same',
  };
  return { ...given, change, forAnyRest };
}
