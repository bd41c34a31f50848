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
import { changedLists } from './grants.ts';
import { bothKeys, type GraphIndex } from './graph-index.ts';
import { limitsOfRole } from './limited-tokens.ts';
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
export function byRole(was: GraphIndex, is: GraphIndex): Principals[] {
  return bothKeys(was.roles, is.roles).flatMap((key) => {
    const [old, wanted] = [was.roles.get(key), is.roles.get(key)];
    if (old !== undefined && wanted !== undefined) return ofKeptRole(old, wanted, was, is);
    return [
      ...(wanted === undefined ? [] : [onOneSide('opened', wanted, is)]),
      ...(old === undefined ? [] : [onOneSide('closed', old, was)]),
    ];
  });
}

function ofKeptRole(old: Role, wanted: Role, was: GraphIndex, is: GraphIndex): Principals[] {
  const limits = limitsOfRole(
    { role: old, method: was.methods.get(old.method) },
    { role: wanted, method: is.methods.get(wanted.method) },
  );
  const kept = roleSource(
    wanted,
    [...filledPolicies(was, old, wanted), ...limits.before],
    [...filledPolicies(is, wanted, old), ...limits.after],
  );
  if (old === wanted && was.methods.get(old.method) === is.methods.get(old.method))
    return [principalsWith('changed', { ...kept, population: () => populationIn(is, wanted) }, [])];
  const [from, to] = [populationIn(was, old), populationIn(is, wanted)];
  const [toInFrom, fromInTo] = [inclusion(to, from), inclusion(from, to)];
  // Why others get in is given; for principals who no longer do, the bounds before and after tell.
  const because = toInFrom.answer === 'no' ? { because: toInFrom.because } : {};
  if (toInFrom.answer !== 'yes' && fromInTo.answer !== 'yes' && isDisjoint(from, to))
    return [onOneSide('opened', wanted, is, because, to), onOneSide('closed', old, was, {}, from)];
  const bounds = { before: boundsOf(from), after: boundsOf(to) };
  const whom = whomOf({ before: from, after: to });
  const token = toInFrom.answer === 'no' ? { token: toInFrom.witness } : {};
  const widened = { bounds, ...whom, ...because, ...token, ...openAnswer('gains', toInFrom) };
  const narrowed = { bounds, ...whom, ...openAnswer('losses', fromInTo) };
  const also = alsoChanged(old, wanted, was, is);
  const uncertain = uniqueReasons(
    also.flatMap(({ what }) => (what.kind === 'groups-unknown' ? what.missing : [])),
  );
  // Tokens of a role that reads groups no longer go without what those gave.
  const left = readsElsewhere(wanted, old) ? was.groupsBy(old) : [];
  const joins = readsElsewhere(old, wanted) ? { joins: is.groupsBy(wanted) } : {};
  const both = principalsWith('changed', { ...kept, population: () => to, ...joins }, [
    ...changedLists(kept),
    ...left.map(({ policies }) => ({ before: policies, after: [] })),
  ]);
  return [
    ...(toInFrom.answer === 'yes' ? [] : [onOneSide('widened', wanted, is, widened, to)]),
    ...(fromInTo.answer === 'yes' ? [] : [onOneSide('narrowed', old, was, narrowed, from)]),
    { ...both, change: { ...both.change, bounds, ...whom, also, uncertain } },
  ];
}

function openAnswer(side: 'gains' | 'losses', found: Inclusion): Partial<AccessChange> {
  return found.answer === 'unknown' ? { [side]: 'unknown', uncertain: [found.missing] } : {};
}

/** Where others may be, roles that are elsewhere let in whom their method trusts: a role that asks for nothing stands for them. */
export function unseenRoles(before: Graph, after: Graph): [Role[], Role[]] {
  const seen = new Set([...before.roles, ...after.roles].map(({ method }) => method));
  const there = [before, after].map(({ methods }) => new Set(methods.map(({ path }) => path)));
  const isKept = ({ path }: AuthMethod) =>
    !seen.has(path) &&
    there.every((paths) => paths.has(path)) &&
    ![before, after].every((graph) => isComplete(graph, 'roles', path));
  const asksNothing = { name: '', userClaim: 'sub', tokenNoDefaultPolicy: true };
  const any = ({ path, type }: AuthMethod): Role => ({ method: path, roleType: type, ...asksNothing });
  return [before.methods.filter(isKept).map(any), after.methods.filter(isKept).map(any)];
}

