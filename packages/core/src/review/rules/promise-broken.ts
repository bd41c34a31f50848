import { type PromiseAnswer, Promises } from '../../access/questions/promise.ts';
import type { Graph } from '../../graph/graph.ts';
import { promiseText } from '../../graph/promise-settings.ts';
import { partName, plainName } from '../../graph/values/visible.ts';
import { promisedWords } from '../../words/giver-words.ts';
import { reasonWords } from '../../words/reason-words.ts';
import type { GraphRule } from './rule.ts';
import type { RuleOptions } from './rule-options.ts';

/** The rule about promises. */
export const promiseBroken: GraphRule = {
  id: 'promise-broken',
  severity: 'error',
  about: 'A promise of the environment that is broken or cannot be checked.',
  check: (graph, { promises = [], now = 0n, unseen = [] }) => {
    if (promises.length === 0) return [];
    const judge = new Promises(graph, now, unseen.map(notReadOf));
    return promises.flatMap((promise) => {
      const decision = judge.decide(promise);
      if (decision.answer === 'kept') return [];
      const subject = { type: 'promise' as const, name: promiseText(promise) };
      const because = `Promised because: ${promise.because.replace(/[.\s]+$/, '')}.`;
      if (decision.answer === 'broken') {
        return { subject, message: `The promise is broken: ${shown(decision)} ${because}`, fix };
      }
      return {
        subject,
        message: `The promise could not be checked. Unknown: ${reasonWords(decision.missing)}. ${because}`,
        fix: 'Declare what is missing, or let Gatehouse read it.',
      };
    });
  },
};

/** The names of promises that a graph breaks for certain. */
export function brokenPromises(
  graph: Graph,
  { promises = [], now = 0n, unseen = [] }: RuleOptions,
): ReadonlySet<string> {
  const judge = new Promises(graph, now, unseen.map(notReadOf));
  return new Set(promises.filter((promise) => judge.decide(promise).answer === 'broken').map(promiseText));
}

const notReadOf = (what: string) => ({ kind: 'not-read', what }) as const;

const fix = 'Remove the access or restore it, or change the promise if it no longer applies.';

/** Who shows it, where, by what, and with which sign-in. */
function shown({ witness }: PromiseAnswer & { answer: 'broken' }): string {
  const { path, capability, pattern, policies = [], signIn } = witness;
  const who = promisedWords(witness.who);
  const place = JSON.stringify(path);
  if (pattern === undefined) return `${who} cannot ${capability} ${place}.`;
  const claims =
    signIn &&
    ` Example: a sign-in with ${partName('role', signIn.role)} and claims ${JSON.stringify(signIn.token.claims)}.`;
  const named = policies.map(plainName).join(', ');
  return `${who} can ${capability} ${place}, by policy ${named} (${JSON.stringify(pattern)}).${claims ?? ''}`;
}
