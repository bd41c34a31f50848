import type { KeptReason, RefineRefusal } from '../usage/kept-reason.ts';
import { giverWords } from './giver-words.ts';
import { missingFromLogWords } from './missing-from-log-words.ts';
import { reasonWords } from './reason-words.ts';
import { usageReasonWords } from './usage-reason-words.ts';

type KeptOf<Kind extends KeptReason['kind']> = Extract<KeptReason, { kind: Kind }>;
type RefusalOf<Kind extends RefineRefusal['kind']> = Extract<RefineRefusal, { kind: Kind }>;

/** Why a rule keeps what no request used, as part of a sentence: `it expires`. */
export function keptReasonWords(reason: KeptReason): string {
  const say = keptWords[reason.kind] as (reason: KeptReason) => string;
  return say(reason);
}

/** Why nothing of a policy is taken, as part of a sentence. */
export function refineRefusalWords(refusal: RefineRefusal): string {
  const say = refusalWords[refusal.kind] as (refusal: RefineRefusal) => string;
  return say(refusal);
}

const keptWords: { [Kind in KeptReason['kind']]: (reason: KeptOf<Kind>) => string } = {
  'may-be-used': ({ missing }) => `requests may use it; unknown: ${usageReasonWords(missing)}`,
  expires: () => 'it expires',
  limits: () => 'it has limits, which count for the rules of other policies as well',
  floor: ({ capability }) => `the floor has ${capability}`,
  'sudo-not-logged': () => 'requests used the rule, and the log does not say whether with sudo',
  'use-not-logged': ({ capability }) => `no log shows the use of ${capability}`,
  'create-again': () => 'a create is an update when it comes again',
  'text-not-edited': () => 'the text is written in a way that cannot be edited',
  'last-rule': () => 'a policy needs a rule',
  'request-lost': () => 'a request of the log would be refused, or that is unknown',
  'gain-unknown': ({ missing }) =>
    `whether anyone would gain is unknown${missing === undefined ? '' : `: ${reasonWords(missing)}`}`,
  gain: ({ capabilities, to }) => {
    const what = capabilities.length === 0 ? 'more' : capabilities.join(', ');
    const [first = 'principals of other kinds', ...rest] = to.map(giverWords);
    const who = rest.length > 0 ? `${first} and ${rest.length} more` : first;
    return `without it, a broader rule would give ${what} to ${who}`;
  },
};

const refusalWords: { [Kind in RefineRefusal['kind']]: (refusal: RefusalOf<Kind>) => string } = {
  'other-service': missingFromLogWords,
  'allowed-left-out': missingFromLogWords,
  'mount-moved': () => 'a mount was moved, and the log does not tell where it is',
  'requests-left-out': ({ count }) => `the log has more requests than are kept: ${count} are left out`,
  'no-request': () => 'the log has no request that a policy decided',
  'no-token': () => 'no request of the log is by a token that has this policy',
  root: () => 'the policy root cannot be changed',
  'unreadable-text': () => 'the text cannot be read as a policy',
  'other-text': () => 'the service has another text of this policy',
};
