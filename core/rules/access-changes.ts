import type { AccessChange } from '../access/access-change.ts';
import { isWriting } from '../access/administration.ts';
import { isTokenRole } from '../access/sign-in/conditions.ts';
import { openToInternet, openToProvider } from '../access/sign-in/public-issuers.ts';
import { kindById } from '../model/kinds/kinds.ts';
import { methodAt } from '../model/parts-by-name.ts';
import { roleSubject } from '../model/subject.ts';
import { shortened } from '../model/values/cut.ts';
import { roleOf, subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

/** Of the places that a message names. */
const mostNamed = 10;

export const administrationGained: ChangeRule = {
  id: 'administration-gained',
  severity: 'error',
  about: 'Principals who can newly write policies, roles or auth methods.',
  check: ({ before }, { access }) =>
    access.changes.flatMap((change) => {
      const where = [
        ...change.paths.flatMap(({ path, administers }) => (administers ? [JSON.stringify(path)] : [])),
        ...(change.administersBy ?? []).map(
          ({ group, path }) => `${JSON.stringify(path)} in group ${JSON.stringify(group)}`,
        ),
      ];
      if (where.length === 0) return [];
      return {
        subject: subjectOf(change),
        // Where there was no role and no alias at all, the service is set up.
        severity:
          before.roles.length + before.aliases.length === 0 ? ('warning' as const) : ('error' as const),
        message: `This makes them administrators: they could change auth methods and policies (${shortened(where, mostNamed)}).`,
        fix: 'Keep administration to a group that is watched, or add an exception with an owner and an end.',
      };
    }),
};

export const openToTheInternet: ChangeRule = {
  id: 'open-to-the-internet',
  severity: 'warning',
  about: 'A role that anyone in the world can sign in to, and that newly gives more than the policy default.',
  check: ({ after }, { access, kindOf }) =>
    access.changes.flatMap((change) => {
      const { gains, policies, paths, unread } = change;
      const found = roleOf(change, after);
      if (gains === 'none' || found === undefined) return [];
      const why = openToInternet(found.role, found.method);
      if (why === undefined || [...policies.gained, ...policies.kept].every((name) => name === 'default'))
        return [];
      // A pipeline's jobs come by themselves and in numbers; people are asked by their provider.
      const byToken = isTokenRole(found.role);
      const kind = kindOf(found.role.method);
      const writes = unread.length > 0 || paths.some(({ gained }) => gained.some(isWriting));
      return {
        subject: subjectOf(change),
        severity: writes || byToken ? ('error' as const) : ('warning' as const),
        message: `Anyone can sign in: ${why}. They get ${policies.gained.concat(policies.kept).join(', ')}.`,
        fix:
          (kind && kindById(kind).keepsStrangersOut) ??
          'Bind what only your own people or workloads have: an organization, a project, a subject.',
      };
    }),
};

export const everyoneGains: ChangeRule = {
  id: 'everyone-gains',
  severity: 'error',
  about: 'A policy that allows more than reading, and that everyone who can use the method gets.',
  check: ({ before, after }, { access }) =>
    access.changes.flatMap((change) => {
      const { principals, paths, policies, unread } = change;
      const found = roleOf(change, after);
      // A method that is new is set up: what its roles give is shown as new access.
      const isNew = methodAt(before.methods, principals.method) === undefined;
      if (found === undefined || isNew || !openToProvider(found.role, found.method)) return [];
      const powers = [
        ...paths.flatMap(({ path, gained, limits = [] }) => {
          const freed = limits.flatMap(({ side, capabilities }) => (side === 'gained' ? capabilities : []));
          return [...gained, ...freed].some(isWriting) ? [JSON.stringify(path)] : [];
        }),
        // A policy whose text is not known is judged by its name.
        ...policies.gained
          .filter((name) => unread.includes(name) && /admin|root/.test(name))
          .map((name) => `policy ${name}`),
      ];
      if (powers.length === 0) return [];
      return {
        subject: roleSubject(found.role, 'policies'),
        message: `The role has no bounds: everyone with an account at the provider of auth/${principals.method} can write ${shortened(powers, mostNamed)}.`,
        fix: 'Give the policy to an external group or to a role with bounds, or add an exception with an owner and an end.',
      };
    }),
};

export const boundRemoved: ChangeRule = {
  id: 'bound-removed',
  severity: 'warning',
  about: 'A role or method that drops a bound, or accepts more.',
  check: (_, { access }) =>
    access.changes.flatMap((change) => {
      const { kind, principals, because } = change;
      if (kind !== 'widened' || !['role', 'method'].includes(principals.kind) || because === undefined)
        return [];
      return {
        subject: subjectOf(change),
        message: `More people or workloads can sign in than before: ${because}.`,
        fix: 'Check that all of them should. Otherwise bind it again, or add a separate role.',
      };
    }),
};

export const identityCanBeChosen = alsoRule({
  id: 'identity-can-be-chosen',
  severity: 'warning',
  about: 'A role that newly takes people for whom they say they are.',
  isWrong: ({ about, gains }) => about === 'identity' && gains === 'some',
  message: (words) =>
    `${words}. People can change that claim themselves, and so take over the identity of others.`,
  fix: 'Use a claim that the provider sets and never gives to another person: sub, or an object id.',
});

export const tokenLivesLonger = alsoRule({
  id: 'token-lives-longer',
  severity: 'warning',
  about: 'Tokens that live longer, can be used more often, or are taken after they expired.',
  isWrong: ({ about, gains }) => about === 'lifetime' && gains !== 'none',
  message: (words) =>
    `Tokens are worth more: ${words}. People who are removed keep their access that much longer.`,
  fix: 'Keep it as short as the work allows.',
});

/** A rule over what changes for principals apart from their access. */
function alsoRule({
  isWrong,
  message,
  fix,
  ...rule
}: Omit<ChangeRule, 'check'> & {
  isWrong(also: AccessChange['also'][number]): boolean;
  message(words: string): string;
  fix: string;
}): ChangeRule {
  return {
    ...rule,
    check: (_, { access }) =>
      access.changes.flatMap((change) =>
        change.also
          .filter(isWrong)
          .map(({ words }) => ({ subject: subjectOf(change), message: message(words), fix })),
      ),
  };
}
