import type { AccessChange } from '../../access/access-change.ts';
import { isWriting } from '../../access/administration.ts';
import type { AlsoChange } from '../../access/reasons/also-change.ts';
import { isTokenRole } from '../../access/sign-in/conditions.ts';
import { openToInternet, openToProvider } from '../../access/sign-in/public-issuers.ts';
import { mayLastLonger } from '../../access/sign-in/token-life.ts';
import { kindById } from '../../graph/kinds/kinds.ts';
import { methodAt } from '../../graph/parts-by-name.ts';
import { roleSubject } from '../../graph/subject.ts';
import { formatDuration } from '../../graph/values/duration.ts';
import { partName, plainName } from '../../graph/values/visible.ts';
import { alsoWords } from '../../words/also-words.ts';
import { wideningWords } from '../../words/condition-words.ts';
import { openWords, providerWords } from '../../words/everyone-words.ts';
import { roleOf, subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

/** How many paths a message lists. */
const mostNamed = 10;

export const administrationGained: ChangeRule = {
  id: 'administration-gained',
  severity: 'error',
  about: 'People or workloads that become able to write policies, roles or auth methods.',
  check: ({ before }, { access }) =>
    access.changes.flatMap((change) => {
      const where = [
        ...change.paths.flatMap(({ path, administers }) => (administers ? [code(path)] : [])),
        ...(change.administersBy ?? []).map(
          ({ group, path }) => `${code(path)} in ${partName('group', group)}`,
        ),
      ];
      if (where.length === 0) return [];
      return {
        subject: subjectOf(change),
        // If only administrators were there before, those who come with the first apply set the service up.
        severity:
          change.kind === 'opened' && before.roles.length + before.aliases.length === 0 && !access.isSetUp
            ? ('warning' as const)
            : ('error' as const),
        message: `This makes them administrators: they could change auth methods and policies (${where.slice(0, mostNamed).join(', ')}${where.length > mostNamed ? ` and ${where.length - mostNamed} more` : ''}).`,
        fix: 'Keep administration to a group that is watched, or add an exception with an owner and an end.',
      };
    }),
};

/** A path as a person would type it. */
const code = (path: string) => `\`${JSON.stringify(path).slice(1, -1)}\``;

export const openToTheInternet: ChangeRule = {
  id: 'open-to-the-internet',
  severity: 'warning',
  about: 'A role that anyone in the world can sign in to, and that gives more than the policy default.',
  check: ({ after }, { access, kindOf }) =>
    access.changes.flatMap((change) => {
      const { gains, policies, paths, unread } = change;
      const signIn = roleOf(change, after);
      if (gains === 'none' || signIn === undefined) return [];
      const why = openToInternet(signIn.role, signIn.method);
      if (why === undefined || [...policies.gained, ...policies.kept].every((name) => name === 'default'))
        return [];
      // A pipeline's jobs come by themselves and in numbers; people are asked by their provider.
      const byToken = isTokenRole(signIn.role);
      const kind = kindOf(signIn.role.method);
      const writes = unread.length > 0 || paths.some(({ gained }) => gained.some(isWriting));
      return {
        subject: subjectOf(change),
        severity: writes || byToken ? ('error' as const) : ('warning' as const),
        message: `Anyone can sign in: ${openWords(why)}. They get ${policies.gained.concat(policies.kept).join(', ')}.`,
        fix:
          (kind && kindById(kind).keepsStrangersOut) ??
          'Bind a claim that only your people or workloads have: an organization, a project or a subject.',
      };
    }),
};

export const everyoneGains: ChangeRule = {
  id: 'everyone-gains',
  severity: 'error',
  about: 'Everyone who can use the method gets a policy that allows more than reading.',
  check: ({ before, after }, { access }) =>
    access.changes.flatMap((change) => {
      const { principals, paths, policies, unread } = change;
      const signIn = roleOf(change, after);
      // A method that is new is set up: what its roles give is shown as new access.
      const isNew = methodAt(before.methods, principals.method) === undefined;
      const everyone = signIn && openToProvider(signIn.role, signIn.method);
      if (signIn === undefined || isNew || everyone === undefined) return [];
      const written = paths.flatMap(({ path, gained, limits = [] }) => {
        const freed = limits.flatMap(({ side, capabilities }) => (side === 'gained' ? capabilities : []));
        return [...gained, ...freed].some(isWriting) ? [JSON.stringify(path)] : [];
      });
      // A policy whose text is not known is judged by its name.
      const unreadPolicies = policies.gained.filter(
        (name) => unread.includes(name) && /admin|root/.test(name),
      );
      const powers = [
        ...(written.length > 0 ? [`could write ${written.join(', ')}`] : []),
        ...(unreadPolicies.length > 0 ? [`gets ${unreadPolicies.join(', ')}`] : []),
      ];
      if (powers.length === 0) return [];
      return {
        subject: roleSubject(signIn.role, 'policies'),
        message: `Role ${plainName(signIn.role.name)} has no bounds: ${providerWords(everyone)} ${powers.join(' and ')}.`,
        fix: 'Give the policy to an external group or to a role with bounds, or add an exception with an owner and an end.',
      };
    }),
};

export const boundRemoved: ChangeRule = {
  id: 'bound-removed',
  severity: 'warning',
  about: 'A role or method that drops a bound or accepts more.',
  check: (_, { access }) =>
    access.changes.flatMap((change) => {
      const { kind, principals, because } = change;
      if (kind !== 'widened' || !['role', 'method'].includes(principals.kind) || because === undefined)
        return [];
      return {
        subject: subjectOf(change),
        message: `More people or workloads can sign in: ${wideningWords(because)}.`,
        fix: 'Bind it again, or add a separate role for the new ones.',
      };
    }),
};

export const identityCanBeChosen = alsoRule({
  id: 'identity-can-be-chosen',
  severity: 'warning',
  about: 'A role that identifies people by a claim that they can edit themselves.',
  isWrong: ({ about, gains }) => about === 'identity' && gains === 'some',
  message: (what) =>
    `${capitalized(alsoWords(what))}. They can edit it themselves and take over another person’s identity.`,
  fix: 'Use a claim that the provider sets and never reassigns: sub, or an object id.',
});

export const credentialGained = alsoRule({
  id: 'credential-gained',
  severity: 'warning',
  about: 'A credential of another sign-in, or a new namespace, that people or workloads newly get.',
  isWrong: ({ about, gains }) => (about === 'credentials' || about === 'administration') && gains === 'some',
  message: (what) => `${capitalized(alsoWords(what))}.`,
  fix: 'Keep the credential where its owners alone read it, or take the policy away that leads to it.',
});

export const tokenLivesLonger = alsoRule({
  id: 'token-lives-longer',
  severity: 'warning',
  about: 'Tokens that live longer, or can be used more often.',
  isWrong: ({ life = 'same' }) => mayLastLonger(life),
  message: (what, [before, after]) => {
    const isTtl = what.kind === 'setting' && what.of === 'role' && what.field === 'ttl';
    const ttlBefore = ttlOf(before, [before, after]);
    const ttlAfter = ttlOf(after, [before, after]);
    if (!isTtl || ttlBefore === undefined || ttlAfter === undefined || ttlAfter <= ttlBefore)
      return `Tokens are valid longer or for more uses: ${alsoWords(what)}. People or workloads that are removed keep access longer.`;
    const who = after && isTokenRole(after.role) ? 'Workloads that' : 'People who';
    return `Tokens last ${formatDuration(ttlAfter)} instead of ${formatDuration(ttlBefore)}. ${who} are removed keep access up to ${formatDuration(ttlAfter - ttlBefore)} longer.`;
  },
  fix: 'Keep the lifetime as short as the work allows.',
});

type Sides = [ReturnType<typeof roleOf>, ReturnType<typeof roleOf>];

/** Seconds that tokens live by `ttl` alone, where nothing else of either side decides. */
function ttlOf(side: Sides[number], sides: Sides): number | undefined {
  const otherLimits = sides.flatMap((candidate) => [
    candidate?.role.tokenPeriod,
    candidate?.role.tokenMaxTtl,
    candidate?.role.tokenExplicitMaxTtl,
    candidate?.method?.tune?.maxLeaseTtl,
  ]);
  return otherLimits.some(Boolean) ? undefined : side?.role.ttl || undefined;
}

const capitalized = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

/** A rule over what changes for principals apart from their access. */
function alsoRule({
  isWrong,
  message,
  fix,
  ...rule
}: Omit<ChangeRule, 'check'> & {
  isWrong(also: AccessChange['also'][number]): boolean;
  message(what: AlsoChange, sides: Sides): string;
  fix: string;
}): ChangeRule {
  return {
    ...rule,
    check: ({ before, after }, { access }) =>
      access.changes.flatMap((change) =>
        change.also.filter(isWrong).map(({ what }) => ({
          subject: subjectOf(change),
          message: message(what, [roleOf(change, before), roleOf(change, after)]),
          fix,
        })),
      ),
  };
}
