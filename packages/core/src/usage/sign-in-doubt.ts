import { partName } from '../graph/values/visible.ts';

/** The method and the role that principals of a log signed in by. */
export interface SignedInAt {
  method: string;
  role: string;
  /** The role is the name of a person, or of what one has: a user, a certificate. */
  isPerson?: true;
}

/** Why principals of a log cannot sign in as they did, or why that, or what they then hold, is not known. */
export type SignInDoubt =
  | { kind: 'method-gone' | 'method-remade' | 'method-changed'; method: string }
  | { kind: 'role-gone' | 'role-open' | 'role-new' | 'role-gives-others' | 'role-bounds'; at: SignedInAt }
  | { kind: 'token-role-lacks'; role: string }
  | { kind: 'group-policies'; group: string }
  | { kind: 'maker-refused' | 'maker-lacks' | 'other-changes' | 'origin' }
  | { kind: 'entity-unknown' | 'entity-open' | 'entity-changed' };

/** The same in words. @param arePeopleNamed whether a user is called by name. Defaults to true. */
export function signInDoubtWords(doubt: SignInDoubt, arePeopleNamed = true): string {
  const nameOf = ({ method, role, isPerson }: SignedInAt) =>
    isPerson && !arePeopleNamed ? `a user of auth/${method}` : partName('role', method, role);
  switch (doubt.kind) {
    case 'method-gone':
      return `auth/${doubt.method} is gone`;
    case 'method-remade':
      return `auth/${doubt.method} is made anew, and their entity with it`;
    case 'method-changed':
      return `auth/${doubt.method} changes`;
    case 'role-gone':
      return `${nameOf(doubt.at)} is gone`;
    case 'role-open':
      return `what becomes of ${nameOf(doubt.at)}`;
    case 'role-new':
      return `${nameOf(doubt.at)} is new, and the log has no claims`;
    case 'role-gives-others':
      return `${nameOf(doubt.at)} gives other tokens`;
    case 'role-bounds':
      return `${nameOf(doubt.at)} has other bounds, and the log has no claims`;
    case 'token-role-lacks':
      return `token role ${doubt.role} does not give their policies`;
    case 'group-policies':
      return `the policies of group ${doubt.group}`;
    case 'maker-refused':
      return 'the token that makes theirs may not do so';
    case 'maker-lacks':
      return 'the token that makes theirs lacks policies, or sudo';
    case 'other-changes':
      return 'what else the change does to sign-ins';
    case 'origin':
      return 'where the token is from';
    case 'entity-unknown':
      return 'which entity they are';
    case 'entity-open':
      return 'what becomes of their entity';
    case 'entity-changed':
      return 'whether they are still the same entity';
  }
}
