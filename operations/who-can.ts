import { groupsOf, type ReachOfRole, reachOf } from '../core/access/questions/reach.ts';
import { type Ability, type Question, Reach } from '../core/access/questions/who-can.ts';
import type { Claims } from '../core/login/claims.ts';
import { emptyState } from '../core/model/state.ts';
import type { Place } from '../core/review/plan/compose-change.ts';
import { explainIn, findRole } from './explain.ts';
import { type AskedState, openStates, type StateSource } from './open-state.ts';

/** Who can do something. */
export interface WhoCanReport extends Question {
  source: StateSource['from'];
  /** `unknown` where nobody is known to, and somebody may. */
  answer: 'yes' | 'no' | 'unknown';
  /** One entry a way, those that are certain first. */
  abilities: (Ability & Place)[];
  /** What is missing to know everybody, in words. */
  missing: string[];
}

/**
 * Says who can do something at a path, or on at least one path of a pattern.
 *
 * @param now nanoseconds since 1970
 * @throws GatehouseError what `openStates` throws
 */
export async function whoCan(question: Question, source: StateSource, now: bigint): Promise<WhoCanReport> {
  const states = await openStates(source);
  const found = states.map(({ place, state, unseen }) => ({
    place,
    unseen,
    ...new Reach(state, now).whoCan(question),
  }));
  const missing = [...new Set(found.flatMap((one) => [...one.missing, ...one.unseen]))];
  const isYes = found.some(({ answer }) => answer === 'yes');
  const isUnknown = missing.length > 0 || found.some(({ answer }) => answer === 'unknown');
  return {
    source: source.from,
    ...question,
    answer: isYes ? 'yes' : isUnknown ? 'unknown' : 'no',
    abilities: found
      .flatMap(({ place, abilities }) => abilities.map((one) => ({ ...one, ...place })))
      .sort((one, other) => Number(one.can === 'unknown') - Number(other.can === 'unknown')),
    missing,
  };
}

export interface AccessRequest {
  role: string;
  /** Path of the auth method; needed where several have a role of this name. */
  method?: string | undefined;
  /** Whose groups count. Without them, no groups do. */
  claims?: Claims | undefined;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/** What a role gives. */
export interface AccessReport extends ReachOfRole {
  source: StateSource['from'];
  /** Why the claims do not sign in; then nothing is reached by them. */
  refused?: { step: string; message: string };
  /** Groups of the auth method that do not count here, and the policies that they would add. */
  otherGroups: { group: string; alias: string; policies: string[] }[];
}

/**
 * Says everything that a token of a role can do, in the groups that its claims name.
 *
 * @throws GatehouseError `role_unknown`, `role_ambiguous`, and what `openStates` throws
 */
export async function accessOf(request: AccessRequest, source: StateSource): Promise<AccessReport> {
  const states = await openStates(source);
  const holding = states.find(({ state }) => hasRole(state, request)) ?? states[0];
  const { state = emptyState(), unseen = [] } = holding ?? {};
  const role = findRole(state, request.role, request.method);
  const { claims, now } = request;
  const explained =
    claims &&
    (await explainIn(state, {
      role: role.name,
      method: role.method,
      presented: { claims },
      live: false,
      now,
    }));
  const groups = [...new Set((explained?.groups ?? []).flatMap(({ group }) => group ?? []))];
  const reach = reachOf(state, role, groups, now);
  const report: AccessReport = {
    source: source.from,
    ...reach,
    missing: [...reach.missing, ...unseen],
    otherGroups: role.groupsClaim
      ? groupsOf(state, role.method).filter(({ group }) => !groups.includes(group))
      : [],
  };
  if (explained?.refused === undefined) return report;
  return { ...report, rows: [], policies: [], unread: [], refused: explained.refused };
}

function hasRole({ roles }: AskedState['state'], { role, method }: AccessRequest): boolean {
  return roles.some(
    (one) => one.name.toLowerCase() === role.toLowerCase() && (method === undefined || one.method === method),
  );
}
