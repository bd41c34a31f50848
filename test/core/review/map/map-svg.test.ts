import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { mapPage } from '../../../../core/review/map/map-page.ts';
import { mapSvg } from '../../../../core/review/map/map-svg.ts';
import { graphOf, policy, role } from '../graphs.ts';
import { large, mapOf, small } from './small-map.ts';

/** Elements and texts of a document, as a strict parser of XML reads them. */
function parsed(xml: string): { elements: string[]; texts: string[] } {
  const program = `
import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
print(json.dumps({'elements': [one.tag.split('}')[1] + ''.join(' ' + name for name in one.attrib if name.startswith('on')) for one in root.iter()],
  'texts': [text for one in root.iter() for text in [one.text] if text and text.strip()]}))`;
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: xml, encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('the drawing of a map', () => {
  test('has a box for each node, a line for each edge, and what is not known', () => {
    const map = mapOf(small);
    const { elements, texts } = parsed(mapSvg(map));
    const count = (name: string) => elements.filter((one) => one === name).length;
    expect(count('path')).toBe(map.edges.length);
    // One more shows all.
    expect(count('a')).toBe(map.nodes.length + 1);
    expect(texts).toEqual(
      expect.arrayContaining([
        'Access map. principals: 4, roles and groups: 5, policies: 5, paths: 3. Dots: denied.',
        'PRINCIPALS',
        'build',
        'auth/ci',
        'secret/data/shop/private',
        'deny',
        'policy shop → secret/data/shop/private: deny',
        '? Not known: what policy "elsewhere" allows (its text is missing or unreadable)',
      ]),
    );
  });

  test('says by signs and dashes what appears and what goes', () => {
    const before = graphOf({
      roles: [role('old', { policies: ['p'] })],
      policies: [policy('p', ['x', 'read'])],
    });
    const after = graphOf({
      roles: [role('new', { policies: ['p'] })],
      policies: [policy('p', ['x', 'update'])],
    });
    const svg = mapSvg(mapOf(after, before));
    expect(parsed(svg).texts).toEqual(
      expect.arrayContaining(['+ new', '− old', '− read; + update', 'role old of auth/ci → policy p, goes']),
    );
    expect(svg).toContain('aria-label="− old auth/ci; role old of auth/ci, goes; 3 linked"');
    expect(svg).toMatch(/\.line\.goes \{[^}]*stroke-dasharray/);
  });

  test('has 200 nodes that do not lie on each other', () => {
    const svg = mapSvg(mapOf(large()));
    const places = [...svg.matchAll(/class="node[^>]*translate\((\S+) (\S+)\)/g)].map(([, x, y]) => [
      x,
      Number(y),
    ]);
    expect(places).toHaveLength(200);
    for (const [, column = []] of Map.groupBy(places, ([x]) => x)) {
      const ys = column.map(([, y]) => Number(y)).sort((one, other) => one - other);
      expect(Math.min(...ys.slice(1).map((y, index) => y - (ys[index] ?? 0)))).toBeGreaterThanOrEqual(39);
    }
    expect(svg.length).toBeLessThan(300_000);
  });

  test('cannot be chosen from where its file would be too large, and still shows everything', () => {
    const numbers = Array.from({ length: 400 }, (_, index) => index);
    const all = graphOf({
      roles: numbers.map((n) => role(`r${n}`, { boundSubject: `s${n}`, policies: ['p'] })),
      policies: [policy('p', ...numbers.map((n): [string, string] => [`secret/${n}`, 'read']))],
    });
    expect(mapSvg(mapOf(all))).not.toContain(':has(');
    expect(mapSvg(mapOf(small))).toContain(':has(#n1:target)');
  });
});

const hostile = [
  '</text><script>alert(1)</script>',
  '"><a href="javascript:alert(1)">',
  "' onload='alert(1)",
  ']]>&lt;&amp;<!--',
  '</style><style>*{display:none}',
  '\u0000\u0008\u001b[31m\u009b\ufffe',
  'half \ud83d of a pair',
  '\u202eevil',
  'מנהלים',
  '👩‍👩‍👧‍👦'.repeat(30),
  'long'.repeat(50),
];

describe('names from outside', () => {
  const map = mapOf(
    graphOf({
      roles: hostile.map((name) => role(name, { boundSubject: name, policies: [name] })),
      policies: hostile.map((name) =>
        policy(name, [name.replaceAll('"', '').replaceAll('\u0000', ''), 'read']),
      ),
    }),
  );

  test('are text of a drawing that is well formed', () => {
    const { elements, texts } = parsed(mapSvg(map));
    expect([...new Set(elements)].sort()).toEqual(
      ['a', 'clipPath', 'defs', 'g', 'path', 'rect', 'style', 'svg', 'text', 'title'].sort(),
    );
    expect(texts).toEqual(
      expect.arrayContaining([
        '</text><script>alert(1)</script>'.slice(0, 30).concat('…'),
        'U+202Eevil',
        'מנהלים',
        `role ${'long'.repeat(50)} of auth/ci`,
      ]),
    );
    expect(texts.filter((text) => text.startsWith('long'))).toContain(`${'long'.repeat(7)}lo…`);
  });

  test('are text of a page', () => {
    const page = mapPage(map);
    for (const given of ['<script', '<!--', 'javascript:alert(1)">', '\u0000', '\u202e'])
      expect(page).not.toContain(given);
    expect(page.match(/<style>/g)).toHaveLength(2);
  });
});

describe('the page of a map', () => {
  test('says each grant in a table, and what no one has', () => {
    const rows = mapPage(mapOf(small))
      .split('\n')
      .filter((line) => line.startsWith('<tr>'))
      .map((row) =>
        row
          .replace(/<br>/g, '; ')
          .replace(/<\/t[hd]>/g, ' | ')
          .replace(/<[^>]*>/g, '')
          .replaceAll('&#34;', '"'),
      );
    expect(rows).toEqual(
      expect.arrayContaining([
        'role build of auth/ci | claim sub "shop", audience "secrets" (auth/ci) | policy shop | secret/data/shop/*: read; secret/data/shop/private: deny | ',
        'group "Admins" | people in /admins (auth/staff) | policy admin | secret/*: read, update | ',
        'no one | – | policy unused | secret/*: read | ',
      ]),
    );
  });

  test('runs nothing and asks for nothing', () => {
    const page = mapPage(mapOf(small));
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<link|src=/);
  });
});
