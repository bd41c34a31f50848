import { placeOf } from '../login/claims.ts';
import { type Graph, isComplete } from '../model/graph.ts';
import type { AuthMethod } from '../model/resources/auth-method.ts';
import { isSame } from '../model/resources/field.ts';
import type { Role } from '../model/resources/role.ts';
import { roleSubject, subjectText } from '../model/subject.ts';
import { type AccessChange, type Also, type Principals, unchanged } from './access-change.ts';
import { movesOf, type Source } from './grants.ts';
import { bothKeys, type GraphIndex, policiesOfRole } from './graph-index.ts';
import { identityChanges } from './sign-in/identity-change.ts';
import {
  type Inclusion,
  inclusion,
  isDisjoint,
  type Population,
  populationOf,
  populationWords,
} from './sign-in/population.ts';
import { lifeChanges } from './sign-in/token-life.ts';

/** Principals of roles: of one that lets in others, those who newly can, those who no longer can, and the rest. */
export function byRole(was: GraphIndex, is: GraphIndex): Principals[] {
  return bothKeys(was.roles, is.roles).flatMap((key): Principals[] => {
    const [old, wanted] = [was.roles.get(key), is.roles.get(key)];
    if (old === undefined) return wanted === undefined ? [] : [oneSided('opened', wanted, is)];
    if (wanted === undefined) return [oneSided('closed', old, was)];
    const source = roleSource(wanted, filledPolicies(old, wanted), filledPolicies(wanted, old));
    if (old === wanted && was.methods.get(old.method) === is.methods.get(old.method)) {
      return [
        {
          source,
          change: unchanged('changed', source),
          population: () => populationIn(is, wanted),
          moves: [],
        },
      ];
    }
    const [from, to] = [populationIn(was, old), populationIn(is, wanted)];
    if (isDisjoint(from, to)) {
      const other = inclusion(to, from);
      const because = other.answer === 'no' ? { because: other.because } : {};
      const opened = oneSided('opened', wanted, is);
      return [{ ...opened, change: { ...opened.change, ...because } }, oneSided('closed', old, was)];
    }
    const bounds = { before: populationWords(from), after: populationWords(to) };
    const [more, less] = [inclusion(to, from), inclusion(from, to)];
    const also = alsoChanged(old, wanted, was, is);
    const isOpen = ({ about, gains, losses }: Also) =>
      about === 'groups' && [gains, losses].includes('unknown');
    const uncertain = also.filter(isOpen).map(({ words }) => words);
    const change = { ...unchanged('changed', source), bounds, also, uncertain };
    // Tokens of a role that reads groups no longer go without what those gave.
    const left = readsElsewhere(wanted, old) ? was.groupsBy(old) : [];
    return [
      ...(more.answer === 'yes' ? [] : [moved('widened', oneSided('opened', wanted, is), bounds, more)]),
      ...(less.answer === 'yes' ? [] : [moved('narrowed', oneSided('closed', old, was), bounds, less)]),
      {
        source,
        change,
        population: () => to,
        moves: [...movesOf(source), ...left.map(({ policies }) => ({ before: policies, after: [] }))],
        ...(readsElsewhere(old, wanted) && { joins: is.groupsBy(wanted) }),
      },
    ];
  });
}

/** Where others may be, roles that are elsewhere let in whom their method trusts: a role that asks for nothing stands for them. */
export function unseenRoles(before: Graph, after: Graph): [Role[], Role[]] {
  const seen = new Set([...before.roles, ...after.roles].map(({ method }) => method));
  const [was, is] = [before, after].map(({ methods }) => new Set(methods.map(({ path }) => path)));
  const any = ({ path, type }: AuthMethod): Role => ({
    method: path,
    name: '',
    roleType: type,
    userClaim: 'sub',
    tokenNoDefaultPolicy: true,
  });
  const isKept = ({ path }: AuthMethod) =>
    !seen.has(path) &&
    was?.has(path) === true &&
    is?.has(path) === true &&
    ![before, after].every((graph) => isComplete(graph, 'roles', path));
  return [before.methods.filter(isKept).map(any), after.methods.filter(isKept).map(any)];
}

/** A template in the name of a policy is another policy once it is filled in. */
function filledPolicies(role: Role, other: Role): string[] {
  const isFilled = role.tokenPoliciesTemplateClaims === true && other.tokenPoliciesTemplateClaims !== true;
  const names = policiesOfRole(role);
  return isFilled ? names.map((name) => (name.includes('{{') ? `${name} (filled in)` : name)) : names;
}

