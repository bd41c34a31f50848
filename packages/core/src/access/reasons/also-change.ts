import type { Named } from '../../graph/memberships.ts';
import type { Giver } from './giver.ts';
import type { Reason } from './reason.ts';

/** The value of a setting, as the graph has it; `hidden` where it may be a secret, or is none that people read. */
export type SettingValue = { value: string | number | boolean | string[] } | { hidden: true };

/** Sign-ins that a guard tells apart: by an alias, at a method, of a group or an entity. */
export interface GuardedSignIns {
  method?: string | undefined;
  /** The name of the alias. */
  alias?: string;
  /** The entity that they are, or the group that they are in. */
  named?: Named | undefined;
}

/** A claim that people are told apart by. `isByName`: it begins with a slash, and is no pointer. */
export interface IdentifyingClaim {
  claim: string;
  isByName?: true;
}

/** A step of a chain of credentials: a request gets one, and one signs in with it. */
export interface CredentialStep {
  does: 'reads' | 'requests' | 'orders';
  /** The path of the request. */
  path: string;
  /** Absent where what trusts it is not known. */
  signsInBy?: Giver;
  /** Only if that trusts the authority of the engine, which is not known. Defaults to false: it does. */
  isOfUnknownAuthority?: true;
}

/** What changes for principals who stay, in addition to their policies and to who they are. */
export type AlsoChange =
  /**
   * A field of a role, of the tuning of its method, or of another method or its role: by the name that the graph has for it.
   * A side is absent where it is not set.
   */
  | {
      kind: 'setting';
      of: 'role' | 'tune' | 'other';
      field: string;
      before?: SettingValue;
      after?: SettingValue;
    }
  | { kind: 'user-claim'; before: IdentifyingClaim; after: IdentifyingClaim }
  | { kind: 'claim-mapping'; target: string; before: string[]; after: string[] }
  | { kind: 'provider-metadata'; before: string[]; after: string[] }
  | { kind: 'groups-read'; claim: string; group: string; policies: string[]; isRead: boolean }
  | { kind: 'groups-unknown'; missing: Reason }
  /** They get a credential and come by it to another token; on from there, if there are more steps. `opens`: rules of the last one. */
  | {
      kind: 'credential';
      /** Whether they get it by the change; else they lose it. */
      isNew: boolean;
      steps: CredentialStep[];
      opens: { path: string; capabilities: string[] }[];
    }
  /** A method gets what it asks another system with: without it, it may have let no one in. */
  | { kind: 'first-credential'; fields: string[] }
  /** They administer a namespace that is new. */
  | { kind: 'namespace'; namespace: string; path: string }
  /** Sign-ins that a guard no longer asks for a second factor. */
  | { kind: 'unguarded'; signIns: GuardedSignIns[] }
  /** Something that denies access, and is new or removed. */
  | { kind: 'denial'; isNew: boolean }
  /** What is not looked into of another method. */
  | { kind: 'opacity'; isAfter: boolean };
