import type { Rule } from '../model/policies/acl.ts';
import type { HclValue } from '../model/policies/hcl.ts';

/**
 * What a rule limits beside capabilities and now does no longer, or not as much: the attribute's name. Undefined where
 * every request that passes the limits of `after` passes those of `before`.
 */
export function loosened(before: Rule, after: Rule): string | undefined {
  if (before === after) return undefined;
  const { requiredParameters: needed = [] } = before;
  if (needed.some((name) => !(after.requiredParameters ?? []).includes(name))) return 'required_parameters';
  if (!deniesAll(after.deniedParameters ?? {}, before.deniedParameters ?? {})) return 'denied_parameters';
  if (!allowsAll(before.allowedParameters ?? {}, after.allowedParameters ?? {})) return 'allowed_parameters';
  // What is only compared as text may be looser and tighter at once.
  if (before.needsWrapping && !wrapsWithin(before, after)) return 'wrapping';
  if (before.expires !== undefined && (after.expires === undefined || after.expires > before.expires)) {
    return 'expiration';
  }
  if (before.otherLimits !== undefined && before.otherLimits !== after.otherLimits) return 'other limits';
  return undefined;
}

/** What a rule limits beside capabilities: the attributes' names. */
export function limitsOf(rule: Rule): string[] {
  const isSet = (value: object | undefined) => value !== undefined && Object.keys(value).length > 0;
  return [
    ...(isSet(rule.requiredParameters) ? ['required_parameters'] : []),
    ...(isSet(rule.deniedParameters) ? ['denied_parameters'] : []),
    ...(isSet(rule.allowedParameters) ? ['allowed_parameters'] : []),
    ...(rule.needsWrapping ? ['wrapping'] : []),
    ...(rule.expires === undefined ? [] : ['expiration']),
    ...(rule.otherLimits === undefined ? [] : ['other limits']),
  ];
}

/** Whether the times of one are all within those of the other. */
function wrapsWithin({ wrapping: wide = '' }: Rule, { needsWrapping, wrapping: narrow = '' }: Rule): boolean {
  if (!needsWrapping || wide === narrow) return needsWrapping === true;
  const [[least, most], [from, to]] = [timesOf(wide), timesOf(narrow)];
  return from >= least && to <= most;
}

/** Nothing compares to what cannot be read, or what several policies say. */
function timesOf(wrapping: string): [least: number, most: number] {
  const [, least, most] = /^(\d*) to (\d*)$/.exec(wrapping) ?? [];
  return least === undefined ? [NaN, NaN] : [Number(least), Number(most) || Infinity];
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
  if (Object.keys(narrow).length === 0) return false;
  const takesOthers = Object.hasOwn(wide, '*');
  const isWithin = Object.entries(narrow).every(([name, values]) => {
    if (name === '*') return takesOthers;
    return Object.hasOwn(wide, name) ? holdsAll(wide[name] ?? [], values) : takesOthers;
  });
  // A field that only the wide side names is any other for the narrow one, which then takes every value of it.
  const named = Object.keys(wide).filter((name) => name !== '*' && !Object.hasOwn(narrow, name));
  return isWithin && (!Object.hasOwn(narrow, '*') || named.every((name) => wide[name]?.length === 0));
}

/** Whether a list of values holds all of another; an empty one stands for every value. */
function holdsAll(wide: HclValue[], narrow: HclValue[]): boolean {
  if (wide.length === 0) return true;
  const texts = new Set(wide.map((value) => JSON.stringify(value)));
  return narrow.length > 0 && narrow.every((value) => texts.has(JSON.stringify(value)));
}
