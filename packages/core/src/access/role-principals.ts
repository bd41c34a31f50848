import { type Graph, isComplete } from '../graph/graph.ts';
import type { AuthMethod } from '../graph/resources/auth-method.ts';
import { isSame } from '../graph/resources/field.ts';
import type { Role } from '../graph/resources/role.ts';
import { defined } from '../graph/values/loose-values.ts';
import { placeOf } from '../login/claims.ts';
import {
  type AccessChange,
  type AccessKind,
  type Also,
  type Principals,
  principalsWith,
} from './access-change.ts';
import { roleNode } from './edges/edge.ts';
import { bothKeys, type GraphIndex } from './graph-index.ts';
import { limitsOfRole } from './limited-tokens.ts';
import type { Side } from './policy-sides.ts';
import { uniqueReasons } from './reasons/reason.ts';
import { identityChanges } from './sign-in/identity-change.ts';
import {
  boundsOf,
  type Inclusion,
  inclusion,
  isDisjoint,
  type Population,
  populationOf,
} from './sign-in/population.ts';
import { lifeChanges } from './sign-in/token-life.ts';

/** Principals of roles: of one that lets in others, who newly can sign in, who no longer can, and who can on both sides. */
export function byRole(before: GraphIndex, after: GraphIndex): Principals[] {
  return bothKeys(before.roles, after.roles).flatMap((key) => {
    const roleBefore = before.roles.get(key);
    const roleAfter = after.roles.get(key);
    if (roleBefore !== undefined && roleAfter !== undefined)
      return ofKeptRole(sideOf(before, roleBefore), sideOf(after, roleAfter));
    return [
      ...(roleAfter === undefined ? [] : [onOneSide('opened', roleAfter, after)]),
      ...(roleBefore === undefined ? [] : [onOneSide('closed', roleBefore, before)]),
    ];
  });
}

/** A role on one side of a change. */
interface RoleSide {
  index: GraphIndex;
  role: Role;
  method: AuthMethod | undefined;
}

function sideOf(index: GraphIndex, role: Role): RoleSide {
  return { index, role, method: index.methods.get(role.method) };
}

function ofKeptRole(before: RoleSide, after: RoleSide): Principals[] {
  const limits = limitsOfRole(before, after);
  const kept = roleSource(
    after.role,
    [...filledPolicies(before, after.role), ...limits.before],
    [...filledPolicies(after, before.role), ...limits.after],
    ['before', 'after'],
  );
  if (before.role === after.role && before.method === after.method)
    return [principalsWith('changed', { ...kept, population: () => populationIn(after) }, [])];
  const populations = { before: populationIn(before), after: populationIn(after) };
  const afterInBefore = inclusion(populations.after, populations.before);
  const beforeInAfter = inclusion(populations.before, populations.after);
  // Why others get in is given; for principals who no longer do, the bounds before and after tell.
  const because = afterInBefore.answer === 'no' ? { because: afterInBefore.because } : {};
  const isEither = afterInBefore.answer === 'yes' || beforeInAfter.answer === 'yes';
  if (!isEither && isDisjoint(populations.before, populations.after))
    return [
      onOneSide('opened', after.role, after.index, because, populations.after),
      onOneSide('closed', before.role, before.index, {}, populations.before),
    ];
  const bounds = { before: boundsOf(populations.before), after: boundsOf(populations.after) };
  const whom = whomOf(populations);
  const token = afterInBefore.answer === 'no' ? { token: afterInBefore.witness } : {};
  const widened = { bounds, ...whom, ...because, ...token, ...openAnswer('gains', afterInBefore) };
  const narrowed = { bounds, ...whom, ...openAnswer('losses', beforeInAfter) };
  const stays = ofStaying(before, after, kept, populations.after);
  return [
    ...(afterInBefore.answer === 'yes'
      ? []
      : [onOneSide('widened', after.role, after.index, widened, populations.after)]),
    ...(beforeInAfter.answer === 'yes'
      ? []
      : [onOneSide('narrowed', before.role, before.index, narrowed, populations.before)]),
    { ...stays, change: { ...stays.change, bounds, ...whom } },
  ];
}

/** Who can sign in to a role on both sides, with what changes for them. */
function ofStaying(
  before: RoleSide,
  after: RoleSide,
  kept: ReturnType<typeof roleSource>,
  population: Population,
): Principals {
  const also = alsoChanged(before, after);
  const uncertain = uniqueReasons(
    also.flatMap(({ what }) => (what.kind === 'groups-unknown' ? what.missing : [])),
  );
  const joins = readsElsewhere(before.role, after.role) ? { joins: after.index.groupsBy(after.role) } : {};
  const both = principalsWith('changed', { ...kept, population: () => population, ...joins });
  return { ...both, change: { ...both.change, also, uncertain } };
}

function openAnswer(side: 'gains' | 'losses', included: Inclusion): Partial<AccessChange> {
  return included.answer === 'unknown' ? { [side]: 'unknown', uncertain: [included.missing] } : {};
}

