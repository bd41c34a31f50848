import type { Life } from '../../access/sign-in/token-life.ts';
import { subjectName } from '../../graph/subject.ts';
import { shortened } from '../../graph/values/cut.ts';
import { reasonWords } from '../../words/reason-words.ts';
import type { Place } from '../plan/compose-change.ts';
import type { Review } from '../review.ts';
import { subjectOf } from '../rules/access-subject.ts';
import type { Severity, Subject } from '../rules/finding.ts';
import type { ReviewedAccess } from '../verdict.ts';
import { count } from './count.ts';
import { fieldWords } from './field-words.ts';
import { findingCount, placesWords, placeWords, type ReportFinding } from './fold-places.ts';
import { changingPolicy, whoWords } from './rows.ts';

/** `role staff/reader`, `text of policy secrets-read`. */
export function subjectWords(subject: Subject, tool: Review['tool'], place: Place = {}): string {
  const { type, field } = subject;
  return `${field === undefined ? '' : `${fieldWords(type, field, tool)} of `}${subjectName(subject)}${placeWords(place)}`;
}

/** A finding's headline. @param listed how many of its places are named, at most */
export function findingTitle(
  { subject, places, ...place }: ReportFinding,
  tool: Review['tool'],
  listed?: number,
): string {
  return subjectWords(subject, tool, place) + (places === undefined ? '' : placesWords(places, listed));
}

const signs = { error: '✗', warning: '!', gain: '+', open: '?', renamed: '~', fine: '✓' };

/** What a reader has to know first: `✗ 2 errors. 5 groups and roles gain access, 1 loses it.` */
export function headline(review: ReviewVerdict & Pick<Review, 'findings'>): string {
  const { gains, losses, life, access } = review;
  const isOpen = [gains, losses, life].includes('unknown');
  const isRenamed = gains === 'some' && !isOpen && withAccess(access, 'gains').length === 0;
  const isGain = (gains === 'some' && !isRenamed) || life === 'longer';
  const sign = isGain ? 'gain' : isOpen ? 'open' : isRenamed ? 'renamed' : 'fine';
  return headlineOf(review.findings, verdictWords(review), sign);
}

/** The same before anything is planned: the rules alone were asked. @param passes whether no finding fails the task */
export function declaredHeadline(findings: Review['findings'], passes: boolean): string {
  const verdict = passes ? 'The stack passes its rules.' : 'The stack does not pass its rules.';
  return headlineOf(findings, `${verdict} Access is judged after planning.`, 'fine');
}

function headlineOf(
  findings: Review['findings'],
  verdict: string,
  unlessFound: 'gain' | 'open' | 'renamed' | 'fine',
): string {
  const counted = findings.filter(({ exception }) => exception === undefined);
  const of = (severity: Severity) => counted.filter((finding) => finding.severity === severity).length;
  const accepted = findings.length - counted.length;
  const errors = of('error');
  const sign = errors > 0 ? 'error' : of('warning') > 0 ? 'warning' : unlessFound;
  return [
    `${signs[sign]} ${errors > 0 ? `${count(errors, 'error')}. ` : ''}${verdict}`,
    ...(accepted > 0 ? [`${count(accepted, 'finding')} accepted by exceptions.`] : []),
  ].join(' ');
}

type GainOrLoss = 'gains' | 'losses';
interface ReviewVerdict extends Pick<Review, GainOrLoss | 'life' | 'over' | 'missing' | 'access' | 'scope'> {
  /** Resources that no answer is about. Defaults to none. */
  passedOver?: Review['passedOver'];
}

