import type {
  AlsoChange,
  CredentialStep,
  GuardedSignIns,
  IdentifyingClaim,
  SettingValue,
} from '../access/reasons/also-change.ts';
import { type Order, orderOf } from '../access/sign-in/bound-order.ts';
import type { RoleLifeField, TuneLifeField } from '../access/sign-in/token-life.ts';
import { shortened } from '../graph/values/cut.ts';
import { formatDuration } from '../graph/values/duration.ts';
import { partName, plainName } from '../graph/values/visible.ts';
import { giverWords } from './giver-words.ts';
import { reasonWords } from './reason-words.ts';

type ChangeOf<Kind extends AlsoChange['kind']> = Extract<AlsoChange, { kind: Kind }>;

/** What changes in addition to policies, as a sentence without a full stop: `ttl goes from 1h to 24h`. */
export function alsoWords(change: AlsoChange): string {
  const say = words[change.kind] as (given: AlsoChange) => string;
  return say(change);
}

const words: { [Kind in AlsoChange['kind']]: (change: ChangeOf<Kind>) => string } = {
  setting: (change) => {
    const { before, after } = settingWords(change);
    return `${change.field}${change.of === 'tune' ? ' of the method' : ''} goes from ${before} to ${after}`;
  },
  'user-claim': ({ before, after }) =>
    `people are identified by ${claimWords(after)} instead of ${claimWords(before)}`,
  'claim-mapping': ({ target, before, after }) => {
    const from = (claims: string[]) =>
      claims.map((claim) => JSON.stringify(claim)).join(' or ') || 'no claim';
    return `metadata ${target} comes from ${from(after)} instead of ${from(before)}`;
  },
  'provider-metadata': ({ before, after }) => {
    const listed = (names: string[]) => names.join(', ') || 'nothing';
    return `metadata keeps ${listed(after)} of the provider’s tokens instead of ${listed(before)}`;
  },
  'groups-read': ({ claim, group, policies, isRead }) => {
    const read = isRead ? 'read' : 'no longer read';
    return `groups are ${read} from claim ${JSON.stringify(claim)}: ${partName('group', group)} gives ${policies.join(', ')}`;
  },
  'groups-unknown': ({ missing }) => reasonWords(missing),
  unguarded: ({ signIns }) => `it no longer asks ${signIns.map(guardedWords).join(', ')} for a second factor`,
  credential: ({ isNew, steps, opens }) => {
    const rules = opens.map(({ path, capabilities }) => `${capabilities.join(', ')} ${path}`);
    const opened = rules.length === 0 ? '' : `: ${isNew ? 'gains' : 'loses'} ${shortened(rules, mostRules)}`;
    return `${isNew ? '' : 'no longer '}${steps.map(stepWords).join(', ')}${opened}`;
  },
  'first-credential': ({ fields }) =>
    `their method gets ${fields.join(' and ')} for the first time: without it, it may have let no one in`,
  namespace: ({ namespace, path }) =>
    `administers the new ${partName('namespace', namespace)}: update ${path}`,
  denial: ({ isNew }) => (isNew ? 'it is new and denies access' : 'it denied access and is removed'),
  opacity: ({ isAfter }) => (isAfter ? 'what else it gives is not known' : 'what else it gave was not known'),
};

/** All kinds of changes in addition to policies. */
export const alsoKinds = Object.keys(words) as AlsoChange['kind'][];

function claimWords({ claim, isByName }: IdentifyingClaim): string {
  return `claim ${claim}${isByName ? ' (by its name)' : ''}`;
}

function guardedWords({ method, alias, named }: GuardedSignIns): string {
  const who = named && partName(named.kind, named.name);
  if (method === undefined) return named?.kind === 'group' ? `members of ${who}` : `${who}`;
  if (who === undefined || alias === undefined) return `who signs in at auth/${method}`;
  if (named?.kind === 'entity') return `${partName('alias', alias)} of ${plainName(method)} (${who})`;
  return `people in ${JSON.stringify(alias)} at auth/${method} (${who})`;
}

/** Rules of a token that a line names. */
const mostRules = 3;

/** `reads secret/shared/creds, which signs in as role deploy of approle` */
function stepWords({ does, path, signsInBy, isOfUnknownAuthority }: CredentialStep, at: number): string {
  const trusted = isOfUnknownAuthority ? ' if that trusts its CA' : '';
  const signsIn = signsInBy === undefined ? '' : `, which signs in as ${giverWords(signsInBy)}${trusted}`;
  const what = does === 'orders' ? 'certificates at ' : '';
  return `${at > 0 ? 'which ' : ''}${does} ${what}${path}${signsIn}`;
}

/** Both sides of a setting in words, without its name: `1h`, `10.0.0.0/8, 10.1.0.0/16`, `no limit`. */
export function settingWords(setting: ChangeOf<'setting'>): Record<'before' | 'after', string> {
  const { field, before, after } = setting;
  const areHidden = before !== undefined && 'hidden' in before && after !== undefined && 'hidden' in after;
  if (areHidden) return { before: 'one value', after: 'another' };
  return {
    before: before === undefined ? unsetWords(setting) : valueWords(field, before),
    after: after === undefined ? unsetWords(setting) : valueWords(field, after),
  };
}

/** Items of a list that a side names. */
const mostNamed = 10;

function valueWords(field: string, setting: SettingValue): string {
  if ('hidden' in setting) return 'set';
  const { value } = setting;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : shortened(value, mostNamed);
  return typeof value === 'number' && isTime.test(field) ? formatDuration(value) : String(value);
}

/** Fields whose numbers are seconds. */
const isTime = /(?:ttl|period|max_age|_exp|increment|not_before|not_after)$|Ttl$|Period$/;

/** What holds where a field is not set. */
function unsetWords({ of, field }: ChangeOf<'setting'>): string {
  if (of === 'role') return unsetOfRole[field as RoleLifeField] ?? 'not set';
  if (of === 'tune') return unsetOfTune[field as TuneLifeField] ?? 'not set';
  const order = orderOf(field);
  if (field.startsWith('tune.')) return servers;
  return order === undefined ? 'not set' : unsetByOrder[order];
}

const inherited = 'the method’s value';
const servers = 'the service’s default';

const unsetOfRole: Record<RoleLifeField, string> = {
  ttl: inherited,
  tokenMaxTtl: inherited,
  tokenExplicitMaxTtl: 'no end',
  tokenPeriod: 'none',
  tokenNumUses: 'any number',
  tokenType: inherited,
};

const unsetOfTune: Record<TuneLifeField, string> = {
  defaultLeaseTtl: servers,
  maxLeaseTtl: servers,
  tokenType: 'default-service',
};

const unsetByOrder: Record<Order, string> = {
  'in one of': 'any',
  'any of': 'any',
  'one of': 'none',
  'all of': 'none',
  'none of': 'none',
  limit: 'no limit',
  amount: inherited,
  'if set': 'any',
  'asked if true': 'false',
  'given if true': 'false',
  'asked unless false': 'true',
  'given unless false': 'true',
  'TLS version': 'tls12',
  another: 'not set',
  each: 'none',
  same: 'not set',
};
