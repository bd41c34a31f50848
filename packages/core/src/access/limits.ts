import { isAmong, matchesGlob, needsWrapping, type Rule } from '../graph/policies/acl.ts';
import type { HclValue } from '../graph/policies/hcl.ts';
import { textsOf } from '../graph/values/loose-values.ts';

/** What a rule limits in addition to its capabilities. */
export type Limits = Omit<Rule, 'path' | 'capabilities'>;
type Parameters = Record<string, HclValue[]>;

/** Capabilities whose requests have parameters, those of a read in its query; the others are limited by wrapping alone. */
export const withParameters: readonly string[] = ['create', 'read', 'update', 'patch'];

/**
 * The limit, by its attribute, that lets through a request with one of these capabilities which it did not before.
 * Undefined where every request that passes the limits of `after` passes those of `before`.
 */
export function loosened(before: Limits, after: Limits, capabilities: readonly string[]): string | undefined {
  if (before === after || !capabilities.some(isLimited)) return undefined;
  const asking = capabilities.filter((one) => withParameters.includes(one));
  if (asking.length > 0) {
    if (needsLess(before, after)) return 'required_parameters';
    const freed = freedParameter(before, after, asking.every(isQuery));
    if (freed !== undefined) return freed;
  }
  if (needsWrapping(before) && !wrapsWithin(before, after)) return 'wrapping';
  if (getsMore(before, after)) return 'subscribe_event_types';
  // A limit that is compared as text only may be looser and tighter at once, also where a new one may give access.
  const isOther = before.otherLimits !== undefined && before.otherLimits !== after.otherLimits;
  if (isOther || before.mayGive !== after.mayGive) return 'other limits';
  return undefined;
}

function needsLess(before: Limits, after: Limits): boolean {
  return before.requiredParameters?.some((name) => !after.requiredParameters?.includes(name)) === true;
}

/** Whether subscriptions get types of events that they did not get. */
function getsMore({ eventTypes: before = [] }: Limits, { eventTypes: after = [] }: Limits): boolean {
  return after.some((one) => !before.some((other) => other === one || matchesGlob(other, one)));
}

/** `sudo` comes in addition to what is asked: limits are on that. */
const isLimited = (capability: string) => capability !== 'sudo';

/** A query has texts only. */
const isQuery = (capability: string) => capability === 'read';

/**
 * Which limit refused a parameter that passes now. Each parameter of a request is looked at by itself, so it is enough
 * to try every name that is limited and one that is not, with a value of each kind that the lists can tell apart.
 */
function freedParameter(before: Limits, after: Limits, isText: boolean): string | undefined {
  const lists = [before, after].flatMap((limits) => [
    limits.allowedParameters ?? {},
    limits.deniedParameters ?? {},
  ]);
  for (const name of new Set([...lists.flatMap(Object.keys), 'any other'])) {
    const noLongerDenied = noLongerIn(name, before.deniedParameters, after.deniedParameters);
    const allowed = textsIn(name, after.allowedParameters);
    // Too many to try: what is denied no more counts as let through.
    if (noLongerDenied.length * allowed.length > mostPairs) return 'denied_parameters';
    const values = [...candidates(valuesOf(name, lists)), ...matchedByPairs(noLongerDenied, allowed)];
    for (const value of values) {
      if (isText && typeof value !== 'string') continue;
      if (refusing(after, name, value) !== undefined) continue;
      const refused = refusing(before, name, value);
      if (refused !== undefined) return refused;
    }
  }
  return undefined;
}

/** Texts that a list has for a parameter, and another list does not. */
function noLongerIn(name: string, before?: Parameters, after?: Parameters): string[] {
  const kept = new Set(textsIn(name, after));
  return textsIn(name, before).filter((text) => !kept.has(text));
}

/** All values that lists have for a parameter. */
function valuesOf(name: string, lists: Parameters[]): HclValue[] {
  return lists.flatMap((list) => (Object.hasOwn(list, name) ? (list[name] ?? []) : []));
}

