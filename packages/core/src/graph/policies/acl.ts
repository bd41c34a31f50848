import { compareBytes, utf8 } from '../values/bytes.ts';
import type { HclValue } from './hcl.ts';
import type { Capability, PathRule } from './parse-policy.ts';

/** What is asked of an Acl. */
interface AclRequest {
  /** Seen from the namespace of the policies, without slashes at its ends: a list is of the folder of this name. */
  path: string;
  capability: Capability;
  /** Whether a rule for the path with a slash at its end decides before one without, as for every list. */
  isFolder?: boolean;
  /** True for paths that need `sudo` as well. */
  needsSudo?: boolean;
  /** Fields of the body. */
  parameters?: { [name: string]: unknown };
}

/** The rules for one pattern, from all policies that name it, united. */
export interface Rule extends Omit<PathRule, 'capabilities'> {
  capabilities: ReadonlySet<string>;
}

/**
 * What a set of policies allows, judged as openbao/openbao vault/acl.go does: rules for the same pattern add up, and a
 * denial among them wins; of the patterns that match a path, the most specific alone counts.
 */
export class Acl {
  readonly #isRoot: boolean;
  readonly #rules = new Map<string, Rule>();

  /** @param now the clock: rules that expired are left out. */
  constructor(policies: { name: string; rules: PathRule[] }[], now: bigint) {
    this.#isRoot = policies.some(({ name }) => name === 'root');
    for (const { rules } of policies) {
      for (const rule of rules) if (rule.expires === undefined || rule.expires > now) this.#add(rule);
    }
  }

  allows({ path, capability, isFolder = capability === 'list', ...rest }: AclRequest): boolean {
    if (this.#isRoot) return true;
    const { needsSudo = false, parameters = {} } = rest;
    const rule = isFolder ? this.#ruleForList(`${path}/`) : this.#ruleFor(path);
    if (rule === undefined || needsWrapping(rule) || !rule.capabilities.has(capability)) return false;
    if (needsSudo && !rule.capabilities.has('sudo')) return false;
    return capability === 'delete' || capability === 'list' || allowsParameters(rule, parameters);
  }

  /** The rule that decides there, of all policies that name its pattern; undefined where none matches, and for root. */
  decides(path: string, isFolder: boolean): Rule | undefined {
    return isFolder ? this.#ruleForList(`${path}/`) : this.#ruleFor(path);
  }

  /** Whether one may do there what only administrators may. */
  hasSudo(path: string): boolean {
    return this.#isRoot || this.#ruleFor(path)?.capabilities.has('sudo') === true;
  }

  /**
   * What may be done at a path: `["root"]`, `["deny"]`, or capabilities in the order of the alphabet. Servers answer
   * this as if a list was asked for, so a slash at the end counts.
   */
  capabilities(path: string): string[] {
    if (this.#isRoot) return ['root'];
    const capabilities = this.#ruleForList(path)?.capabilities;
    return capabilities === undefined || capabilities.size === 0 ? ['deny'] : [...capabilities].sort();
  }

  /** What the rule that decides at a path asks in addition to capabilities, to be compared; empty for nothing. */
  limits(path: string): string {
    const rule = this.#isRoot ? undefined : this.#ruleForList(path);
    if (rule === undefined || rule.capabilities.has('deny')) return '';
    const { allowedParameters, deniedParameters, requiredParameters = [], otherLimits, eventTypes } = rule;
    const limits = [
      allowedParameters ?? null,
      deniedParameters ?? null,
      requiredParameters.toSorted(),
      needsWrapping(rule) || null,
      otherLimits ?? null,
      eventTypes?.toSorted() ?? null,
    ];
    return limits.every((limit) => limit === null || (Array.isArray(limit) && limit.length === 0))
      ? ''
      : JSON.stringify(limits);
  }

  /**
   * Whether anything at all may be done at or below a path that ends with a slash. OpenBao says so of a pattern that
   * denies it too; here a denial is none.
   */
  reaches(path: string): boolean {
    if (this.#isRoot || this.capabilities(path)[0] !== 'deny') return true;
    const rules = [...this.#rules.values()].filter(({ capabilities }) => !capabilities.has('deny'));
    return rules.some((rule) => rule.capabilities.size > 0 && isBelow(rule.path, path));
  }

  /** The rules that all policies together make, one for each pattern; undefined for root, which needs none. */
  rules(): PathRule[] | undefined {
    if (this.#isRoot) return undefined;
    return [...this.#rules.values()].map((rule) => ({
      ...rule,
      capabilities: [...rule.capabilities].sort(),
    }));
  }

  #add(rule: PathRule): void {
    this.#rules.set(rule.path, united(this.#rules.get(rule.path), rule));
  }

  #ruleFor(path: string): Rule | undefined {
    return this.#exact(path) ?? this.#mostSpecific(path);
  }

  /** A folder is asked about with its slash; rules for its name without the slash then count too. */
  #ruleForList(path: string): Rule | undefined {
    if (!path.endsWith('/')) return this.#ruleFor(path);
    const name = path.slice(0, -1);
    return this.#exact(path) ?? this.#exact(name) ?? this.#mostSpecific(path) ?? this.#mostSpecific(name);
  }

