import type { MemberName, MemberWord, Respect, RespectName } from '../access/reasons/respect.ts';
import type { Demand } from '../access/sign-in/claim-demands.ts';
import type { Condition } from '../access/sign-in/conditions.ts';
import {
  boundsOf,
  type Population,
  type ProviderWhom,
  type Widening,
  type Witness,
} from '../access/sign-in/population.ts';
import { formatDuration } from '../graph/values/duration.ts';
import { isHiddenText } from '../graph/values/hidden-text.ts';
import { plainName } from '../graph/values/visible.ts';

/** What a condition looks at: `claim sub`, `source address`. */
export function respectWords(respect: Respect): string {
  if (respect.of === 'claim') return `claim ${plainName(respect.claim)}`;
  return respect.of === 'method' ? `configuration of method ${respect.method}` : respects[respect.of];
}

const respects: Record<RespectName, string> = {
  audience: 'audience',
  'several-audiences': 'several audiences',
  issuer: 'issuer',
  client: 'client',
  'sign-in': 'sign-in',
  'source-address': 'source address',
  'token-address': 'address that a token works from',
  'requested-scope': 'requested scope',
  'redirect-uri': 'redirect URI',
  'callback-mode': 'callbackMode',
  confirmation: 'confirmation',
  policies: 'policies',
  'password-age': 'time since the person entered a password',
  expirationLeeway: 'expirationLeeway',
  notBeforeLeeway: 'notBeforeLeeway',
  clockSkewLeeway: 'clockSkewLeeway',
  'signing-keys': 'signing keys',
  'signing-algorithm': 'signing algorithm',
  'certificate-name': 'name in the provider’s certificate',
  'provider-config': 'providerConfig',
  'group-source': 'source of groups',
  'group-depth': 'depth of groups in groups',
};

/** One of the things that a condition takes: `"a"`, `keys of https://ci.example`. */
function memberWords(member: MemberName): string {
  if ('text' in member) return JSON.stringify(member.text);
  if ('plain' in member) return member.plain;
  if ('publicKey' in member) return `public key ${member.publicKey}`;
  if ('directoryOf' in member) return `the directory that ${member.directoryOf} may read`;
  if ('is' in member) return memberNames[member.is];
  return `keys of ${member.keysOf}${member.ca === undefined ? '' : ` by CA certificate ${member.ca}`}`;
}

const memberNames: Record<MemberWord, string> = {
  'by-token': 'by token',
  'by-browser': 'by browser',
  asked: 'asked for',
  'left-out': 'left out',
  'same-address': 'where it signed in',
  'other-address': 'another',
  own: 'its own',
  token: 'the token',
  'cloud-directory': 'the cloud directory',
};

/** What a condition asks for, without what it looks at: `"a" or "b"`; empty where any value will do. */
export function conditionWords({ about, accepts }: Condition): string {
  switch (accepts.kind) {
    case 'members':
      return accepts.members.map(({ shown }) => memberWords(shown)).join(' or ');
    case 'addresses':
      return accepts.cidrs.join(' or ');
    case 'claim':
      return about.of === 'policies' ? 'some that no sign-in gives' : demandWords(accepts.demand);
    case 'up to':
      if (about.of === 'group-depth') return `${accepts.most}`;
      return accepts.most === 'unlimited' ? 'any' : formatDuration(accepts.most);
    case 'exactly':
      return JSON.stringify(accepts.value);
  }
}

function demandWords(demand: Demand): string {
  if (demand.asks === 'equal') return quoted([demand.text]);
  if (demand.asks === 'one of several') return `with ${quoted([demand.text])}`;
  if (demand.asks === 'one of') return boundValues(demand.bound, demand.isGlob);
  return demand.asks === 'no values' ? 'none' : '';
}

/** The values of a bound claim that a token can have: `like "a*" or "b"`. */
export function boundValues(bound: readonly unknown[], isGlob: boolean): string {
  const firstOther = isGlob ? bound.findIndex((value) => typeof value !== 'string') : -1;
  // Among patterns, what is no text refuses a token that is compared with it.
  const compared = firstOther < 0 ? bound : bound.slice(0, firstOther);
  const values = compared.filter((value) =>
    typeof value === 'number' ? Number.isSafeInteger(value) : typeof value !== 'object',
  );
  if (values.length === 0) return 'without a possible value';
  const isPattern = isGlob && values.some((value) => String(value).includes('*'));
  return `${isPattern ? 'like ' : ''}${quoted(values)}`;
}

export function quoted(values: readonly unknown[]): string {
  // A placeholder for a hidden value is no value.
  const shown = (value: unknown) => (isHiddenText(value) ? value : JSON.stringify(value));
  return values.map(shown).join(' or ');
}

/** All that is bound: `claim sub "x", audience "y"`; empty for all whom the provider lets in. */
export function boundsWords(bounds: readonly Condition[]): string {
  return bounds.map((bound) => `${respectWords(bound.about)} ${conditionWords(bound)}`).join(', ');
}

/** Who is let in, in the words of the provider: `any ref of repository 42, audience "y"`. */
export function whomWords({ provider, bounds }: ProviderWhom): string {
  return [provider, ...(bounds.length === 0 ? [] : [boundsWords(bounds)])].join(', ');
}

/** Who is let in, in the words of the provider where it has some; empty for all whom it lets in. */
export function populationWords(population: Population): string {
  return population.whom === undefined ? boundsWords(boundsOf(population)) : whomWords(population.whom);
}

/** Why others are let in than before: `claim sub need not be "x"`. */
export function wideningWords(widening: Widening): string {
  switch (widening.kind) {
    case 'dropped': {
      const { condition } = widening;
      return `${respectWords(condition.about)} need not be ${conditionWords(condition) || 'there'}`;
    }
    case 'value':
      return `${respectWords(widening.about)} may be ${quoted([widening.value])}`;
    case 'member': {
      const { about, member } = widening;
      if (about.of === 'sign-in') return `sign-in ${memberWords(member)}`;
      if (about.of === 'signing-keys') return `tokens may be signed by ${memberWords(member)}`;
      return `${respectWords(about)} may be ${memberWords(member)}`;
    }
    case 'more': {
      const { before, after } = widening;
      return `${respectWords(before.about)} may be ${conditionWords(after)}, not only ${conditionWords(before)}`;
    }
    case 'address':
      return `source address may be ${widening.address}`;
  }
}

/** Whose keys sign a token: `keys of https://ci.example, by algorithm "ES256"`. */
export function signerWords({ keys, algorithm }: NonNullable<Witness['signedBy']>): string {
  const by = keys === undefined ? 'a key' : memberWords(keys);
  return algorithm === undefined ? by : `${by}, by algorithm ${JSON.stringify(algorithm)}`;
}
