import type { Lists } from './resources/resources.ts';

export type { Holder } from './resources/entity.ts';

/**
 * The login set-up of a secrets service as plain data, tied together by names. An environment worked out to it
 * is the declared state (`declared.ts`); read from a service it is the live state (`client/live-state.ts`).
 */
export interface State extends Lists {
  /** Whatever else decides who gets in: roles of other auth methods, writes to any path. Never declared. */
  others?: OtherAccess[];
}

/** Something beside roles, groups and policies that decides who gets in, or with what. */
export interface OtherAccess {
  /** What it is, in words that name it: `role "app" of auth/k8s (kubernetes)`, `write to auth/ci/role/x`. */
  name: string;
  /** Whether it gives (a way in), takes (multi-factor enforcement, a quota), or may do either (a write to any path). */
  effect: 'gives' | 'takes' | 'either';
  /** Policies that it gives. */
  policies: string[];
  /** Path of an auth method: who comes by it signs in by a role there, and has the policies of both. */
  joins?: string;
  /** Everything else that decides who comes by it. Only compared; holds no secret. */
  bounds: Record<string, unknown>;
  /** What decides how long its tokens live. Only compared. */
  lifetime?: Record<string, unknown>;
}

/** A state with nothing in it. */
export function emptyState(): State {
  return { methods: [], roles: [], groups: [], aliases: [], policies: [], messages: [] };
}