/** A template in the name of a policy is another policy once it is filled in. */
function filledPolicies(side: GraphIndex, role: Role, other: Role): string[] {
  const isFilled = role.tokenPoliciesTemplateClaims === true && other.tokenPoliciesTemplateClaims !== true;
  const names = side.policiesOfRole(role);
  return isFilled ? names.map((name) => (name.includes('{{') ? `${name} (filled in)` : name)) : names;
}

function populationIn({ methods }: GraphIndex, role: Role): Population {
  return populationOf(role, methods.get(role.method));
}

function roleSource(role: Role, before: string[], after: string[]) {
  const { method, name } = role;
  const source = { method, name, before, after, readsGroups: Boolean(role.groupsClaim) };
  if (name === '') return { ...source, kind: 'method' as const, by: { kind: 'method' as const, method } };
  const by = { kind: 'role' as const, method, name };
  return { ...source, kind: 'role' as const, by };
}

/** Principals who can sign in to a role on one side only: all of them, or some where it widens or narrows. */
function onOneSide(
  kind: Exclude<AccessKind, 'changed'>,
  role: Role,
  side: GraphIndex,
  fields: Partial<AccessChange> = {},
  population = populationIn(side, role),
): Principals {
  const isAfter = kind === 'opened' || kind === 'widened';
  const policies = side.policiesOfRole(role);
  const source = roleSource(role, isAfter ? [] : policies, isAfter ? policies : []);
  const groups = side.groupsBy(role);
  const joins = isAfter ? { joins: groups } : {};
  const { change, ...one } = principalsWith(kind, { ...source, population: () => population, ...joins }, []);
  const at = isAfter ? 'after' : 'before';
  const bounds = { [at]: boundsOf(population) };
  const answers = { [isAfter ? 'gains' : 'losses']: 'some' };
  const whom = whomOf({ [at]: population });
  return { ...one, change: { ...change, bounds, ...whom, groups, ...answers, ...fields } };
}

function whomOf({ before, after }: { before?: Population; after?: Population }): Pick<AccessChange, 'whom'> {
  const whom = defined({ before: before?.whom, after: after?.whom });
  return Object.keys(whom).length > 0 ? { whom } : {};
}

/** What else changes for principals who can sign in to a role before and after. */
function alsoChanged(old: Role, wanted: Role, was: GraphIndex, is: GraphIndex): Also[] {
  const lives = lifeChanges(
    { role: old, method: was.methods.get(old.method) },
    { role: wanted, method: is.methods.get(wanted.method) },
  );
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
    ...identityChanges(old, wanted).map(
      ({ chosen, what }): Also => ({
        about: 'identity',
        gains: chosen ? 'some' : 'unknown',
        losses: 'unknown',
        what,
      }),
    ),
    ...readsOther('gains', old, wanted, is),
    ...readsOther('losses', wanted, old, was),
  ];
}

/** Whether a role reads groups from a claim that another does not read them from. */
function readsElsewhere(from: Role, to: Role): boolean {
  const { groupsClaim: claim = '' } = to;
  if (claim === '' || claim === from.groupsClaim) return false;
  return !isSame(placeOf(claim), placeOf(from.groupsClaim ?? ''));
}

/** A role that reads groups from another claim lets others into every group of its method. */
function readsOther(side: 'gains' | 'losses', from: Role, to: Role, of: GraphIndex): Also[] {
  if (!readsElsewhere(from, to)) return [];
  const { groupsClaim: claim = '' } = to;
  const about = { about: 'groups', gains: 'none', losses: 'none' } as const;
  // A claim is read for groups: where none is here, they may be elsewhere.
  const isHere = of.graph.aliases.some(({ method }) => method === to.method);
  if (!isHere && !isComplete(of.graph, 'aliases')) {
    const missing = { kind: 'groups-of-claim' as const, claim, method: to.method };
    return [{ ...about, [side]: 'unknown', what: { kind: 'groups-unknown', missing } }];
  }
  const isRead = side === 'gains';
  return of.groupsBy(to).map(({ name: group, policies }) => ({
    ...about,
    [side]: 'some',
    what: { kind: 'groups-read', claim, group, policies, isRead },
  }));
}
