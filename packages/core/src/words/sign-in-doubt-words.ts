import { partName } from '../graph/values/visible.ts';
import type { SignedInAt, SignInDoubt } from '../usage/sign-in-doubt.ts';

type DoubtOf<Kind extends SignInDoubt['kind']> = Extract<SignInDoubt, { kind: Kind }>;

/** Why principals of a log cannot sign in as they did, or what is not known of that, as part of a sentence. */
export function signInDoubtWords(doubt: SignInDoubt): string {
  const say = words[doubt.kind] as (doubt: SignInDoubt) => string;
  return say(doubt);
}

/** A user who is not named is one of the method. */
function roleWords({ method, role, isPerson }: SignedInAt): string {
  return isPerson && role === '' ? `a user of auth/${method}` : partName('role', method, role);
}

const words: { [Kind in SignInDoubt['kind']]: (doubt: DoubtOf<Kind>) => string } = {
  'method-gone': ({ method }) => `auth/${method} is gone`,
  'method-remade': ({ method }) => `auth/${method} is made anew, and their entity with it`,
  'method-changed': ({ method }) => `auth/${method} changes`,
  'role-gone': ({ at }) => `${roleWords(at)} is gone`,
  'role-open': ({ at }) => `what becomes of ${roleWords(at)}`,
  'role-new': ({ at }) => `${roleWords(at)} is new, and the log has no claims`,
  'role-gives-others': ({ at }) => `${roleWords(at)} gives other tokens`,
  'role-bounds': ({ at }) => `${roleWords(at)} has other bounds, and the log has no claims`,
  'token-role-lacks': ({ role }) => `token role ${role} does not give their policies`,
  'group-policies': ({ group }) => `the policies of group ${group}`,
  'maker-refused': () => 'the token that makes theirs may not do so',
  'maker-lacks': () => 'the token that makes theirs lacks policies, or sudo',
  'other-changes': () => 'what else the change does to sign-ins',
  origin: () => 'where the token is from',
  'entity-unknown': () => 'which entity they are',
  'entity-open': () => 'what becomes of their entity',
  'entity-changed': () => 'whether they are still the same entity',
};
