import { isSame, type NamesBearing } from '../../graph/resources/field.ts';
import type { Role, roleFields } from '../../graph/resources/role.ts';
import { placeOf } from '../../login/claims.ts';
import type { AlsoChange, IdentifyingClaim } from '../reasons/also-change.ts';

/** A change in how a token becomes an entity. */
export interface IdentityChange {
  /** Whether people, or jobs, can choose what the new claim says: anyone can then be anyone. */
  chosen: boolean;
  what: AlsoChange;
}

/**
 * Claims whose value does not stay with one person. `chosen`: people set it themselves, or the authors of a job do;
 * `given`: it can pass to another person. The only list of them.
 */
const unsteady: Record<string, 'chosen' | 'given'> = {
  ...all('given', ['email', 'upn', 'unique_name', 'login', 'user_login', 'user_email', 'phone_number']),
  ...all('chosen', ['name', 'nickname', 'preferred_username', 'given_name', 'family_name', 'middle_name']),
  ...all('chosen', ['picture', 'profile', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'address']),
  ...all('chosen', ['department', 'title', 'display_name', 'displayName']),
  // Of jobs.
  ...all('chosen', ['ref', 'ref_type', 'ref_path', 'head_ref', 'base_ref', 'environment', 'workflow']),
  ...all('chosen', ['event_name', 'pipeline_source', 'terraform_workspace_name', 'terraform_run_phase']),
};

function all<Kind extends string>(kind: Kind, names: string[]): Record<string, Kind> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

/** Whether people, or the authors of a job, can choose the value of a claim. */
export function isChosen(claim: string): boolean {
  return kindOf(claim) === 'chosen';
}

/** Whether the value of a claim can pass to another person. */
export function isUnsteady(claim: string): boolean {
  return kindOf(claim) !== undefined;
}

/** A pointer is judged by what it leads to. */
function kindOf(claim: string): 'chosen' | 'given' | undefined {
  const name = placeOf(claim).at(-1) ?? '';
  return Object.hasOwn(unsteady, name) ? unsteady[name] : undefined;
}

type Judge = (before: Role, after: Role) => IdentityChange[];

/** One for each field that decides a person's identity: one that is not here does not compile. */
const judges = {
  userClaim: (before, after) => {
    const claimBefore = identifyingClaim(before);
    const claimAfter = identifyingClaim(after);
    if (isSame(claimBefore, claimAfter)) return [];
    const what = { kind: 'user-claim', before: claimBefore, after: claimAfter } as const;
    return [{ chosen: isChosen(after.userClaim), what }];
  },
  // Judged with the claim that it leads to.
  userClaimJsonPointer: () => [],
  claimMappings: ({ claimMappings: was = {} }, { claimMappings: is = {} }) => {
    const [before, after] = [sourcesByTarget(was), sourcesByTarget(is)];
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((target) => {
      const [old, now] = [before.get(target) ?? [], after.get(target) ?? []];
      if (isSame(old, now)) return [];
      const what = { kind: 'claim-mapping', target: target ?? '', before: old, after: now } as const;
      const known = new Set(old);
      const newClaims = now.filter((claim) => !known.has(claim));
      return [{ chosen: newClaims.some(isChosen), what }];
    });
  },
  oauth2Metadata: ({ oauth2Metadata: was = [] }, { oauth2Metadata: is = [] }) => {
    if (isSame(was.toSorted(), is.toSorted())) return [];
    return [{ chosen: false, what: { kind: 'provider-metadata', before: was, after: is } }];
  },
} as const satisfies Record<NamesBearing<typeof roleFields, 'identity'>, Judge>;

/** What changes in how a token becomes an entity, and in what is kept of its claims. */
export function identityChanges(before: Role, after: Role): IdentityChange[] {
  return Object.values<Judge>(judges).flatMap((judge) => judge(before, after));
}

/** What people are told apart by at a sign-in. `/sub` by a pointer is the claim `sub`. */
export function identifyingClaim({ userClaim, userClaimJsonPointer }: Role): IdentifyingClaim {
  const [first = '', ...rest] = userClaimJsonPointer ? placeOf(userClaim) : [userClaim];
  if (rest.length > 0) return { claim: userClaim };
  return { claim: first, ...(first.startsWith('/') && { isByName: true }) };
}

function sourcesByTarget(mappings: Record<string, string>): Map<string | undefined, string[]> {
  return Map.groupBy(Object.keys(mappings).sort(), (claim) => mappings[claim]);
}