/** The limit that refuses a parameter. */
function refusing(limits: Limits, name: string, value: unknown): string | undefined {
  const { allowedParameters: allowed = {}, deniedParameters: denied = {} } = limits;
  if (Object.hasOwn(denied, '*')) return 'denied_parameters';
  if (Object.hasOwn(denied, name) && isAmong(value, denied[name])) return 'denied_parameters';
  if (Object.keys(allowed).length === 0) return undefined;
  const passes = Object.hasOwn(allowed, name) ? isAmong(value, allowed[name]) : Object.hasOwn(allowed, '*');
  return passes ? undefined : 'allowed_parameters';
}

/** Stands for any letters that no list has. */
const fresh = '\u{f8ff}';
/** Pairs of values of one parameter that are tried; people list a handful. */
const mostPairs = 10_000;

/**
 * A value of each kind that lists of values tell apart: of each text with a `*`, one that matches it and as few others as can be;
 * any other text; each other value; and something that no list has.
 */
function candidates(values: HclValue[]): unknown[] {
  const shown = [...new Set(textsOf(values))].flatMap((text) => matchedByBoth(text, text));
  return [fresh, '', ...shown, ...values.filter((value) => typeof value !== 'string'), true, false, {}];
}

/**
 * What was denied by one text and is allowed by another, and matches as few others as can be. Where only one list decides, a
 * text that matches one of its own alone shows as much.
 */
function matchedByPairs(denied: readonly string[], allowed: readonly string[]): string[] {
  return denied.flatMap((one) => allowed.flatMap((other) => matchedByBoth(one, other)));
}

/** The texts that a list has for a parameter, each once. */
function textsIn(name: string, list: Parameters = {}): string[] {
  return [...new Set(textsOf(valuesOf(name, [list])))];
}

/** A text that two values match, with other letters wherever both leave it open; none where they cannot. */
function matchedByBoth(one: string, other: string): string[] {
  const [a, b] = [parts(one), parts(other)];
  const start = longer(a.start, b.start, (long, short) => long.startsWith(short));
  const end = longer(a.end, b.end, (long, short) => long.endsWith(short));
  const whole = [one, other].find((text) => text === '*' || !/^\*|\*$/.test(text));
  const texts = whole === undefined ? [[start, a.middle, b.middle, end].join(fresh)] : [whole];
  return start === undefined || end === undefined
    ? []
    : texts.filter((text) => matchesGlob(one, text) && matchesGlob(other, text));
}

/** `ab*` starts so, `*ab` ends so, `*ab*` has it within. */
function parts(value: string): { start: string; middle: string; end: string } {
  const [isStart, isEnd] = [value.endsWith('*'), value.startsWith('*')];
  const text = value.replace(/^\*|\*$/g, '');
  return {
    start: isStart && !isEnd ? text : '',
    middle: isStart && isEnd ? text : '',
    end: isEnd && !isStart ? text : '',
  };
}

function longer(one: string, other: string, holds: (long: string, short: string) => boolean) {
  const [long, short] = one.length < other.length ? [other, one] : [one, other];
  return holds(long, short) ? long : undefined;
}

/**
 * Whether some rule of another policy on the same pattern makes the limits looser than they were together with it. Servers
 * unite the limits of one pattern: names that are allowed add up, and the lesser minimum counts, so a limit that
 * comes may let through what another one kept out (docs/inside/access.md).
 */
export function mayLoosen(before: Limits = {}, after: Limits = {}): boolean {
  return (
    needsLess(before, after) ||
    !deniesAll(after.deniedParameters ?? {}, before.deniedParameters ?? {}) ||
    !allowsAllUnited(before.allowedParameters ?? {}, after.allowedParameters ?? {}) ||
    !wrapsWithinUnited(before, after) ||
    getsMore(before, after) ||
    before.otherLimits !== after.otherLimits
  );
}

