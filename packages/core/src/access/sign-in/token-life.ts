import type { AuthMethod, configFields, tuneFields } from '../../graph/resources/auth-method.ts';
import { isSame, type NamesBearing } from '../../graph/resources/field.ts';
import type { Role, roleFields } from '../../graph/resources/role.ts';
import { defined } from '../../graph/values/loose-values.ts';
import type { SettingValue } from '../reasons/also-change.ts';
import { tokenTypeOf } from './token-limits.ts';

/** What becomes of how long tokens live and how often they can be used, which no request tells. `longer` of any is that of all. */
export const Life = { longer: 'longer', unknown: 'unknown', shorter: 'shorter', same: 'same' } as const;
export type Life = (typeof Life)[keyof typeof Life];

/** The answer for all of them together: the gravest. */
export function longest(lives: readonly Life[]): Life {
  return Object.values(Life).find((one) => lives.includes(one)) ?? 'same';
}

/** Whether tokens may last longer: what is not known counts. */
export function mayLastLonger(life: Life): boolean {
  return life === 'longer' || life === 'unknown';
}

/** A changed field that makes tokens live longer or be worth more, or the other way round. */
export interface LifeChange {
  /** Worth more in one respect, and less in another, is `longer`. */
  life: Life;
  /** Of the role, or of the tuning of its method. */
  of: 'role' | 'tune';
  field: string;
  before?: SettingValue;
  after?: SettingValue;
}

/** A role, and the method that it leaves things to. */
export interface Lived {
  role: Role;
  method?: AuthMethod | undefined;
}

/** What a configuration has none of: one that is added there must be handled here. */
const ofConfig: Record<NamesBearing<typeof configFields, 'lifetime'>, never> = {};

/** Fields that bear on how long tokens live, or how often they can be used: one that is not here does not compile. */
const ofRole = {
  ttl: true,
  tokenMaxTtl: true,
  tokenExplicitMaxTtl: true,
  tokenPeriod: true,
  tokenNumUses: true,
  tokenType: true,
} as const satisfies Record<NamesBearing<typeof roleFields, 'lifetime'> | 'tokenNumUses' | 'tokenType', true>;
const ofTune = {
  defaultLeaseTtl: true,
  maxLeaseTtl: true,
  tokenType: true,
} as const satisfies Record<NamesBearing<typeof tuneFields, 'lifetime'> | 'tokenType', true>;
/** A field of a role, or of the tuning of its method, that bears on the life of tokens. */
export type RoleLifeField = keyof typeof ofRole;
export type TuneLifeField = keyof typeof ofTune;

/** Seconds that tokens live, and can be renewed for, where nothing is set: a service’s own, unless it is started with others. */
const servicesOwn = 768 * 3_600;

/**
 * What of a role's, or its mount's, change makes tokens live longer or be worth more, or shorter: only fields that have
 * an effect. A mount's time counts where the role leaves it to the mount, or is cut off by it.
 */
export function lifeChanges(before: Lived, after: Lived): LifeChange[] {
  const [was, is] = [settingsOf(before), settingsOf(after)];
  return [...named('role', ofRole), ...named('tune', ofTune)].flatMap(({ of, field }): LifeChange[] => {
    const [old, now] = [was[of][field], is[of][field]];
    if (isSame(old, now)) return [];
    const only = (settings: Settings, value: unknown) => ({
      ...settings,
      [of]: { ...settings[of], [field]: value },
    });
    // What it does alone, and what it does last: two limits that rise together do so only then.
    const life = longest([...worths(was, only(was, now)), ...worths(only(is, old), is)]);
    const sides = defined({ before: settingOf(old), after: settingOf(now) });
    return life === 'same' ? [] : [{ life, of, field, ...sides }];
  });
}

/** Values by name, as a plan may have them: a number that is hidden is a text. */
type Settings = Record<'role' | 'tune', Record<string, unknown>>;

function settingsOf({ role, method }: Lived): Settings {
  return { role: { ...role }, tune: { ...method?.tune, ...ofConfig } };
}

function named(of: keyof Settings, table: Record<string, true>) {
  return Object.keys(table).map((field) => ({ of, field }));
}

/** Whether tokens are worth more, in every respect in which their worth is another. */
function worths(before: Settings, after: Settings): Life[] {
  const was = worthOf(before);
  return worthOf(after).flatMap((value, at) => {
    const old = was[at] ?? 0;
    if (value === old) return [];
    if (typeof value === 'string' || typeof old === 'string') return 'unknown';
    return value > old ? 'longer' : 'shorter';
  });
}

/** Everything that a token can be worth more by: a number each, or a text where that depends on what is not known. */
function worthOf({ role, tune }: Settings): (number | string)[] {
  const {
    tokenPeriod,
    ttl,
    tokenMaxTtl,
    tokenExplicitMaxTtl,
    tokenNumUses,
    tokenType,
    ...ofRoleUnread
  }: Partial<Record<RoleLifeField, unknown>> = role;
  const {
    defaultLeaseTtl,
    maxLeaseTtl,
    tokenType: mountsTokenType,
    ...ofTuneUnread
  }: Partial<Record<TuneLifeField, unknown>> = tune;
  // A field that is worth something and is not read here does not compile.
  ofRoleUnread satisfies Record<string, never>;
  ofTuneUnread satisfies Record<string, never>;
  const times = [tokenPeriod, ttl, tokenMaxTtl, tokenExplicitMaxTtl, defaultLeaseTtl, maxLeaseTtl];
  const [period = 0, ownTtl = 0, ownMax = 0, end = 0, mountsTtl = 0, mountsMax = 0] = times.map(numberOf);
  const most = Math.min(ownMax || Infinity, mountsMax || servicesOwn);
  const first = period || Math.min(ownTtl || mountsTtl || servicesOwn, most);
  const isBatch = tokenTypeOf(tokenType, mountsTokenType) === 'batch';
  return [
    // Until it must be renewed; while it is renewed again and again. A batch token never is.
    known(Math.min(first, end || Infinity), times),
    known(Math.min(isBatch ? first : period ? Infinity : most, end || Infinity), times),
    // It cannot be revoked, and its uses are not counted.
    isBatch ? 1 : 0,
    isBatch ? Infinity : known(numberOf(tokenNumUses) || Infinity, [tokenNumUses]),
  ];
}

/** A worth, or the values that it follows from where one of them is not a number. */
function known(worth: number, given: unknown[]): number | string {
  const isStrange = given.some((value) => value !== undefined && typeof value !== 'number');
  return isStrange ? JSON.stringify(given) : worth;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** Undefined where it is not set. */
function settingOf(value: unknown): SettingValue | undefined {
  if (value === undefined || value === 0 || value === '') return undefined;
  return { value: typeof value === 'number' ? value : String(value) };
}
