import { reasonWords } from '../../../../src/words/reason-words.ts';
import type { Outcome, Side } from './outcomes.ts';
import type { Witness } from './witnesses.ts';

export function isSilent({ plan, live, gained }: Outcome): boolean {
  return (plan.gains === 'none' || live.gains === 'none') && gained.length > 0;
}

/** Whether a review of the whole service says that no one loses, and someone does. Tokens that only expire sooner take nothing away. */
export function isSilentLoss({ live, lost }: Outcome): boolean {
  return live.losses === 'none' && !lost.every(isOfLife);
}

/** Whether a review says something that is not so. */
export function isOdd(one: Outcome): boolean {
  return (
    isSilent(one) || isSilentLoss(one) || one.questions.wrong.length > 0 || falseWitnessesOf(one).length > 0
  );
}

/** Witnesses that do not hold though all that they say is in the plan, or was read. */
export function falseWitnessesOf({ plan, live }: Outcome): Witness[] {
  return [...plan.false.filter(isOwn), ...live.false];
}

/**
 * Whether a review says that someone gains, or does not know, where no one does. It is right where what it names is open,
 * and where its witness holds, or a provider could vouch for someone who gains: people who are not of this world do.
 */
export function isFalseAlarm(one: Outcome, side: Side): boolean {
  const { gains, undecided, witnesses, false: wrong } = one[side];
  return (
    isQuiet(one) &&
    !one.anyoneGains &&
    gains !== 'none' &&
    undecided.length === 0 &&
    witnesses === wrong.length
  );
}

/** No request newly passes, and no one newly signs in. */
export function isQuiet({ gained, gainedBySameSteps, entering }: Outcome): boolean {
  return gained.length + gainedBySameSteps.length + entering.length === 0;
}

/** Why a review says so. */
function reasonOf({ plan, live, rows }: Outcome, side: Side): string {
  const { gains, gaining, scope, missing } = { plan, live }[side];
  const words = gains === 'some' ? gaining : [...scope.missing, ...missing].map(reasonWords);
  const kinds = words.map((one) => one.replaceAll(/"[^"]*"/g, '…').replaceAll(/auth\/\S+/g, 'auth/…'));
  return `${gains}: ${[...new Set(kinds)].join(', ') || 'nothing named'} (${[...new Set(rows)].join(', ')})`;
}

export function summaryOf(outcomes: readonly Outcome[]): Record<string, unknown> {
  const count = (which: (one: Outcome) => boolean) => outcomes.filter(which).length;
  const sum = (of: (one: Outcome) => number) => outcomes.reduce((total, one) => total + of(one), 0);
  const isGain = ({ gained }: Outcome) => gained.length > 0;
  const counted = (side: Side, answer: 'gains' | 'losses') =>
    (['none', 'unknown', 'some'] as const).map((is) => count((one) => one[side][answer] === is)).join(' / ');
  return {
    worlds: outcomes.length,
    'a request newly passes': count(({ gained }) => gained.some((one) => !isOfLife(one))),
    'tokens live longer only': count(({ gained }) => gained.length > 0 && gained.every(isOfLife)),
    'gain in silence': count(isSilent),
    'none, gain by the same steps only': count(
      (one) => one.plan.gains === 'none' && !isGain(one) && one.gainedBySameSteps.length > 0,
    ),
    'gains: none / unknown / some': counted('plan', 'gains'),
    'live: none / unknown / some': counted('live', 'gains'),
    'a request no longer passes': count(({ lost }) => lost.some((one) => !isOfLife(one))),
    'losses: none / unknown / some': counted('plan', 'losses'),
    'live losses: none / unknown / some': counted('live', 'losses'),
    'loss in silence': count(isSilentLoss),
    'loss in silence, by the plan alone': count(
      ({ plan, lost }) => plan.losses === 'none' && lost.length > 0,
    ),
    witnesses: sum(({ plan, live }) => plan.witnesses + live.witnesses),
    'false witnesses': sum((one) => falseWitnessesOf(one).length),
    'false witnesses with texts of the other workspace': sum(
      ({ plan }) => plan.false.length - plan.false.filter(isOwn).length,
    ),
    'no request newly passes, no one newly signs in': count(isQuiet),
    ...Object.fromEntries(
      (['plan', 'live'] as const).flatMap((side) => {
        const alarms = outcomes.filter((one) => isFalseAlarm(one, side));
        return [
          [
            `${side}: gains or unknown though none does`,
            count((one) => isQuiet(one) && one[side].gains !== 'none'),
          ],
          [`${side}: of these, false alarms`, alarms.length],
          [`${side}: why`, countsOf(alarms.map((one) => reasonOf(one, side)))],
        ];
      }),
    ),
    'who can: asked': sum(({ questions }) => questions.asked),
    'who can: no one': sum(({ questions }) => questions.noOne),
    'who can: no one, wrong': sum(({ questions }) => questions.wrong.length),
    rows: countsOf(outcomes.flatMap(({ rows }) => rows)),
  };
}

/** How often each is there, most often first. */
export function countsOf(words: readonly string[]): Record<string, number> {
  const counts = [...Map.groupBy(words, (one) => one)].map(([word, all]) => [word, all.length] as const);
  return Object.fromEntries(counts.sort(([, one], [, other]) => other - one));
}

function isOfLife(request: string): boolean {
  return /: (?:lives|is renewed for) \d+ s$/.test(request);
}

/** Whether all that a witness says is in the plan. */
export function isOwn({ elsewhere }: Witness): boolean {
  return elsewhere.length === 0;
}
