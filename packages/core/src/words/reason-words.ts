import type { EdgeNode, LimitName, OpenEdge, Reason } from '../access/reasons/reason.ts';
import { subjectName } from '../graph/subject.ts';
import type { Compared } from '../graph/values/budget.ts';
import { partName } from '../graph/values/visible.ts';
import { respectWords } from './condition-words.ts';
import { giverWords, promisedWords } from './giver-words.ts';
import { unmodeledWords } from './unmodeled-words.ts';

type ReasonOf<Kind extends Reason['kind']> = Extract<Reason, { kind: Kind }>;

/** What a reason says, as part of a sentence: `what policy ops allows (its text is missing or unreadable)`. */
export function reasonWords(reason: Reason): string {
  const say = words[reason.kind] as (given: Reason) => string;
  return say(reason);
}

const words: { [Kind in Reason['kind']]: (reason: ReasonOf<Kind>) => string } = {
  budget: budgetWords,
  'text-missing': ({ policies, who }) => {
    const names = policies.map((name) => partName('policy', name)).join(' and ');
    const whose = who === undefined ? '' : ` of ${promisedWords(who)}`;
    return `what ${names}${whose} allows (its text is missing or unreadable)`;
  },
  'united-parameters': () => 'which fields may be written with the policies of more than two groups together',
  'denial-gone': ({ by, pattern }) => {
    const who = by.kind === 'policy' ? giverWords(by) : `the principals of ${giverWords(by)}`;
    return `what else ${who} hold: a denial on ${JSON.stringify(pattern)} goes`;
  },
  'other-principals': ({ policy }) => giverWords({ kind: 'policy', name: policy }),
  'other-grants': ({ by, lifted }) =>
    `other grants of ${giverWords(by)}${lifted === undefined ? '' : `: ${liftedWords[lifted]}`}`,
  'token-picks': ({ by: { from, policy } }) =>
    `whether tokens are made by ${giverWords(from)} with ${partName('policy', policy)} alone`,
  'hidden-field': ({ subject }) => `${subject.field ?? 'what becomes'} of ${subjectName(subject)}`,
  'open-end': ({ edge, node }) => openEndWords[edge](nodeWords(node)),
  'filled-in': ({ policy, by, what }) =>
    `what ${partName('policy', policy)} allows, which ${what === undefined ? '' : `the ${what} of `}${nodeWords(by)} fills in`,
  opaque: ({ name, asks }) => `what ${name} ${{ effect: 'does', grants: 'grants' }[asks]}`,
  'groups-of-claim': ({ claim, method }) =>
    `which groups claim ${JSON.stringify(claim)} maps to (no alias of auth/${method} is declared here)`,
  unordered: ({ about }) => respectWords(about),
  'claim-too-deep': ({ claim, names }) => `what is in claim ${claim}, ${names} names deep`,
  'claim-is-time': ({ claim }) => `what claim ${claim}, a time, may be`,
  'claim-is-list': ({ claim }) => `what claim ${claim} holds, as a list and at a position of it`,
  'unreadable-addresses': ({ range }) => `source addresses ${JSON.stringify(range)}`,
  'same-people': ({ who, capability, path }) =>
    `whether they are also ${promisedWords(who)}, who can ${capability} ${JSON.stringify(path)}`,
  'limits-met': ({ who, pattern, limits }) =>
    `whether ${promisedWords(who)} can meet the limits of ${JSON.stringify(pattern)}: ${limits.join(', ')}`,
  'sign-in-unknown': ({ who }) => `a sign-in that lets ${promisedWords(who)} in`,
  unmodeled: ({ effect }) => unmodeledWords(effect),
  'not-read': ({ what }) => what,
  'resources-not-read': ({ type, count }) =>
    `${count} ${count === 1 ? 'resource' : 'resources'} of type ${type}`,
  'plan-incomplete': ({ why }) => `This plan was not checked in full. ${why.replace(/\.$/, '')}`,
  'state-before-unknown': () => 'what was before',
};

/** All kinds of reasons. */
export const reasonKinds = Object.keys(words) as Reason['kind'][];

const comparedWords: Record<Compared, string> = {
  paths: 'paths',
  combinations: 'combinations of roles and groups',
  instants: 'instants',
  fillings: 'ways to fill in templates',
  bounds: 'bounds on claims',
  patterns: 'patterns',
};

function budgetWords({ of, claim, isOfAll }: ReasonOf<'budget'>): string {
  const what = `${comparedWords[of]}${claim === undefined ? '' : ` of claim ${claim}`}`;
  return `${isOfAll ? 'every path: ' : ''}there are more ${what} than can be compared`;
}

/** What becomes of tokens that lose a limit. */
const liftedWords: Record<LimitName, string> = {
  uses: 'their uses are not limited and they may make tokens',
  batch: 'they are no batch tokens and may make tokens',
};

const openEndWords: Record<OpenEdge, (node: string) => string> = {
  aliases: (node) => `entities and groups elsewhere with an alias of ${node}`,
  'group-aliases': (node) => `other groups with an alias of ${node}`,
  'former-entity': (node) => `the entity that principals of ${node} are known as`,
  former: (node) => `what ${node} had before`,
  identity: (node) => `groups, policies and second factors elsewhere of ${node}`,
  name: (node) => `policies elsewhere that read the name of ${node}`,
  metadata: (node) => `policies elsewhere that read the metadata of ${node}`,
  'name-and-metadata': (node) => `policies elsewhere that read the name or metadata of ${node}`,
  'made-again': (node) => `what others make again at ${node}, which is replaced`,
};

export function nodeWords({ kind, name }: EdgeNode): string {
  if (kind === 'method') return `auth/${name}`;
  return kind === 'other' ? name : partName(kind, name);
}
