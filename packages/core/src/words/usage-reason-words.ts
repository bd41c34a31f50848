import { partName } from '../graph/values/visible.ts';
import type { UnknownPolicies, UsageReason } from '../usage/usage-reason.ts';
import { signInDoubtWords } from './sign-in-doubt-words.ts';

type UsageReasonOf<Kind extends UsageReason['kind']> = Extract<UsageReason, { kind: Kind }>;

/** What is not known of requests of a log, as part of a sentence: `whether they are in group admins`. */
export function usageReasonWords(reason: UsageReason): string {
  const say = words[reason.kind] as (reason: UsageReason) => string;
  return say(reason);
}

const policiesWords: Record<UnknownPolicies, string> = {
  elsewhere: 'policies of other namespaces',
  'left-out': 'policies that the log leaves out',
};

const words: { [Kind in UsageReason['kind']]: (reason: UsageReasonOf<Kind>) => string } = {
  'token-policies': ({ which }) => policiesWords[which],
  'policies-of-token': ({ which }) => `${policiesWords[which]}, which the token has`,
  'policies-of-namespace': ({ namespace }) => {
    const of = namespace === '' ? 'the root namespace' : `namespace ${JSON.stringify(namespace)}`;
    return `the policies of ${of}, which this stack is not of`;
  },
  'held-policies': () => 'which policies they have',
  'in-group': ({ group }) => `whether they are in group ${group}`,
  entity: () => 'which entity they are',
  'given-by': ({ name }) => `whether they have what ${name} gives`,
  'given-elsewhere': ({ policy }) => `whether a group elsewhere gives policy ${policy}`,
  'sign-in': ({ doubt }) => signInDoubtWords(doubt),
  'capability-needed': ({ operation }) => `which capability ${operation} needs`,
  'policy-text': ({ policy }) => `what ${partName('policy', policy)} allows`,
  'expiring-rule': () => 'a rule that expires',
  template: () => 'what fills a template of a policy',
  sudo: () => 'whether the path needs sudo',
  'other-limit': () => 'a limit of another server',
  'hashed-value': () => 'a hashed value that a policy limits',
  'deciding-rule': () => 'which of its rules decides',
  'damaged-line': () => 'what a damaged line of the log used',
  'arrived-mount': () => 'who uses a mount that came from another namespace',
};
