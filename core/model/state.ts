import type { Lists } from './resources/resources.ts';

export type { Holder } from './resources/entity.ts';

/**
 * The login set-up of a secrets service as plain data, tied together by names. An environment worked out to it
 * is the declared state (`declared.ts`); read from a service it is the live state (`client/live-state.ts`).
 */
export interface State extends Lists {
  /** Whatever else decides who gets in: roles of other auth methods, writes to any path. Never declared. */
  others?: OtherAccess[];
  /** Everything that gives access on the service is in it. Defaults to false: there may be more. */
  isWhole?: true;
}

/** The lists of a state, by what they hold. */
export type StateList = Exclude<keyof State, 'isWhole'>;

/** Something beside roles, groups and policies that decides who gets in, or with what. */
export interface OtherAccess {
  /** What it is, in words that name it: `role "app" of auth/k8s (kubernetes)`, `write to auth/ci/role/x`. */
  name: string;
  /** Whether it gives (a way in), takes (multi-factor enforcement, a quota), or may do either (a write to any path). */
  effect: 'gives' | 'takes' | 'either';
  /** Policies that it gives. */
  policies: string[];
  /** Path of the auth method that it is of. */
  method?: string;
  /** Whether a sign-in there has its policies in addition to those of a role or of others. Defaults to false: it is one by itself. */
  unites?: true;
  /** The entity, or the group, whose policies it gives as well. */
  entity?: string;
  group?: string;
  /** What it gives is not known, or not all of it. Defaults to false. */
  isOpaque?: true;
  /** Everything else that decides who gets it. Only compared; holds no secret. */
  bounds: Record<string, unknown>;
  /** What decides how long its tokens live. Only compared. */
  lifetime?: Record<string, unknown>;
}

/** A state with nothing in it. */
export function emptyState(): State {
  return { methods: [], roles: [], groups: [], aliases: [], policies: [], messages: [] };
}
