import { matchesGlob, needsWrapping, type Rule } from '../model/policies/acl.ts';
import type { HclValue } from '../model/policies/hcl.ts';

/** What a rule limits in addition to its capabilities. */
export type Limits = Omit<Rule, 'path' | 'capabilities'>;

/** Capabilities whose requests have parameters; the others are limited by wrapping alone. */
const withParameters = ['create', 'read', 'update', 'patch'];

/**
 * The limit, by its attribute, that lets through a request with one of these capabilities which it did not before.
 * Undefined where every request that passes the limits of `after` passes those of `before`.
 */
export function loosened(before: Limits, after: Limits, capabilities: readonly string[]): string | undefined {
  if (before === after || capabilities.length === 0) return undefined;
  if (capabilities.some((one) => withParameters.includes(one))) {
    const parameters = loosenedParameters(before, after);
    if (parameters !== undefined) return parameters;
    if (!allowsAll(before.allowedParameters ?? {}, after.allowedParameters ?? {}))
      return 'allowed_parameters';
  }
  if (needsWrapping(before) && !wrapsWithin(before, after)) return 'wrapping';
  // What is only compared as text may be looser and tighter at once.
  if (before.otherLimits !== undefined && before.otherLimits !== after.otherLimits) return 'other limits';
  return undefined;
}

/**
 * Whether some rule of another policy on the same pattern makes the limits looser than they were together with it. Servers
 * unite the limits of one pattern: names that are allowed add up, and the lesser minimum counts, so a limit that
 * comes may let through what another one kept out (docs/access.md).
 */
export function mayLoosen(before: Limits = {}, after: Limits = {}): boolean {
  return (
    loosenedParameters(before, after) !== undefined ||
    !allowsAllUnited(before.allowedParameters ?? {}, after.allowedParameters ?? {}) ||
    !wrapsWithinUnited(before, after) ||
    before.otherLimits !== after.otherLimits
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
    ...(rule.expires === undefined ? [] : ['expiration']),
    ...(rule.otherLimits === undefined ? [] : ['other limits']),
  ];
}

/** Required and denied parameters only add up, so the same test holds with and without rules of other policies. */
function loosenedParameters(before: Limits, after: Limits): string | undefined {
  const { requiredParameters: needed = [] } = before;
  if (needed.some((name) => !(after.requiredParameters ?? []).includes(name))) return 'required_parameters';
  return deniesAll(after.deniedParameters ?? {}, before.deniedParameters ?? {})
    ? undefined
    : 'denied_parameters';
}

/** Whether the times of one are all within those of the other. */
function wrapsWithin(
  { minWrapping: least = 0, maxWrapping: most = Infinity }: Limits,
  after: Limits,
): boolean {
  const { minWrapping: from = 0, maxWrapping: to = Infinity } = after;
  return needsWrapping(after) && (from > to || (from >= least && to <= most));
}

/** The same for any third rule: the lesser of two minimums counts, and the lesser of two maximums. */
function wrapsWithinUnited(before: Limits, after: Limits): boolean {
  const isMaxKept = before.maxWrapping === undefined || (after.maxWrapping ?? Infinity) <= before.maxWrapping;
  return isMaxKept && (before.minWrapping === undefined) === (after.minWrapping === undefined)
    ? (after.minWrapping ?? 0) >= (before.minWrapping ?? 0)
    : false;
}

type Parameters = Record<string, HclValue[]>;

/** Whether one denies every request that the other denies. */
function deniesAll(wide: Parameters, narrow: Parameters): boolean {
  if (Object.hasOwn(wide, '*')) return true;
  if (Object.hasOwn(narrow, '*')) return false;
  return Object.entries(narrow).every(
    ([name, values]) => Object.hasOwn(wide, name) && holdsAll(wide[name] ?? [], values),
  );
}

/** Whether one allows every request that the other allows; without names, all are allowed. */
function allowsAll(wide: Parameters, narrow: Parameters): boolean {
  if (Object.keys(wide).length === 0) return true;
  if (Object.keys(narrow).length === 0) return isEverything(wide);
  const takesOthers = Object.hasOwn(wide, '*');
  const isWithin = Object.entries(narrow).every(([name, values]) => {
    if (name === '*') return takesOthers;
    return Object.hasOwn(wide, name) ? holdsAll(wide[name] ?? [], values) : takesOthers;
  });
  // A field that only the wide side names is any other for the narrow one, which then takes every value of it.
  const named = Object.keys(wide).filter((name) => name !== '*' && !Object.hasOwn(narrow, name));
  return isWithin && (!Object.hasOwn(narrow, '*') || named.every((name) => wide[name]?.length === 0));
}

function isEverything(given: Parameters): boolean {
  return Object.hasOwn(given, '*') && Object.values(given).every((values) => values.length === 0);
}

/** The same for any third list that both are united with. */
function allowsAllUnited(wide: Parameters, narrow: Parameters): boolean {
  const [isOpen, wasOpen] = [narrow, wide].map((given) => Object.keys(given).length === 0);
  // A third list limits what had no list, and adds to one that there is.
  if (isOpen || wasOpen) return isOpen === wasOpen;
  const isWithin = Object.entries(narrow).every(
    ([name, values]) => Object.hasOwn(wide, name) && (name === '*' || holdsAll(wide[name] ?? [], values)),
  );
  // A third `*` takes every value of what is no longer named.
  return (
    isWithin &&
    Object.keys(wide).every((name) => name === '*' || Object.hasOwn(narrow, name) || wide[name]?.length === 0)
  );
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
  if (typeof value !== 'string' || value === '*')
    return list.some((one) => JSON.stringify(one) === JSON.stringify(value));
  const shown = value.replace(/^\*|\*$/g, '\u{f8ff}');
  return list.some((one) => typeof one === 'string' && (one === value || matchesGlob(one, shown)));
}
