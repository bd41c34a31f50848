import type { Giver } from '../access/reasons/giver.ts';
import type { Reason } from '../access/reasons/reason.ts';
import type { ForeignLog } from './missing-from-log.ts';
import type { UsageReason } from './usage-reason.ts';

/** Why a rule keeps something that no request of a log used: names of things, and no sentence. */
export type KeptReason =
  /** Requests may use it in a way that is not known. */
  | { kind: 'may-be-used'; missing: UsageReason }
  /** It ends, or has limits, which count for the rules of other policies as well. */
  | { kind: 'expires' }
  | { kind: 'limits' }
  /** What must stay, used or not. */
  | { kind: 'floor'; capability: string }
  /** No log says whether a request needed `sudo`, or used a capability; a create is an update when it comes again. */
  | { kind: 'sudo-not-logged' }
  | { kind: 'use-not-logged'; capability: string }
  | { kind: 'create-again' }
  /** The text cannot be edited, or would be without a rule. */
  | { kind: 'text-not-edited' }
  | { kind: 'last-rule' }
  | { kind: 'request-lost' }
  /** Whether anyone gains without it. */
  | { kind: 'gain-unknown'; missing?: Reason }
  /** Without it, a broader rule gives something. `to`: roles and groups, and no person. */
  | { kind: 'gain'; capabilities: string[]; to: Giver[] };

/** Why nothing of a policy is taken at all. */
export type RefineRefusal =
  | ForeignLog
  | { kind: 'mount-moved' }
  | { kind: 'requests-left-out'; count: number }
  | { kind: 'no-request' }
  | { kind: 'no-token' }
  | { kind: 'root' }
  | { kind: 'unreadable-text' }
  | { kind: 'other-text' };
