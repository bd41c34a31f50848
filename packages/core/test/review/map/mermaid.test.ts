import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { visible } from '../../../src/graph/values/visible.ts';
import { type AccessMap, type MapNode, mapOfChange } from '../../../src/review/map/access-map.ts';
import { mermaidMap } from '../../../src/review/map/mermaid.ts';
import { change } from '../../worlds.ts';
import { graphOf, policy, role } from '../graphs.ts';
import { mapOf, small } from './small-map.ts';

/** The lines of a drawing, with what stands in quotes read as text. */
function read(drawing: string): string[] {
  return drawing
    .trim()
    .split('\n')
    .map((line) => line.trim().replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))));
}

/** All lines that a drawing may have. Text in quotes holds nothing that Mermaid, Markdown or HTML could read. */
const text = '"(?:[\\p{L}\\p{M}\\p{N} /,]|(?<=[\\p{L}\\p{N}])-(?=[\\p{L}\\p{N}])|#\\d+;)*"';
const allowed = new RegExp(
  [
    'flowchart LR',
    `  (?:n|note)\\d+\\[${text}\\](?::::(?:appears|goes))?`,
    `  n\\d+ (?:-->|-\\.->)(?:\\|${text}\\|)? n\\d+`,
    '  classDef (?:appears|goes) [\\w:#, -]+',
  ]
    .map((line) => `^${line}$`)
    .join('|'),
  'u',
);
const strangeLines = (drawing: string) =>
  drawing
    .trimEnd()
    .split('\n')
    .filter((line) => !allowed.test(line));

test('has a box for each node, a line for each grant, dots for what is denied, and what is not known', () => {
  expect(read(mermaidMap(mapOf(small)))).toEqual(
    expect.arrayContaining([
      'flowchart LR',
      'n10["policy admin"]',
      'n15["secret/*"]',
      'n10 -->|"read, update"| n15',
      'n13 -.->|"deny"| n17',
      'n7["role apps/web (approle)"]',
      'n7 --> n13',
      'n4["people in /admins, auth/staff"]',
      'n4 --> n6',
      'note1["Not known: what policy elsewhere allows (its text is missing or unreadable)"]',
    ]),
  );
});

test('marks what appears and what goes by signs and looks', () => {
  const { before, after } = change(`
    - role old p
    + role new p
    ~ policy p: x read → x update`);
  const lines = read(mermaidMap(mapOf(after, before)));
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^n\d\["\+ role ci\/new"\]:::appears$/),
      expect.stringMatching(/^n\d\["− role ci\/old"\]:::goes$/),
      expect.stringMatching(/^n\d -->\|"\+ update"\| n\d$/),
      expect.stringMatching(/^n\d -->\|"− read"\| n\d$/),
      expect.stringMatching(/^n\d -->\|"\+"\| n\d$/),
    ]),
  );
});

test('says so where there is nothing to draw', () => {
  expect(read(mermaidMap(mapOfChange(mapOf(small))))).toContain(
    'note1["Not known: what policy elsewhere allows (its text is missing or unreadable)"]',
  );
  expect(read(mermaidMap({ nodes: [], edges: [], missing: [] }))).toContain('note1["Nothing to draw"]');
});

describe('a map of 10,000 roles', () => {
  const numbers = Array.from({ length: 10_000 }, (_, index) => index);
  const graph = (capability: string, length: number) =>
    graphOf({
      roles: numbers
        .slice(0, 9_990 + length)
        .map((n) => role(`r${n}`, { boundSubject: `s${n}`, policies: ['p'] })),
      policies: [policy('p', ['secret/a', capability])],
    });

  test('is small, has every change, and says what is left out', () => {
    const drawing = mermaidMap(mapOfChange(mapOf(graph('update', 10), graph('read', 0))));
    expect(drawing.length).toBeLessThan(45_000);
    const lines = read(drawing);
    expect(lines.filter((line) => line.includes('->')).length).toBeLessThanOrEqual(200);
    for (const n of numbers.slice(-10)) expect(drawing).toContain(`role ci/r${n}"]:::appears`);
    expect(drawing).toContain('["secret/a"]');
    const count = (of: RegExp) => lines.filter((line) => of.test(line)).length;
    const [left, boxes] = [20_002 - count(/->/), 20_002 - count(/^n\d+\[/)];
    expect(lines).toContain(`note1["Not drawn: ${left} of 20002 lines, ${boxes} of 20002 boxes"]`);
  });
});

describe('names from outside', () => {
  const strange = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 120 }),
    fc.constantFrom(
      ...[
        '"]',
        '"]:::goes',
        '"] --> n1',
        '`**bold**`',
        '%%{init: {"theme": "dark"}}%%',
        '$$x$$',
        'fa:fa-ban',
      ],
      ...['<img src=x onerror=alert(1)>', '&lt;b&gt;', '#quot;', '#60;', 'ﬂ°°60¶ß', '1. one', '- one', '---'],
      ...[
        'click n1 href "javascript:alert(1)"',
        '\nclick n1 call f()',
        'end',
        'www.example.com',
        '```',
        '|x|',
      ],
      ...['\u202eevil', '\u0000\u009b', 'half \ud83d', '👩‍👩‍👧‍👦', 'מנהלים', 'x'.repeat(500)],
    ),
  );
  const node = (id: string, column: MapNode['column']) =>
    fc
      .record({
        title: strange,
        detail: strange,
        state: fc.constantFrom('same' as const, 'appears' as const, 'goes' as const),
      })
      .map((one) => ({ ...one, id, column }));
  const maps: fc.Arbitrary<AccessMap> = fc.record({
    nodes: fc.tuple(node('n1', 'policies'), node('n2', 'paths')).map((all) => [...all]),
    edges: strange.map((label) => [{ from: 'n1', to: 'n2', label, state: 'same' as const }]),
    missing: fc.array(strange, { maxLength: 3 }),
  });

  test('are text and nothing else', () => {
    fc.assert(
      fc.property(maps, (map) => expect(strangeLines(mermaidMap(map))).toEqual([])),
      { numRuns: 500 },
    );
  });

  test('stay what they are, but for white space, controls and length', () => {
    fc.assert(
      fc.property(strange, (title) => {
        const map: AccessMap = {
          nodes: [{ id: 'n1', column: 'paths', title, detail: '', state: 'same' }],
          edges: [],
          missing: [],
        };
        const [, shown = ''] = /^n1\["(.*)"\]$/s.exec(read(mermaidMap(map))[1] ?? '') ?? [];
        const whole = visible(title.toWellFormed())
          .replace(/[\s\p{Cc}]+/gu, ' ')
          .trim();
        expect(whole.length > 80 ? whole.startsWith(shown.slice(0, -1)) : shown === whole).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
