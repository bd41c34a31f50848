import type { Answer } from '../../access/access-change.ts';
import { subjectText } from '../../graph/subject.ts';
import { shortened } from '../../graph/values/cut.ts';
import type { Place } from '../plan/compose-change.ts';
import type { Review } from '../review.ts';
import type { Severity, Subject } from '../rules/finding.ts';
import type { ReviewedAccess } from '../verdict.ts';
import { findingCount, placesWords, placeWords, type ReportFinding } from './fold-places.ts';
import { changingPolicy, whoWords } from './rows.ts';

/** `role "reader" of auth/staff`, `text of policy "secrets-read"`. */
export function subjectWords(subject: Subject, place: Place = {}): string {
  const { type, name, field } = subject;
  const what = type === 'service' ? name : subjectText(subject);
  return `${field === undefined ? '' : `${field} of `}${what}${placeWords(place)}`;
}

/** A finding's headline. @param listed how many of its places are named, at most */
export function findingTitle({ subject, places, ...place }: ReportFinding, listed?: number): string {
  return subjectWords(subject, place) + (places === undefined ? '' : placesWords(places, listed));
}

const signs: Record<Severity | 'open' | 'fine', string> = {
  ...{ error: '✗', warning: '!', info: '✓', open: '?', fine: '✓' },
};

/** What a reader has to know first: `✗ 2 errors. 5 groups and roles gain access, 1 loses it.` */
export function headline(review: Verdict & Pick<Review, 'findings'>): string {
  const isOpen = [review.gains, review.losses].includes('unknown');
  return headlineOf(review.findings, verdictWords(review), isOpen ? 'open' : 'fine');
}

/** The same before anything is planned: the rules alone were asked. @param passes whether no finding fails the task */
export function declaredHeadline(findings: Review['findings'], passes: boolean): string {
  const verdict = passes ? 'The stack passes its rules.' : 'The stack does not pass its rules.';
  return headlineOf(findings, `${verdict} Access is judged after planning.`, 'fine');
}

function headlineOf(findings: Review['findings'], verdict: string, otherwise: 'open' | 'fine'): string {
  const counted = findings.filter(({ exception }) => exception === undefined);
  const of = (severity: Severity) => counted.filter((one) => one.severity === severity).length;
  const accepted = findings.length - counted.length;
  const errors = of('error');
  const sign = errors > 0 ? 'error' : of('warning') > 0 ? 'warning' : otherwise;
  return [
    `${signs[sign]} ${errors > 0 ? `${count(errors, 'error')}. ` : ''}${verdict}`,
    ...(accepted > 0 ? [`${count(accepted, 'finding')} accepted by exceptions.`] : []),
  ].join(' ');
}

type Side = 'gains' | 'losses';
type Verdict = Pick<Review, Side | 'over' | 'missing' | 'access' | 'scope'>;

/** What was decided, with what it is about: `No one gains or loses access (12 roles, 5 groups checked).` */
export function verdictWords(review: Verdict): string {
  const { gains, losses, over, access, scope } = review;
  const isBare = over.roles + over.groups === 0 || scope.whole;
  if (gains === 'none' && losses === 'none' && isBare && over.paths + access.length === 0) {
    return 'Nothing here changes access.';
  }
  const [gaining, losing] = [withAccess(access, 'gains'), withAccess(access, 'losses')];
  const answers = { gains: accessAnswer(review, 'gains'), losses: accessAnswer(review, 'losses') };
  const lost =
    answers.losses === 'unknown'
      ? ['Whether anyone loses access is not known.']
      : answers.losses === 'none'
        ? []
        : [`${principalsCount(losing, 'lose')} access.`];
  const lives = lifetimeWords(access);
  if (answers.gains === 'unknown') return [openWords(review), ...lost, ...lives].join(' ');
  if (answers.gains === 'none') {
    const none = `No one gains ${lost.length === 0 ? 'or loses ' : ''}access (${checkedWords(review)}).`;
    return [none, ...lost, ...lives].join(' ');
  }
  if (answers.losses !== 'some' && gaining.length > 1 && changingPolicy(gaining) !== undefined) {
    return [`1 policy gives more: ${namesOrCount(gaining)} gain.`, ...lost, ...lives].join(' ');
  }
  const gained = `${principalsCount(gaining, 'gain')} access`;
  if (answers.losses !== 'some') return [`${gained}.`, ...lost, ...lives].join(' ');
  return [`${gained}, ${losing.length} ${losing.length === 1 ? 'loses' : 'lose'} it.`, ...lives].join(' ');
}

/**
 * The answer apart from how long tokens live. Where that alone is why some gain, what else is not known counts: it was
 * not asked for any more.
 */
function accessAnswer(review: Verdict, side: Side): Answer {
  const { access, missing, scope } = review;
  if (review[side] !== 'some' || withAccess(access, side).length > 0) return review[side];
  const isOpen =
    access.some(
      (one) =>
        one[side] === 'unknown' ||
        one.also.some((also) => also[side] === 'unknown') ||
        one.uncertain.length + one.unread.length > 0,
    ) ||
    (side === 'gains' && (missing.length > 0 || !scope.complete));
  return isOpen ? 'unknown' : 'none';
}

/** Principals who gain or lose more than a longer or shorter life of their tokens: each once. */
function withAccess(access: ReviewedAccess[], side: Side): ReviewedAccess[] {
  const found = access.filter((one) => one[side] === 'some' && !isLifetimeAlone(one, side));
  return [...new Map(found.map((one) => [whoWords(one), one])).values()];
}