function populationIn({ methods }: GraphIndex, role: Role): Population {
  return populationOf(role, methods.get(role.method));
}

function roleSource(role: Role, before: string[], after: string[]): Source {
  const { method, name } = role;
  if (name === '') return { kind: 'method', by: `auth/${method}`, method, name, before, after };
  return { kind: 'role', by: subjectText(roleSubject(role)), method, name, before, after };
}

/** Principals of a role that is there on one side only. */
function oneSided(kind: 'opened' | 'closed', role: Role, side: GraphIndex): Principals {
  const isOpened = kind === 'opened';
  const policies = policiesOfRole(role);
  const source = roleSource(role, isOpened ? [] : policies, isOpened ? policies : []);
  const population = populationIn(side, role);
  const change: AccessChange = {
    ...unchanged(kind, source),
    bounds: { [isOpened ? 'after' : 'before']: populationWords(population) },
    groups: side.groupsBy(role),
    [isOpened ? 'gains' : 'losses']: 'some',
  };
  return {
    source,
    change,
    population: () => population,
    moves: [],
    ...(isOpened && { joins: change.groups }),
  };
}

/** A role that opens or closes to some, where part of its principals could or can sign in on the other side as well. */
function moved(
  kind: 'widened' | 'narrowed',
  principals: Principals,
  bounds: AccessChange['bounds'],
  found: Inclusion,
): Principals {
  const side = kind === 'widened' ? 'gains' : 'losses';
  // Why others get in is said; of those who no longer do, the bounds before and after tell.
  const because =
    found.answer === 'no' && kind === 'widened' ? { because: found.because, token: found.witness } : {};
  const open = found.answer === 'unknown' ? { [side]: 'unknown' as const, uncertain: [found.missing] } : {};
  return { ...principals, change: { ...principals.change, kind, bounds, ...because, ...open } };
}

/** What else changes for those who can sign in to a role before and after. */
function alsoChanged(old: Role, wanted: Role, was: GraphIndex, is: GraphIndex): Also[] {
  const [before, after] = [was.methods.get(old.method), is.methods.get(wanted.method)];
  const lives = lifeChanges(
    { role: old, ...(before && { method: before }) },
    { role: wanted, ...(after && { method: after }) },
  );
  return [
    ...lives.map(({ longer, words }) => ({ about: 'lifetime' as const, ...byLife[longer], words })),
    ...identityChanges(old, wanted).map(({ chosen, words }) => ({
      about: 'identity' as const,
      gains: chosen ? ('some' as const) : ('unknown' as const),
      losses: 'unknown' as const,
      words,
    })),
    ...readsOther('gains', old, wanted, is),
    ...readsOther('losses', wanted, old, was),
  ];
}

const byLife = {
  yes: { gains: 'some', losses: 'none' },
  no: { gains: 'none', losses: 'some' },
  both: { gains: 'some', losses: 'some' },
  unknown: { gains: 'unknown', losses: 'unknown' },
} as const;

/** Whether a role reads groups from a claim that another does not read them from. */
function readsElsewhere(from: Role, to: Role): boolean {
  return Boolean(to.groupsClaim) && !isSame(placeOf(to.groupsClaim ?? ''), placeOf(from.groupsClaim ?? ''));
}

/** A role that reads groups from another claim lets others into every group of its method. */
function readsOther(side: 'gains' | 'losses', from: Role, to: Role, of: GraphIndex): Also[] {
  if (!readsElsewhere(from, to)) return [];
  // A claim is read for groups: where none is here, they may be elsewhere.
  const isHere = of.graph.aliases.some(({ method }) => method === to.method);
  if (!isHere && !isComplete(of.graph, 'aliases')) {
    const words = `which groups the claim ${JSON.stringify(to.groupsClaim)} leads into: no alias of auth/${to.method} is here`;
    return [{ about: 'groups', gains: 'none', losses: 'none', [side]: 'unknown', words }];
  }
  return of.groupsBy(to).map(({ name, policies }) => ({
    about: 'groups',
    gains: 'none',
    losses: 'none',
    [side]: 'some',
    words: `groups are ${side === 'gains' ? 'read' : 'no longer read'} from the claim ${JSON.stringify(to.groupsClaim)}, which leads to ${policies.join(', ')} by group ${JSON.stringify(name)}`,
  }));
}