/** Whether any request with a capability passes the limits: a parameter that is needed may be one that is refused. */
export function isPassable(limits: Limits, capability: string): boolean {
  const { requiredParameters = [], deniedParameters = {}, allowedParameters = {} } = limits;
  if (!isLimited(capability)) return true;
  if ((limits.minWrapping ?? 0) > (limits.maxWrapping ?? Infinity)) return false;
  if (!withParameters.includes(capability)) return true;
  return requiredParameters.every((name) =>
    candidates(valuesOf(name, [deniedParameters, allowedParameters])).some(
      (value) =>
        (typeof value === 'string' || !isQuery(capability)) && refusing(limits, name, value) === undefined,
    ),
  );
}

/** What a rule limits in addition to its capabilities: the attributes' names. */
export function limitsOf(rule: Limits): string[] {
  const isSet = (value: object | undefined) => value !== undefined && Object.keys(value).length > 0;
  return [
    ...(isSet(rule.requiredParameters) ? ['required_parameters'] : []),
    ...(isSet(rule.deniedParameters) ? ['denied_parameters'] : []),
    ...(isSet(rule.allowedParameters) ? ['allowed_parameters'] : []),
    ...(needsWrapping(rule) ? ['wrapping'] : []),
    ...(rule.eventTypes === undefined ? [] : ['subscribe_event_types']),
    ...(rule.expires === undefined ? [] : ['expiration']),
    ...(rule.otherLimits === undefined ? [] : ['other limits']),
  ];
}

/** Whether the times of one are all within those of the other. */
function wrapsWithin(before: Limits, after: Limits): boolean {
  const { minWrapping: least = 0, maxWrapping: most = Infinity } = before;
  const { minWrapping: from = 0, maxWrapping: to = Infinity } = after;
  return needsWrapping(after) && (from > to || (from >= least && to <= most));
}

/** The same for any third rule: the lesser of two minimums counts, and the lesser of two maximums. */
function wrapsWithinUnited(before: Limits, after: Limits): boolean {
  const isMaxKept = before.maxWrapping === undefined || (after.maxWrapping ?? Infinity) <= before.maxWrapping;
  const isMinKept = (before.minWrapping === undefined) === (after.minWrapping === undefined);
  return isMaxKept && isMinKept && (after.minWrapping ?? 0) >= (before.minWrapping ?? 0);
}

/** Whether one denies every request that the other denies. */
function deniesAll(wide: Parameters, narrow: Parameters): boolean {
  return Object.hasOwn(wide, '*') || listsAll(wide, narrow);
}

/** Whether one has every name of another, with all of its values. */
function listsAll(wide: Parameters, narrow: Parameters): boolean {
  return Object.entries(narrow).every(
    ([name, values]) => Object.hasOwn(wide, name) && holdsAll(wide[name] ?? [], values),
  );
}

/** Whether one allows every request that the other allows, united with any third list. */
function allowsAllUnited(wide: Parameters, narrow: Parameters): boolean {
  const [isOpen, wasOpen] = [narrow, wide].map((given) => Object.keys(given).length === 0);
  // A third list limits what had no list, and adds to one that there is.
  if (isOpen || wasOpen) return isOpen === wasOpen;
  // A third `*` takes every value of what is no longer named.
  const isNamed = (name: string) => name === '*' || Object.hasOwn(narrow, name) || wide[name]?.length === 0;
  return listsAll(wide, narrow) && Object.keys(wide).every(isNamed);
}

/** Whether a list of values has all of another; an empty one stands for every value. */
function holdsAll(wide: HclValue[], narrow: HclValue[]): boolean {
  if (wide.length === 0) return true;
  return narrow.length > 0 && narrow.every((value) => isWithinOne(value, wide));
}

/**
 * A `*` at an end stands for any text, so one text with letters in its place that no other value has shows whether
 * another value takes all of them.
 */
function isWithinOne(value: HclValue, list: HclValue[]): boolean {
  // A number of a policy equals none of a request.
  if (typeof value === 'number') return true;
  if (typeof value !== 'string' || value === '*')
    return list.some((one) => JSON.stringify(one) === JSON.stringify(value));
  const shown = value.replace(/^\*|\*$/g, fresh);
  return list.some((one) => typeof one === 'string' && (one === value || matchesGlob(one, shown)));
}