/** What was decided, with what it is about: `No one gains or loses access by policies, groups or sign-in (12 roles, 5 groups checked).` */
export function verdictWords(review: ReviewVerdict): string {
  const { gains, losses, life, over, access } = review;
  const isBare = over.roles + over.groups === 0;
  if (
    gains === 'none' &&
    losses === 'none' &&
    life === 'same' &&
    isBare &&
    over.paths + access.length === 0
  ) {
    return ['Nothing here changes policies, groups or sign-in.', ...notJudged(review)].join(' ');
  }
  const gaining = withAccess(access, 'gains');
  const losing = withAccess(access, 'losses');
  const renamed = renamedWords(access);
  const lost =
    losses === 'unknown'
      ? ['Whether anyone loses access is not known.']
      : losing.length === 0
        ? []
        : [`${principalsCount(losing, 'lose')} access.`];
  const lives = lifeWords(review);
  if (gains === 'unknown') return [openWords(review), ...renamed, ...lost, ...lives].join(' ');
  if (gains === 'none') {
    const none = `No one gains ${lost.length === 0 ? 'or loses ' : ''}access ${scopeWords(review)}.`;
    return [none, ...lost, ...lives, ...notJudged(review)].join(' ');
  }
  if (gaining.length === 0) return [...renamed, ...lost, ...lives].join(' ');
  if (losing.length === 0 && gaining.length > 1 && changingPolicy(gaining) !== undefined) {
    return [`1 policy gives more: ${namesOrCount(gaining)} gain.`, ...renamed, ...lost, ...lives].join(' ');
  }
  const gained = `${principalsCount(gaining, 'gain')} access`;
  if (losses !== 'some' || losing.length === 0)
    return [`${gained}.`, ...renamed, ...lost, ...lives].join(' ');
  const losers = `${losing.length} ${losing.length === 1 ? 'loses' : 'lose'} it.`;
  return [`${gained}, ${losers}`, ...renamed, ...lives].join(' ');
}

/** Of what only has a new name: it neither gains nor loses. */
function renamedWords(access: ReviewedAccess[]): string[] {
  const renamed = access.filter(({ kind, otherName }) => kind === 'opened' && otherName !== undefined);
  if (renamed.length === 0) return [];
  const has = renamed.length === 1 ? 'has a new name' : 'have new names';
  return [`${countedPrincipals(renamed)} ${has}, and the same access.`];
}

/** Principals who gain or lose: each once. */
function withAccess(access: ReviewedAccess[], side: GainOrLoss): ReviewedAccess[] {
  return [
    ...new Map(
      access
        .filter((change) => change[side] === 'some' && change.otherName === undefined)
        .map((change) => [JSON.stringify([subjectOf(change), change.server, change.namespace]), change]),
    ).values(),
  ];
}

