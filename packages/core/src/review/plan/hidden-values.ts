import { fieldNamed, sortedJson } from '../../graph/resources/field.ts';
import { givingPolicies } from '../../graph/resources/policy.ts';
import { isEqualData } from '../../graph/values/equal-data.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { type HiddenText, isHiddenText } from '../../graph/values/hidden-text.ts';
import { isTexts, shallowJsonIn } from '../../graph/values/json.ts';
import { holds, rewritten } from './json-parts.ts';
import type { PlannedSide } from './planned-resource.ts';
import { type Fields, type PlannedType, typeInPlan } from './resource-types.ts';

/** Gives each hidden value of a plan a text that stands for it: two can be compared, and neither is shown. */
export class HiddenValues {
  readonly #texts = new Map<string, HiddenText>();
  #last = 0;

  /** The text for a value: the same for the same value. */
  text(value: unknown): HiddenText {
    return getOrMake(this.#texts, sortedJson(value) ?? 'undefined', () => this.fresh());
  }

  /** The text for a value that may differ from every other. */
  fresh(): HiddenText {
    this.#last += 1;
    return `(hidden ${this.#last})`;
  }

  /**
   * A value without what a tree of marks hides, and without what is the same next to it. The names in a map that is
   * hidden as a whole are hidden, too.
   */
  hide(value: unknown, mark: unknown): unknown {
    const markAt = (path: readonly (string | number)[]) =>
      path.reduce<unknown>(
        (marks, name) => marks === true || (typeof marks === 'object' && (marks as Fields | null)?.[name]),
        mark,
      );
    const secret = new Set<unknown>();
    rewritten(value, (part, path) => {
      if (typeof part === 'string' && part !== '' && hasMark(markAt(path))) secret.add(part);
    });
    return rewritten(
      value,
      (part, path) => {
        if (markAt(path) === true) return this.hideAll(part);
        if (typeof part === 'object') return undefined;
        return secret.has(part) ? this.text(part) : shown(part);
      },
      (name) => (secret.has(name) ? this.text(name) : shownText(name)),
    );
  }

  hideAll(value: unknown): unknown {
    const leaf = (part: unknown) => (typeof part === 'object' ? undefined : this.text(part));
    return rewritten(value, leaf, (name) => this.text(name));
  }

  /** JSON text as data with its names shown and its values hidden, but for flags and names of policies: they are no secret. */
  hideJson(text: unknown): unknown {
    const json = typeof text === 'string' ? shallowJsonIn(text) : text;
    if (typeof json !== 'object' && typeof text === 'string') return this.text(text);
    return rewritten(json, (value, path) => {
      const isGiving = givingPolicies.includes(String(path.at(-1)));
      if (isGiving && isTexts([value].flat())) return shown(value);
      return typeof value === 'object' || typeof value === 'boolean' ? undefined : this.text(value);
    });
  }

  /** The stand-in for a field that is hidden as a whole, in the shape of the field. */
  shaped(type: PlannedType, field: string, text: HiddenText): unknown {
    const { fields = {} } = typeInPlan(type);
    // Names of policies are a list, whatever else is checked.
    if (fields[fieldNamed(fields, field) ?? '']?.type === 'texts') return [text];
    const kind = rowOf(type, field)?.type ?? 'text';
    if (kind === 'keySets') return [{ [text]: text }];
    return ['claims', 'textsByName', 'providerConfig'].includes(kind) ? { [text]: text } : text;
  }
}

/**
 * Takes hidden fields that cannot be compared for unknown: another value is behind the placeholder, or the field takes
 * no text. A hidden part that is only taken away can be compared.
 */
export function settleHidden(
  type: PlannedType,
  hidden: Iterable<string>,
  before: PlannedSide | undefined,
  after: PlannedSide | undefined,
): void {
  for (const field of hidden) {
    const valueBefore = before?.fields[field];
    const valueAfter = after?.fields[field];
    const isFit = [valueBefore, valueAfter].every(
      (value) => value === undefined || takes(type, field, value),
    );
    const isSame = before !== undefined && isEqualData(valueBefore, valueAfter);
    if (!isFit) for (const side of [before, after]) if (side !== undefined) delete side.fields[field];
    if (after === undefined || isSame || after.unknown.includes(field)) continue;
    if (!isFit || !isOnlyLess(valueBefore, valueAfter)) after.unknown.push(field);
  }
}

/** Whether nothing hidden is new, and nothing that is shown can be what was hidden before. */
function isOnlyLess(before: unknown, after: unknown): boolean {
  const leavesBefore = leaves(before);
  const leavesAfter = leaves(after);
  const added = [...leavesAfter].filter((leaf) => !leavesBefore.has(leaf));
  const gone = [...leavesBefore].filter((leaf) => !leavesAfter.has(leaf));
  const isHidden = (leaf: string) => /="\(hidden \d+\)"$/.test(leaf);
  return !added.some(isHidden) && (added.length === 0 || !gone.some(isHidden));
}

/** Each text, number and flag of a value with its place, in which the order of a list means nothing. */
function leaves(value: unknown): Set<string> {
  const placed = new Set<string>();
  rewritten(value, (leaf, path) => {
    const place = path.map((part) => (typeof part === 'number' ? '[]' : `.${part}`)).join('');
    if (typeof leaf !== 'object') placed.add(`${place}=${JSON.stringify(leaf)}`);
  });
  return placed;
}

export function holdsHidden(value: unknown): boolean {
  return holds(value, isHiddenText);
}

/**
 * A value that is shown, in which no text can be taken for one that stands for a hidden value: what looks like it gets a
 * second parenthesis. That stays, whether the text is then read in lower case, split at commas or without blanks.
 */
export function shown<Value>(value: Value): Value;
export function shown(value: unknown): unknown {
  return rewritten(value, (part) => (typeof part === 'string' ? shownText(part) : undefined), shownText);
}

function shownText(text: string): string {
  return text.replace(/\(h[iİ]dden/gi, '($&');
}

/** A provider config tells by itself what it can read. */
function takes(type: PlannedType, field: string, value: unknown): boolean {
  const row = rowOf(type, field);
  return row === undefined || row.type === 'providerConfig' || row.schema.safeParse(value).success;
}

function rowOf(type: PlannedType, field: string) {
  const { fields = {}, isTyped } = typeInPlan(type);
  const row = fields[fieldNamed(fields, field) ?? ''];
  return isTyped ? row : undefined;
}

/** Whether a tree of marks has a true in it. */
export function hasMark(mark: unknown): boolean {
  return holds(mark, (part) => part === true);
}