  #exact(path: string): Rule | undefined {
    const rule = this.#rules.get(path);
    return rule === undefined || hasWildcard(path) ? undefined : rule;
  }

  #mostSpecific(path: string): Rule | undefined {
    let best: Rule | undefined;
    for (const rule of this.#rules.values()) {
      if (!hasWildcard(rule.path) || !matches(rule.path, path)) continue;
      if (best === undefined || comparePrecedence(rule.path, best.path) < 0) best = rule;
    }
    return best;
  }
}

/** What the rules of one pattern come to together: a denial wins, limits are united as real servers do. */
export function united(known: Rule | undefined, rule: PathRule): Rule {
  if (known === undefined) return { ...rule, capabilities: new Set(rule.capabilities) };
  const denies = known.capabilities.has('deny');
  if (rule.capabilities.includes('deny')) {
    const expires = denies ? later(known.expires, rule.expires) : rule.expires;
    return { path: rule.path, capabilities: new Set(['deny']), expires };
  }
  if (denies) return known;
  return {
    path: rule.path,
    capabilities: new Set([...known.capabilities, ...rule.capabilities]),
    allowedParameters: merged(known.allowedParameters, rule.allowedParameters),
    deniedParameters: merged(known.deniedParameters, rule.deniedParameters),
    requiredParameters: [...(known.requiredParameters ?? []), ...(rule.requiredParameters ?? [])],
    // The lesser of each, also of the minimum: openbao vault/acl.go.
    minWrapping: least(known.minWrapping, rule.minWrapping),
    maxWrapping: least(known.maxWrapping, rule.maxWrapping),
    ...(known.eventTypes || rule.eventTypes
      ? { eventTypes: [...new Set([...(known.eventTypes ?? []), ...(rule.eventTypes ?? [])])] }
      : {}),
    // How a server unites them is not known here: other parts are another limit.
    otherLimits: joined(known.otherLimits, rule.otherLimits),
    mayGive: joined(known.mayGive, rule.mayGive),
    expires: later(known.expires, rule.expires),
  };
}

/** Whether only wrapped responses are allowed. */
export function needsWrapping({
  minWrapping,
  maxWrapping,
}: Pick<Rule, 'minWrapping' | 'maxWrapping'>): boolean {
  return minWrapping !== undefined || maxWrapping !== undefined;
}

function least(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}

function later(left: bigint | undefined, right: bigint | undefined): bigint | undefined {
  return left === undefined || right === undefined ? undefined : left > right ? left : right;
}

function joined(left: string | undefined, right: string | undefined): string | undefined {
  return left === right ? left : [...new Set([left ?? '', right ?? ''])].sort().join('\n');
}

/** Whether a pattern is about something below a path that ends with a slash. */
function isBelow(pattern: string, path: string): boolean {
  const segments = pattern.split('/');
  const segmentsOfPath = path.slice(0, -1).split('/');
  return (
    segments.length > segmentsOfPath.length &&
    segmentsOfPath.every((part, at) => segments[at] === '+' || segments[at] === part)
  );
}

/** A `+` counts where it is a whole segment, a `*` at the end. */
export function hasWildcard(pattern: string): boolean {
  return pattern.endsWith('*') || hasSegmentWildcard(pattern);
}

function hasSegmentWildcard(pattern: string): boolean {
  return pattern === '+' || pattern.startsWith('+/') || pattern.includes('/+');
}

/** Whether a path is one of a pattern's, with a wildcard or without. */
export function isOfPattern(path: string, pattern: string): boolean {
  return hasWildcard(pattern) ? matches(pattern, path) : pattern === path;
}

