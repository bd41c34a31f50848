import type { Budget } from '../graph/values/budget.ts';

/** Ways to fill in the templates of all patterns at once, after which a decision is given up. */
const mostFillings = 300;

const template = /\{\{[^{}]*\}\}/;

type Filling = ReadonlyMap<string, string>;

/**
 * What `{{identity.…}}` may stand for in patterns of policies, as far as it matters: a word that no pattern names, for
 * which the template's own text is kept (undefined); or what makes a segment a word that another pattern has there, also
 * nothing at all, for
 * one such segment or two. Only words that bear on a path which a changed pattern can match.
 *
 * @throws OutOfBudget where there are too many.
 */
export function* fillings(
  patterns: readonly string[],
  changed: ReadonlySet<string>,
  budget: Budget,
): Generator<((pattern: string) => string) | undefined> {
  yield undefined;
  if (!patterns.some((text) => template.test(text))) return;
  const all = patterns.map((text) => ({ text, segments: text.split('/') }));
  const changes = all.filter(({ text }) => changed.has(text));
  const found = new Map<string, Filling>();
  const isTooMany = () => {
    if (found.size > mostFillings) budget.spend(Number.POSITIVE_INFINITY, 'fillings');
  };
  for (const { segments } of all) {
    if (!segments.some((segment) => template.test(segment))) continue;
    budget.spend(changes.length + all.length, 'fillings');
    const near = changes.filter((change) => mayMeet(change.segments, segments));
    if (near.length === 0) continue;
    for (const other of all) {
      if (other.segments === segments || !mayMeet(segments, other.segments)) continue;
      budget.spend(near.length, 'fillings');
      if (!near.some((change) => mayMeet(change.segments, other.segments))) continue;
      for (const [at, segment] of segments.entries()) {
        // A list of a folder is asked with a slash: a last segment that is nothing meets a pattern without it.
        const isFolder = at === other.segments.length && at === segments.length - 1;
        const word = isFolder ? '' : other.segments[at];
        if (word === undefined || ['+', '*', segment].includes(word) || !template.test(segment)) continue;
        const isOpen = word.endsWith('*');
        const text = isOpen ? word.slice(0, -1) : word;
        const whole = isOpen ? [text, `${text}x`] : [text];
        const bare = segment.replace(/\*$/, '');
        for (const value of bare === segment ? whole : whole.flatMap((one) => beginnings(bare, one))) {
          for (const filling of valuesIn(bare, value, budget)) {
            found.set(JSON.stringify([...filling]), filling);
            isTooMany();
          }
        }
      }
    }
  }
  const single = [...found.values()];
  const pairs = single.flatMap((one, at) =>
    single.slice(at + 1).flatMap((other) => {
      const isApart = [...other.keys()].every((name) => !one.has(name));
      return isApart ? [new Map([...one, ...other])] : [];
    }),
  );
  for (const pair of pairs) found.set(JSON.stringify([...pair]), pair);
  isTooMany();
  for (const filling of found.values()) {
    yield (pattern) => [...filling].reduce((text, [name, value]) => text.replaceAll(name, value), pattern);
  }
}

/**
 * What a text begins with, as a prefix that ends like a segment may be it: where a template is at its end, the text itself,
 * the next shorter one, which comes after a prefix of the text, and nothing.
 */
function beginnings(segment: string, text: string): string[] {
  if (segment.endsWith('}}')) return [text, text.slice(0, -1), ''];
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length));
}

/** What the templates of a segment stand for where it becomes this text. */
function* valuesIn(segment: string, text: string, budget: Budget): Generator<Filling> {
  budget.spend(2 + (segment.length >> 4), 'fillings');
  const [name] = template.exec(segment) ?? [];
  if (name === undefined) {
    if (segment === text) yield new Map();
    return;
  }
  const start = segment.slice(0, segment.indexOf(name));
  if (!text.startsWith(start)) return;
  const rest = segment.slice(start.length + name.length);
  const isOpen = template.test(rest);
  const longest = isOpen ? text.length : text.length - rest.length;
  // Before another template it may end anywhere.
  const shortest = isOpen ? start.length : longest;
  for (let end = longest; end >= shortest; end--) {
    const value = text.slice(start.length, end);
    for (const following of valuesIn(rest.replaceAll(name, value), text.slice(end), budget)) {
      yield new Map([[name, value], ...following]);
    }
  }
}

/** Whether two patterns may match one path; with templates, for some word that they stand for. */
function mayMeet(one: string[], other: string[]): boolean {
  const shared = Math.min(one.length, other.length);
  for (let at = 0; at < shared; at++) {
    const [a = '', b = ''] = [one[at], other[at]];
    const [isOver, isOtherOver] = [endsOpen(one, at), endsOpen(other, at)];
    if (isOver || isOtherOver) return isOpen(a) || isOpen(b) || startsWithin(a, b, isOver, isOtherOver);
    if (a !== b && !isOpen(a) && !isOpen(b)) return false;
  }
  // A list of a folder is asked with a slash, and patterns without it match as well.
  return Math.abs(one.length - other.length) <= 1;
}

function endsOpen(pattern: string[], at: number): boolean {
  return at === pattern.length - 1 && pattern[at]?.endsWith('*') === true;
}

function startsWithin(one: string, other: string, isPrefix: boolean, isOtherPrefix: boolean): boolean {
  const [a, b] = [isPrefix ? one.slice(0, -1) : one, isOtherPrefix ? other.slice(0, -1) : other];
  return (isPrefix && b.startsWith(a)) || (isOtherPrefix && a.startsWith(b));
}

function isOpen(segment: string): boolean {
  return segment === '+' || segment.includes('{{');
}
