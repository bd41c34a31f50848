import { type PromisedTo, principalFrom, promiseKinds } from '../graph/promise-settings.ts';
import { group } from '../graph/resources/external-group.ts';
import { role } from '../graph/resources/role.ts';
import { didYouMean } from '../graph/values/problem.ts';
import { partName } from '../graph/values/visible.ts';

/** The parts of an environment that promises can be about, read leniently. */
interface PromisedParts {
  promises: Partial<Record<(typeof promiseKinds)[number], string[] | undefined>>[];
  groups: { name: string }[];
  providers: { method: string; roles: { name: string }[]; groups: { name: string }[] }[];
  known: { kind: string; name: string }[];
}

type ReportPromise = (path: (string | number)[], message: string) => void;

/** The groups and roles that promises are about must be declared: a misspelled name would promise nothing. */
export function checkPromises(
  { promises, providers, groups: internal, known }: PromisedParts,
  report: ReportPromise,
): void {
  const groups = [
    ...providers.flatMap((provider) => provider.groups),
    ...internal,
    ...known.filter(({ kind }) => kind === group.type),
  ].map(({ name }) => name);
  const roles = [
    ...providers.flatMap(({ method, roles: own }) => own.map(({ name }) => ({ name, method }))),
    ...known
      .filter(({ kind }) => kind === role.type)
      .map(({ name }) => {
        const at = name.lastIndexOf('/');
        return { name: name.slice(at + 1), method: name.slice(0, Math.max(at, 0)) };
      }),
  ];
  promises.forEach((promise, index) => {
    for (const kind of promiseKinds) {
      for (const [position, text] of (promise[kind] ?? []).entries()) {
        const message = undeclared(principalFrom(text), groups, roles);
        if (message !== undefined) report(['promises', index, kind, position], message);
      }
    }
  });
}

/** Why a principal is not exactly one group or role; undefined if it is. */
function undeclared(
  principal: PromisedTo,
  groups: string[],
  roles: { name: string; method: string }[],
): string | undefined {
  if (principal.kind === 'everybody') return undefined;
  const { name } = principal;
  const quoted = JSON.stringify(name);
  const isNamed = (candidate: string) => candidate.toLowerCase() === name.toLowerCase();
  if (principal.kind === 'group') {
    return groups.some(isNamed) ? undefined : `no group is named ${quoted}${didYouMean(name, groups)}`;
  }
  const { method } = principal;
  const paths = roles.filter((role) => isNamed(role.name)).map((role) => role.method);
  const matching = paths.filter((path) => method === undefined || path === method);
  if (matching.length === 1) return undefined;
  if (matching.length > 1) {
    const spellings = paths.map((path) => `\`${partName('role', path, name)}\``).join(', ');
    return `several auth methods have a role ${quoted}; write ${spellings}`;
  }
  if (method === undefined || paths.length === 0) {
    const of = method === undefined ? '' : ` of ${JSON.stringify(method)}`;
    const names = roles.map((role) => role.name);
    return `no role${of} is named ${quoted}${didYouMean(name, names)}`;
  }
  const likely = didYouMean(method, paths) || `; it is one of ${paths.join(', ')}`;
  return `no role of ${JSON.stringify(method)} is named ${quoted}${likely}`;
}
