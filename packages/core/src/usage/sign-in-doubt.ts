/** The method and the role that principals of a log signed in by. */
export interface SignedInAt {
  method: string;
  /** Empty for a method without one, and for a person who is not named. */
  role: string;
  /** The role is the name of a person, or of what one has: a user, a certificate. */
  isPerson?: true;
}

/** Why principals of a log cannot sign in as they did, or why that, or what they then hold, is not known. */
export type SignInDoubt =
  | { kind: 'method-gone'; method: string }
  | { kind: 'method-remade'; method: string }
  | { kind: 'method-changed'; method: string }
  | { kind: 'role-gone'; at: SignedInAt }
  | { kind: 'role-open'; at: SignedInAt }
  | { kind: 'role-new'; at: SignedInAt }
  | { kind: 'role-gives-others'; at: SignedInAt }
  | { kind: 'role-bounds'; at: SignedInAt }
  | { kind: 'token-role-lacks'; role: string }
  | { kind: 'group-policies'; group: string }
  | { kind: 'maker-refused' }
  | { kind: 'maker-lacks' }
  | { kind: 'other-changes' }
  | { kind: 'origin' }
  | { kind: 'entity-unknown' }
  | { kind: 'entity-open' }
  | { kind: 'entity-changed' };

/** The same without the name of a person. */
export function withoutPerson<Doubt extends SignInDoubt>(doubt: Doubt): Doubt {
  return 'at' in doubt && doubt.at.isPerson ? { ...doubt, at: { ...doubt.at, role: '' } } : doubt;
}
