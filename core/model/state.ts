import type { AuthMethod } from './resources/auth-method.ts';
import type { CustomMessage } from './resources/custom-message.ts';
import type { ExternalGroup, GroupAlias } from './resources/external-group.ts';
import type { Policy } from './resources/policy.ts';
import type { Role } from './resources/role.ts';

/**
 * The login set-up of a secrets service as plain data, tied together by names. An environment worked out to it
 * is the declared state (`declared.ts`); read from a service it is the live state (`live.ts`).
 */
export interface State {
  methods: AuthMethod[];
  roles: Role[];
  groups: ExternalGroup[];
  aliases: GroupAlias[];
  policies: Policy[];
  messages: CustomMessage[];
  /** Internal groups, entities, and what is attached to external groups. Only groups of groups are declared. Defaults to none known. */
  holders?: Holder[];
  /** Whatever else decides who gets in: roles of other auth methods, writes to any path. Never declared. */
  others?: OtherAccess[];
  /** Everything that gives access on the service is in it. Defaults to false: there may be more. */
  isWhole?: true;
}

/** The lists of a state, by what they hold. */
export type StateList = Exclude<keyof State, 'isWhole'>;

/** A group or entity, with policies that people or workloads have by it. Several of one name add up. */
export interface Holder {
  kind: 'group' | 'entity';
  /** The name; the id where a plan tells nothing better. */
  name: string;
  policies: string[];
  /** Groups and entities directly in it: they have its policies as well. */
  members?: { kind: 'group' | 'entity'; name: string }[];
}

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
