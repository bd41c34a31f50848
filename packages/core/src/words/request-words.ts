import { plainName } from '../graph/values/visible.ts';
import type { ReplayCause } from '../usage/replay.ts';
import type { NoChange } from '../usage/smallest-change.ts';
import type { RequestNote } from '../usage/why-refused.ts';
import { signInDoubtWords } from './sign-in-doubt-words.ts';
import { usageReasonWords } from './usage-reason-words.ts';

type CauseOf<Kind extends ReplayCause['kind']> = Extract<ReplayCause, { kind: Kind }>;
type RequestNoteOf<Kind extends RequestNote['kind']> = Extract<RequestNote, { kind: Kind }>;

/** Why a change refuses a request, or may, as part of a sentence: `no rule allows it`. */
export function replayCauseWords(cause: ReplayCause): string {
  const say = causeWords[cause.kind] as (cause: ReplayCause) => string;
  return say(cause);
}

const causeWords: { [Kind in ReplayCause['kind']]: (cause: CauseOf<Kind>) => string } = {
  'no-rule': () => 'no rule allows it',
  denied: () => 'a rule denies it',
  capability: ({ capability }) => `the rule does not give ${capability}`,
  parameters: () => 'a rule does not allow its parameters',
  operation: ({ operation }) => `no policy allows ${operation}`,
  wrapping: () => 'a rule asks for another response wrapping',
  unknown: ({ missing }) => `not known: ${usageReasonWords(missing)}`,
  'sign-in': ({ doubt }) => signInDoubtWords(doubt),
  'sign-in-unknown': ({ doubt }) => `not known: ${signInDoubtWords(doubt)}`,
};

/** All kinds of what refuses a request, or may. */
export const replayCauseKinds = Object.keys(causeWords) as ReplayCause['kind'][];

/** What the reader of an explained request should know, in sentences. */
export function requestNoteWords(note: RequestNote): string {
  const say = noteWords[note.kind] as (note: RequestNote) => string;
  return say(note);
}

const noteWords: { [Kind in RequestNote['kind']]: (note: RequestNoteOf<Kind>) => string } = {
  'no-response': () => 'The log has no response to it: how it ended is not known.',
  'before-policies': () => 'The service refused it before any policy was asked.',
  'denied-on-purpose': () => 'A denial is there on purpose. Ask who owns the policy before you undo it.',
  'policy-written': ({ policy, at }) =>
    `Policy ${plainName(policy)} was written or deleted after the request, at ${at}.`,
  'policies-gone': ({ policies }) =>
    `The service has no policy ${policies.map(plainName).join(', ')}, which the token had.`,
  'deleted-or-elsewhere': () => 'It was deleted since, or the log is of another service.',
};

/** Why no change of a policy lets a request pass, in a sentence. */
export const noChangeWords: Record<NoChange, string> = {
  'no-pattern': 'No pattern names this path alone.',
  'no-text': 'No text of a policy that they hold is known here.',
  'no-rule': 'No rule for this path alone lets it pass, in any one policy that they hold.',
};
