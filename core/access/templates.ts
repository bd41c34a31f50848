/** Ways to fill in the templates of all patterns at once, after which a decision is given up. */
const mostFillings = 300;

const template = /\{\{[^{}]*\}\}/g;

/**
 * What `{{identity.…}}` may stand for in patterns of policies, as far as it matters: a word that no pattern names, for
 * which the template's own text is kept; or a word that another pattern names at its place, for one template or two.
 *
 * @returns undefined where there are too many.
 */
export function fillings(patterns: Iterable<string>): ((pattern: string) => string)[] | undefined {
  const all = [...patterns].map((text) => ({ text, segments: text.split('/') }));
  const values = new Map<string, Set<string>>();
  for (const { segments } of all) {
    for (const [at, segment] of segments.entries()) {
      for (const [name] of segment.matchAll(template)) {
        const [start = '', ...rest] = segment.split(name);
        const end = rest.join(name).replace(/\*$/, '');
        for (const other of all) {
          const word = other.segments[at];
          if (
            word === undefined ||
            word === '+' ||
            word === segment ||
            !mayMeet(segments, other.segments, at)
          )
            continue;
          const isOpen = word.endsWith('*');
          const text = isOpen ? word.slice(0, -1) : word;
          if (!text.startsWith(start) || !text.endsWith(end) || text.length <= start.length + end.length)
            continue;
          const value = text.slice(start.length, text.length - end.length);
          const known = values.get(name) ?? new Set();
          values.set(name, known.add(value));
          if (isOpen) known.add(`${value}x`);
        }
      }
    }
  }
  const single = [...values].flatMap(([name, known]) => [...known].map((value) => ({ name, value })));
  const sets = [
    [],
    ...single.map((one) => [one]),
    ...single.flatMap((one, at) =>
      single.slice(at + 1).flatMap((other) => (other.name === one.name ? [] : [[one, other]])),
    ),
  ];
  if (sets.length > mostFillings) return undefined;
  return sets.map(
    (set) => (pattern: string) =>
      set.reduce((text, { name, value }) => text.replaceAll(name, value), pattern),
  );
}

/** Whether two patterns can agree on all segments before one. */
function mayMeet(one: string[], other: string[], before: number): boolean {
  return one.slice(0, before).every((segment, at) => {
    const there = other[at];
    const isOpen = (text: string | undefined) => text === '+' || text?.includes('{{');
    return segment === there || isOpen(segment) || isOpen(there);
  });
}
