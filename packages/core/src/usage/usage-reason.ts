import type { SignInDoubt } from './sign-in-doubt.ts';

/** Why the policies of a token are not known: they are those of other namespaces, or the log leaves them out. */
export type UnknownPolicies = 'elsewhere' | 'left-out';

/**
 * Why it is not known what a request of a log may do, or what it used: names of things, and no sentence. `words/` has the
 * sentences.
 */
export type UsageReason =
  /** Policies of a token, and the same of the token that is asked about. */
  | { kind: 'token-policies'; which: UnknownPolicies }
  | { kind: 'policies-of-token'; which: UnknownPolicies }
  /** A request is judged by the policies of a namespace that the graph is not of. */
  | { kind: 'policies-of-namespace'; namespace: string }
  /** Which policies principals have: by a group, as an entity, by a group of a directory, by something that is elsewhere. */
  | { kind: 'held-policies' }
  | { kind: 'in-group'; group: string }
  | { kind: 'entity' }
  | { kind: 'given-by'; name: string }
  | { kind: 'given-elsewhere'; policy: string }
  | { kind: 'sign-in'; doubt: SignInDoubt }
  /** What policies answer: the capability of an operation, the text of a policy, and what a rule depends on. */
  | { kind: 'capability-needed'; operation: string }
  | { kind: 'policy-text'; policy: string }
  | { kind: 'expiring-rule' }
  | { kind: 'template' }
  | { kind: 'sudo' }
  | { kind: 'other-limit' }
  | { kind: 'hashed-value' }
  /** What a request used: which rule, and what a damaged line did, or who uses a mount of another namespace. */
  | { kind: 'deciding-rule' }
  | { kind: 'damaged-line' }
  | { kind: 'arrived-mount' };