/** @param pattern one with a wildcard */
function matches(pattern: string, path: string): boolean {
  const isPrefix = pattern.endsWith('*');
  const start = isPrefix ? pattern.slice(0, -1) : pattern;
  if (!hasSegmentWildcard(pattern)) return path.startsWith(start);
  const segments = start.split('/');
  const segmentsOfPath = path.split('/');
  if (isPrefix ? segmentsOfPath.length < segments.length : segmentsOfPath.length !== segments.length)
    return false;
  return segments.every((part, at) => {
    const segment = segmentsOfPath[at] ?? '';
    if (part === '+' || part === segment) return true;
    return isPrefix && at === segments.length - 1 && segment.startsWith(part);
  });
}

/**
 * Which of two patterns decides at a path that both match: below zero where it is the first. For sorting, the one that
 * decides comes first (openbao/openbao vault/acl.go, `CheckAllowedFromNonExactPaths`).
 */
export function comparePrecedence(left: string, right: string): number {
  return compareTraits(traits(left), traits(right));
}

/** Patterns, the one that decides first. */
export function inPrecedence(patterns: Iterable<string>): string[] {
  const all = Array.from(patterns, (text) => ({ text, traits: traits(text) }));
  return all.sort((left, right) => compareTraits(left.traits, right.traits)).map(({ text }) => text);
}

function compareTraits(a: Traits, b: Traits): number {
  return (
    Number(a.isWild) - Number(b.isWild) ||
    b.firstWildcard - a.firstWildcard ||
    Number(a.isPrefix) - Number(b.isPrefix) ||
    a.segments - b.segments ||
    b.start.length - a.start.length ||
    compareBytes(b.start, a.start)
  );
}

type Traits = ReturnType<typeof traits>;

/** What precedence looks at, the weightiest first. */
function traits(pattern: string) {
  const isPrefix = pattern.endsWith('*');
  const start = isPrefix ? pattern.slice(0, -1) : pattern;
  const hasSegments = hasSegmentWildcard(pattern);
  return {
    isWild: isPrefix || hasSegments,
    // A `+` within a word counts here, as it does on real servers.
    firstWildcard: hasSegments ? pattern.indexOf('+') : start.length,
    isPrefix,
    segments: start.split('/').filter((part) => part === '+').length,
    // Lengths and order are those of bytes.
    start: utf8(start),
  };
}

type ParameterLists = Record<string, HclValue[]>;

/** The values of both; an empty list stands for every value. */
function merged(
  left: ParameterLists | undefined,
  right: ParameterLists | undefined,
): ParameterLists | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const all = new Map(Object.entries(left));
  for (const [name, values] of Object.entries(right)) {
    const known = all.get(name);
    const isAny = values.length === 0 || known?.length === 0;
    all.set(name, isAny ? [] : [...values, ...(known ?? [])]);
  }
  return Object.fromEntries(all);
}

/** Whether the limits of a rule let the fields of a request pass. */
export function allowsParameters(rule: Rule, fields: { [name: string]: unknown }): boolean {
  const { requiredParameters = [], deniedParameters = {}, allowedParameters = {} } = rule;
  // Servers lower the case of names before they look up what is allowed and denied, but not of what is required.
  if (requiredParameters.some((name) => !Object.hasOwn(fields, name))) return false;
  const parameters = Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value] as const);
  if (parameters.length === 0) return true;
  if (Object.hasOwn(deniedParameters, '*')) return false;
  const denies = ([name, value]: readonly [string, unknown]) =>
    Object.hasOwn(deniedParameters, name) && isAmong(value, deniedParameters[name]);
  if (parameters.some(denies)) return false;
  if (Object.keys(allowedParameters).length === 0) return true;
  const allowsOthers = Object.hasOwn(allowedParameters, '*');
  return parameters.every(([name, value]) =>
    Object.hasOwn(allowedParameters, name) ? isAmong(value, allowedParameters[name]) : allowsOthers,
  );
}

export function isAmong(value: unknown, list: HclValue[] = []): boolean {
  if (list.length === 0) return true;
  return list.some((listed) => {
    // A number of a policy equals none of a request (measured on OpenBao 2.7.2).
    if (typeof listed === 'number') return false;
    if (typeof listed !== 'string' || typeof value !== 'string')
      return JSON.stringify(listed) === JSON.stringify(value);
    return matchesGlob(listed, value);
  });
}

/** `*` at either end, or both, stands for anything; alone it is itself. */
export function matchesGlob(glob: string, value: string): boolean {
  if (glob === '*') return value === glob;
  const isOpen = { start: glob.startsWith('*'), end: glob.endsWith('*') };
  if (isOpen.start && isOpen.end) return value.includes(glob.slice(1, -1));
  if (isOpen.end) return value.startsWith(glob.slice(0, -1));
  return isOpen.start ? value.endsWith(glob.slice(1)) : value === glob;
}