/** Where others may be, roles that are elsewhere let in whom their method trusts: a role that asks for nothing stands for them. */
export function unseenRoles(before: Graph, after: Graph): [Role[], Role[]] {
  const seen = new Set([...before.roles, ...after.roles].map(({ method }) => method));
  const pathsOfSides = [before, after].map(({ methods }) => new Set(methods.map(({ path }) => path)));
  const isKept = ({ path }: AuthMethod) =>
    !seen.has(path) &&
    pathsOfSides.every((paths) => paths.has(path)) &&
    ![before, after].every((graph) => isComplete(graph, 'roles', path));
  const asksNothing = { name: '', userClaim: 'sub', tokenNoDefaultPolicy: true };
  const any = ({ path, type }: AuthMethod): Role => ({ method: path, roleType: type, ...asksNothing });
  return [before.methods.filter(isKept).map(any), after.methods.filter(isKept).map(any)];
}

/** A template in the name of a policy is another policy once it is filled in. */
function filledPolicies({ index, role }: RoleSide, other: Role): string[] {
  const isFilled = role.tokenPoliciesTemplateClaims === true && other.tokenPoliciesTemplateClaims !== true;
  const names = index.policiesOfRole(role);
  return isFilled ? names.map((name) => (name.includes('{{') ? `${name} (filled in)` : name)) : names;
}

function populationIn({ role, method }: Pick<RoleSide, 'role' | 'method'>): Population {
  return populationOf(role, method);
}

function roleSource(role: Role, before: string[], after: string[], on: readonly Side[]) {
  const { method, name } = role;
  const starts = Object.fromEntries(on.map((side) => [side, roleNode(method, name)]));
  const source = { method, name, starts, before, after, readsGroups: Boolean(role.groupsClaim) };
  if (name === '') return { ...source, kind: 'method' as const, by: { kind: 'method' as const, method } };
  const by = { kind: 'role' as const, method, name };
  return { ...source, kind: 'role' as const, by };
}

/** Principals who can sign in to a role on one side only: all of them, or some where it widens or narrows. */
function onOneSide(
  kind: Exclude<AccessKind, 'changed'>,
  role: Role,
  index: GraphIndex,
  fields: Partial<AccessChange> = {},
  population = populationIn(sideOf(index, role)),
): Principals {
  const isAfter = kind === 'opened' || kind === 'widened';
  const policies = index.policiesOfRole(role);
  const at = isAfter ? 'after' : 'before';
  const source = roleSource(role, isAfter ? [] : policies, isAfter ? policies : [], [at]);
  const groups = index.groupsBy(role);
  const joins = isAfter ? { joins: groups } : {};
  const { change, ...principals } = principalsWith(
    kind,
    { ...source, population: () => population, ...joins },
    [],
  );
  const bounds = { [at]: boundsOf(population) };
  const answers = { [isAfter ? 'gains' : 'losses']: 'some' };
  const whom = whomOf({ [at]: population });
  return { ...principals, change: { ...change, bounds, ...whom, groups, ...answers, ...fields } };
}

function whomOf({ before, after }: { before?: Population; after?: Population }): Pick<AccessChange, 'whom'> {
  const whom = defined({ before: before?.whom, after: after?.whom });
  return Object.keys(whom).length > 0 ? { whom } : {};
}

/** What else changes for principals who can sign in to a role before and after. */
function alsoChanged(before: RoleSide, after: RoleSide): Also[] {
  const lives = lifeChanges(before, after);
  return [
    ...lives.map(
      ({ life, ...setting }): Also => ({
        about: 'lifetime',
        gains: 'none',
        losses: 'none',
        life,
        what: { kind: 'setting', ...setting },
      }),
    ),
    ...identityChanges(before.role, after.role).map(
      ({ chosen, what }): Also => ({
        about: 'identity',
        gains: chosen ? 'some' : 'unknown',
        losses: 'unknown',
        what,
      }),
    ),
    ...readsOther('gains', before.role, after),
    ...readsOther('losses', after.role, before),
  ];
}

/** Whether a role reads groups from a claim that another one does not read them from. */
function readsElsewhere(other: Role, { groupsClaim: claim = '' }: Role): boolean {
  if (claim === '' || claim === other.groupsClaim) return false;
  return !isSame(placeOf(claim), placeOf(other.groupsClaim ?? ''));
}

/** A role that reads groups from another claim lets others into every group of its method. */
function readsOther(answer: 'gains' | 'losses', other: Role, { index, role }: RoleSide): Also[] {
  if (!readsElsewhere(other, role)) return [];
  const { groupsClaim: claim = '' } = role;
  const about = { about: 'groups', gains: 'none', losses: 'none' } as const;
  // A claim is read for groups: where none is here, they may be elsewhere.
  const isHere = index.graph.aliases.some(({ method }) => method === role.method);
  if (!isHere && !isComplete(index.graph, 'aliases')) {
    const missing = { kind: 'groups-of-claim' as const, claim, method: role.method };
    return [{ ...about, [answer]: 'unknown', what: { kind: 'groups-unknown', missing } }];
  }
  const isRead = answer === 'gains';
  return index.groupsBy(role).map(({ name: group, policies }) => ({
    ...about,
    [answer]: 'some',
    what: { kind: 'groups-read', claim, group, policies, isRead },
  }));
}
