import type { Holder } from './holdings.ts';
import type { Witness } from './sign-in/population.ts';

/** Whether somebody gains, or loses: proved that nobody does, somebody does, or it cannot be judged. */
export const Answer = { none: 'none', some: 'some', unknown: 'unknown' } as const;
export type Answer = (typeof Answer)[keyof typeof Answer];

/** The answer for all of them together: one that is known to is enough, and one that is not known leaves it open. */
export function strongest(answers: readonly Answer[]): Answer {
  if (answers.includes('some')) return 'some';
  return answers.includes('unknown') ? 'unknown' : 'none';
}

/**
 * What happens to a class of people or workloads.
 * - `opened`: a way in that was not there. - `closed`: one that is no more.
 * - `widened`: who did not fulfil the bounds before gets in now. - `narrowed`: who did gets in no more.
 * - `changed`: who gets in before and after gets other policies, tokens of another life, or another identity.
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
  /** Limits beside capabilities (fields, wrapping, others) are other than before. */
  parametersChange: boolean;
  /** Which of these is weaker (gained) or stricter (lost), and on which capabilities. */
  limits?: { side: 'gained' | 'lost'; limit: string; capabilities: string[] }[];
  /** Where it newly lets write who signs in and with what: patterns of core/access/administration.ts. */
  administers?: string[];
  /** A path of which it is so. */
  witness: string;
  /** What else is held by the token of which it is so, in words. */
  together?: string[];
}

/** A change beside policies, and what it does. */
export interface Beside {
  about: 'lifetime' | 'identity' | 'groups' | 'bounds';
  gains: Answer;
  losses: Answer;
  words: string;
}

/** What a class of people or workloads gains or loses. */
export interface AccessChange {
  kind: AccessKind;
  way: { kind: Holder['kind']; method: string; name: string; group?: string };
  /** Who, in words: what a sign-in had to fulfil before, has to after. Empty for whomever the provider lets in. */
  bounds: { before?: string; after?: string };
  policies: { gained: string[]; lost: string[]; kept: string[] };
  /** External groups that come with it, or go: a role that lets in others lets them into their groups. */
  groups: { name: string; policies: string[] }[];
  paths: ChangedPaths[];
  /** Groups that it newly leads into, and that let decide who signs in and with what: a path each. */
  administersBy?: { group: string; path: string }[];
  /** What changes beside policies: the life of tokens, who somebody is taken for, where groups are read from. */
  beside: Beside[];
  /** Policies whose text is not at hand or cannot be read, so that what they allow is not known. */
  unread: string[];
  /** What is missing to judge it, in words. */
  uncertain: string[];
  gains: Answer;
  losses: Answer;
  /** Why others get in than before, in words. */
  because?: string;
  /** A sign-in that gains; where something is closed, one that loses. */
  token?: Witness;
}

/** A change in which nobody gains or loses yet. */
export function begun(
  kind: AccessKind,
  { kind: way, method = '', name, group, before, after }: Holder,
): AccessChange {
  return {
    kind,
    way: { kind: way, method, name, ...(group === undefined ? {} : { group }) },
    bounds: {},
    policies: {
      gained: after.filter((policy) => !before.includes(policy)),
      lost: before.filter((policy) => !after.includes(policy)),
      kept: after.filter((policy) => before.includes(policy)),
    },
    groups: [],
    paths: [],
    beside: [],
    unread: [],
    uncertain: [],
    gains: 'none',
    losses: 'none',
  };
}