/** What becomes of how long tokens live: a sentence for each answer. */
function lifeWords({ life, access }: ReviewVerdict): string[] {
  const words = (of: Life, how: string) => {
    const [first, ...rest] = access.filter((change) => change.life === of);
    if (first === undefined) return [];
    return [`Tokens of ${rest.length === 0 ? whoWords(first) : `${rest.length + 1} roles`} ${how}.`];
  };
  const isOpen = life === 'unknown' || access.some((change) => change.life === 'unknown');
  return [
    ...words('longer', 'last longer'),
    ...words('shorter', 'expire sooner'),
    ...(isOpen ? ['Whether tokens last longer is not known.'] : []),
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
  anyone: ['principal', 'principals'],
};

/** `1 group gains`, `5 groups and roles gain`. */
function principalsCount(changes: ReviewedAccess[], verb: 'gain' | 'lose'): string {
  return `${countedPrincipals(changes)} ${verb}${changes.length === 1 ? 's' : ''}`;
}

/** `1 group`, `5 groups and roles`. */
function countedPrincipals(changes: ReviewedAccess[]): string {
  const kinds = [...new Set(changes.map(({ principals }) => nouns[principals.kind][1]))].sort();
  const isNamed = kinds.every((noun) => noun === 'roles' || noun === 'groups');
  if (changes.length === 1) return `1 ${changes.map(({ principals }) => nouns[principals.kind][0])}`;
  const noun = kinds.length === 1 || isNamed ? kinds.join(' and ') : 'principals';
  return `${changes.length} ${noun}`;
}

/** `role staff/reader and group shop`, `5 groups and roles`. */
function namesOrCount(changes: ReviewedAccess[]): string {
  const named = ['role', 'alias', 'group'];
  if (changes.length > 2 || !changes.every(({ principals }) => named.includes(principals.kind)))
    return countedPrincipals(changes);
  return changes.map(whoWords).join(' and ');
}

/** How far an answer goes: to every token of the service, or to what was looked at. */
function scopeWords({ over: { roles, groups, otherPrincipals }, scope }: ReviewVerdict): string {
  const elsewhere =
    otherPrincipals === 0
      ? []
      : scope.tokens
        ? [count(otherPrincipals, 'other role, user or token', 'other roles, users and tokens')]
        : [`${count(otherPrincipals, 'role or user', 'roles and users')} of other methods`];
  const all = [count(roles, 'role'), count(groups, 'group'), ...elsewhere].join(', ');
  return scope.whole
    ? `(every way to a token of this service checked: ${all}; not ${tokensLeftOut(scope.tokens)})`
    : `by policies, groups or sign-in (${all} checked)`;
}

function openWords({ missing, scope }: ReviewVerdict): string {
  const [first] = missing;
  if (first === undefined) {
    const unchecked = scope.complete ? '' : ` Not checked: ${shortened(scope.missing.map(reasonWords), 2)}.`;
    return `No one declared here gains access.${unchecked}`;
  }
  const othersText = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
  return `Whether anyone gains access is not known: ${reasonWords(first)}${othersText}.`;
}

/** `2 resources of other kinds (aws_instance, aws_s3_bucket)` */
function ofOtherKinds(passedOver: Review['passedOver'] = []): string[] {
  const total = passedOver.reduce((sum, resource) => sum + resource.count, 0);
  const types = shortened(
    passedOver.map(({ type }) => type),
    5,
  );
  return total > 0 ? [`${count(total, 'resource')} of other kinds (${types})`] : [];
}

/** `Not judged: 2 resources of other kinds (aws_instance).` */
function notJudged({ passedOver }: ReviewVerdict): string[] {
  return ofOtherKinds(passedOver).map((resources) => `Not judged: ${resources}.`);
}

/** Tokens that no answer about a service includes. */
export function tokensLeftOut(areRead: boolean): string {
  return areRead ? 'batch tokens' : 'tokens made by hand';
}

/** What was not checked, in sentences. */
export function remarks({ passedOver, notes, scope, gains, missing }: Review): string[] {
  // The headline says it where nothing else does.
  const isInHeadline = gains === 'unknown' && missing.length === 0 && scope.missing.length <= 2;
  const unchecked = scope.complete || isInHeadline ? [] : scope.missing.map(reasonWords);
  // Beside "no one gains", the headline has them.
  const all = [...unchecked, ...(gains === 'none' ? [] : ofOtherKinds(passedOver))];
  return [...(all.length > 0 ? [`Not checked: ${all.join(', ')}.`] : []), ...notes];
}

/** Whether something elsewhere was not checked, that a look at the whole service would show. */
export function leavesElsewhereOpen({ scope }: Pick<Review, 'scope'>): boolean {
  return scope.missing.length > 0 && !scope.whole;
}

/** How to check what was not, in sentences: the service itself, or the part of the plan that tells. */
export function closingWords(review: Review): string[] {
  const { missing, passedOver } = review;
  const isHidden = missing.some(({ kind }) => kind === 'hidden-field');
  const isPassedOver = passedOver.some(({ ofService, changed }) => ofService && changed > 0);
  return [
    ...(leavesElsewhereOpen(review)
      ? [
          'To check what is elsewhere, add a snapshot of the service (`--snapshot`), or read the service itself (`--live`).',
        ]
      : []),
    ...(isHidden ? ['What the plan hides is known after apply: check it then with `gatehouse drift`.'] : []),
    ...(isPassedOver ? ['Read the resources of other kinds in the plan yourself.'] : []),
  ];
}

/**
 * Rows and findings that are not listed, these by their rules: `Hidden: 3 more findings (bound-removed), 2 older errors.`. An
 * older one that is no error stands in every review, and is left to `--show-all`.
 *
 * @param rows how many rows are not listed
 */
export function hiddenWords(
  hidden: readonly ReportFinding[],
  older: readonly ReportFinding[],
  rows = 0,
): string[] {
  const errors = older.filter(({ severity }) => severity === 'error');
  const rules = [...new Set(hidden.map(({ rule }) => rule))].join(', ');
  const parts = [
    ...(rows > 0 ? [count(rows, 'more row')] : []),
    ...(hidden.length > 0 ? [`${count(findingCount(hidden), 'more finding')} (${rules})`] : []),
    ...(errors.length > 0 ? [count(findingCount(errors), 'older error')] : []),
  ];
  return parts.length === 0 ? [] : [`Hidden: ${parts.join(', ')}. --show-all lists them.`];
}