function isLifetimeAlone(change: ReviewedAccess, side: Side): boolean {
  const { kind, policies, paths, groups, also, administersBy = [] } = change;
  const direction = side === 'gains' ? 'gained' : 'lost';
  return (
    kind === 'changed' &&
    policies[direction].length + groups.length + administersBy.length === 0 &&
    paths.every(
      (one) => one[direction].length === 0 && !one.limits?.some((limit) => limit.side === direction),
    ) &&
    also.some((one) => one.about === 'lifetime' && one[side] === 'some') &&
    also.every((one) => one.about === 'lifetime' || one[side] !== 'some')
  );
}

function lifetimeWords(access: ReviewedAccess[]): string[] {
  const lived = (side: Side) =>
    access.filter(({ also }) => also.some((one) => one.about === 'lifetime' && one[side] === 'some'));
  const sentence = (changes: ReviewedAccess[], how: string) => {
    const [first] = changes;
    if (first === undefined) return [];
    return [`Tokens of ${changes.length === 1 ? whoWords(first) : `${changes.length} roles`} ${how}.`];
  };
  const [longer, shorter] = [lived('gains'), lived('losses')];
  return [
    ...sentence(longer, 'last longer'),
    ...sentence(
      shorter.filter((one) => !longer.includes(one)),
      'last shorter',
    ),
  ];
}

const nouns: Record<ReviewedAccess['principals']['kind'], [string, string]> = {
  role: ['role', 'roles'],
  alias: ['group', 'groups'],
  group: ['group', 'groups'],
  entity: ['entity', 'entities'],
  method: ['auth method', 'auth methods'],
  policy: ['principal', 'principals'],
  other: ['principal', 'principals'],
};

/** `1 group gains`, `5 groups and roles gain`. */
function principalsCount(changes: ReviewedAccess[], verb: 'gain' | 'lose'): string {
  const found = [...new Set(changes.map(({ principals }) => nouns[principals.kind][1]))].sort();
  const isNamed = found.every((noun) => noun === 'roles' || noun === 'groups');
  if (changes.length === 1) return `1 ${changes.map(({ principals }) => nouns[principals.kind][0])} ${verb}s`;
  const noun = found.length === 1 || isNamed ? found.join(' and ') : 'principals';
  return `${changes.length} ${noun} ${verb}`;
}

/** `role reader and group shop`, `5 groups and roles`. */
function namesOrCount(changes: ReviewedAccess[]): string {
  const named = ['role', 'alias', 'group'];
  if (changes.length > 2 || !changes.every(({ principals }) => named.includes(principals.kind)))
    return principalsCount(changes, 'gain').replace(/ gain$/, '');
  return changes
    .map((one) => whoWords({ ...one, principals: { ...one.principals, method: '' } }))
    .join(' and ');
}

function checkedWords({ over: { roles, groups, otherPrincipals }, scope }: Verdict): string {
  const elsewhere =
    otherPrincipals === 0
      ? []
      : scope.tokens
        ? [count(otherPrincipals, 'other role, user or token', 'other roles, users and tokens')]
        : [`${count(otherPrincipals, 'role or user', 'roles and users')} of other methods`];
  const all = [count(roles, 'role'), count(groups, 'group'), ...elsewhere].join(', ');
  return `${all} checked${scope.whole ? `; not ${tokensLeftOut(scope.tokens)}` : ''}`;
}

function openWords({ missing, scope }: Verdict): string {
  const [first] = missing;
  if (first === undefined) {
    const unchecked = scope.complete ? '' : ` Not checked: ${shortened(scope.missing, 2)}.`;
    return `No one declared here gains access.${unchecked}`;
  }
  const othersText = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
  return `Whether anyone gains access is not known: ${first.replace(/\.$/, '')}${othersText}.`;
}

/** What no answer about a service is about. */
export function tokensLeftOut(areRead: boolean): string {
  return areRead ? 'batch tokens' : 'tokens made by hand';
}

/** What was not checked, in sentences. */
export function remarks({ passedOver, notes, scope, gains, missing }: Review): string[] {
  const total = passedOver.reduce((sum, one) => sum + one.count, 0);
  const types = shortened(
    passedOver.map(({ type }) => type),
    5,
  );
  // The headline says it where nothing else does.
  const isInHeadline = gains === 'unknown' && missing.length === 0 && scope.missing.length <= 2;
  const unchecked = scope.complete || isInHeadline ? [] : scope.missing;
  const ofOtherKinds = total > 0 ? [`${count(total, 'resource')} of other kinds (${types})`] : [];
  const all = [...unchecked, ...ofOtherKinds];
  return [...(all.length > 0 ? [`Not checked: ${all.join(', ')}.`] : []), ...notes];
}

/**
 * Findings that are not listed, by their rules: `Hidden: 3 more findings (bound-removed), 2 older errors.`. An older one that
 * is no error stands in every review, and is left to `--show-all`.
 */
export function hiddenWords(hidden: readonly ReportFinding[], older: readonly ReportFinding[]): string[] {
  const errors = older.filter(({ severity }) => severity === 'error');
  const rules = [...new Set(hidden.map(({ rule }) => rule))].join(', ');
  const parts = [
    ...(hidden.length > 0 ? [`${count(findingCount(hidden), 'more finding')} (${rules})`] : []),
    ...(errors.length > 0 ? [count(findingCount(errors), 'older error')] : []),
  ];
  return parts.length === 0 ? [] : [`Hidden: ${parts.join(', ')}. --show-all lists them.`];
}

/** A number with its word: `1 role`, `2 roles`. */
export function count(number: number, what: string, several = `${what}s`): string {
  return `${number} ${number === 1 ? what : several}`;
}
