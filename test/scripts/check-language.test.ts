import { describe, expect, test } from '@jest/globals';
import { offensesOfMarkdown, offensesOfNames, offensesOfSource } from '../../scripts/check-language.ts';

const long = Array.from({ length: 26 }, () => 'word').join(' ');
const rulesIn = (found: { rule: string }[]) => found.map(({ rule }) => rule);

test.each(['// ', '/** ', ' * ', 'f(); // '])('a comment of %j is found by its spelling', (start) => {
  expect(offensesOfSource(`\n${start}The behaviour is told to somebody.`)).toEqual([
    { line: 2, text: 'The behaviour is told to somebody.', rule: 'behaviour' },
  ]);
});

describe('a comment', () => {
  test.each([
    ['Of many, one shows them.', 'Of many,'],
    ['It cannot be revoked, nor are its uses counted.', ', nor are'],
    ['Each secret is hidden; so are names.', '; so are'],
    ['What is accepted is always shown.', 'What is accepted is '],
  ])('is found by the shape of %j', (sentence, rule) => {
    expect(offensesOfSource(`/** Good. ${sentence} */`)).toEqual([{ line: 1, text: sentence, rule }]);
  });

  test('is read with its lines together, up to an empty one or a tag', () => {
    expect(rulesIn(offensesOfSource('/**\n * Of all that\n * is read, one counts.\n */'))).toEqual([
      'Of all that is read,',
    ]);
    expect(offensesOfSource('/**\n * Of all\n *\n * Some, one counts.\n */')).toEqual([]);
    expect(offensesOfSource('/**\n * Of all\n * @param a some, one counts\n */')).toEqual([]);
  });

  test.each([
    'Of course, it is there.',
    'What a command prints.',
    'What must be there before the method is configured.',
    'URNs that have a step, and so are not deleted.',
    'So far, it is fine.',
    'What is it?',
  ])('is fine as %j', (sentence) => {
    expect(offensesOfSource(`// ${sentence}`)).toEqual([]);
  });
});

describe('a literal', () => {
  test.each([
    'whoever',
    'somebody',
    'nobody who',
    'those who',
    'the one that',
    'is not told',
    'by which',
    'of which',
    'so it is',
    'mends',
    'Whoever',
    'behaviour',
    'recognised',
    'organisation',
    'cancelled',
    'modelled',
    'licence',
  ])('with %j is found', (word) => {
    expect(rulesIn(offensesOfSource(`const a = 'People here ${word} sign in.';`))).toEqual([word]);
  });

  test('with a sentence of more than 25 words is found, by its line', () => {
    const source = `\nconst a = 'Short enough here. ${long}.';`;
    expect(offensesOfSource(source)).toEqual([{ line: 2, text: `${long}.`, rule: '26 words' }]);
    expect(offensesOfSource(source.replace('word', ''))).toEqual([]);
  });

  test('is read with its values, and together with those it is added to', () => {
    const half = Array.from({ length: 13 }, () => 'word').join(' ');
    expect(rulesIn(offensesOfSource(`f(\`${half} \${a} \` + '${half}');`))).toEqual(['27 words']);
    expect(rulesIn(offensesOfSource(`const a = \`\${'told to somebody else'} and so on\`;`))).toEqual([
      'somebody',
    ]);
    expect(rulesIn(offensesOfSource("const a = b + 'told to somebody' + ' else';"))).toEqual(['somebody']);
  });

  test('ends a sentence where its page or its line does', () => {
    const [start, end] = [long.slice(0, 40), long.slice(40)];
    expect(
      offensesOfSource(`const a = html\`<p>${start}</p><p>${end}</p>\`, b = '${start}\\n${end}';`),
    ).toEqual([]);
  });

  test.each([
    ['a comment', '// told to somebody else'],
    ['a regex', 'const a = /told to somebody else/;'],
    ['fewer than three words', "const a = 'somebody else';"],
    ['a name', 'const somebody = { somebody };'],
    ['code in it', "const a = 'one that is `told to somebody else`';"],
    ['SQL', `const a = 'SELECT ${long}';`],
    ['a style sheet', `const a = \`p { color: grey; }\n${long}\`;`],
  ])('is not %s', (_, source) => {
    expect(offensesOfSource(source)).toEqual([]);
  });
});

describe('a name', () => {
  const namesIn = (source: string) => offensesOfNames(source).map(({ text, rule }) => `${text}: ${rule}`);

  test.each([
    'told',
    'made',
    'open',
    'on',
    'more',
    'others',
    'redrawn',
    'Piece',
    'way',
    'ways',
    'crowd',
    'holder',
    'holders',
    'holding',
    'bearer',
    'saying',
    'said',
    'alike',
    'beside',
    'begun',
    'moved',
    'joint',
    'settled',
    'Door',
    'whoever',
    'Somebody',
    'mend',
  ])('that is %s is found', (name) => {
    expect(namesIn(`const ${name} = 1;`)).toEqual([
      `${name}: ${name === 'Piece' ? name : name.toLowerCase()}`,
    ]);
  });

  test.each([
    ['a variable', 'let made;', 'made'],
    ['a parameter', 'f((more) => 1);', 'more'],
    ['a function', 'function told() {}', 'told'],
    ['a type', 'type Piece = 1;', 'Piece'],
    ['an interface', 'interface Piece {}', 'Piece'],
    ['a class', 'class Piece {}', 'Piece'],
    ['a property of a type', 'interface A { on: 1 }', 'on'],
    ['a property of a class', 'class A { open = 1 }', 'open'],
    ['a method', 'class A { open() {} }', 'open'],
    ['a parameter of a type', 'type A = (on: 1) => 2;', 'on'],
    ['part of a tuple', 'type A = [more: 1];', 'more'],
    ['what is taken out of an object', 'const { open } = a;', 'open'],
    ['what that is called here', 'const { b: open } = a;', 'open'],
    ['what an import is called here', "import { b as made } from 'b';", 'made'],
  ])('of %s is found', (_, source, name) => {
    expect(namesIn(source)).toEqual([`${name}: ${name}`]);
  });

  test('with such a word in it is found, by its line, and a private one', () => {
    expect(offensesOfNames('\nconst waysIn = 1;\nclass A { #isSettled = 1 }')).toEqual([
      { line: 2, text: 'waysIn', rule: 'ways' },
      { line: 3, text: '#isSettled', rule: 'settled' },
    ]);
  });

  test.each([
    ['a longer word', 'const [leeway, openBrowser, isUnsettled, adjoining, removed] = a;'],
    ['a key of a literal', "const a = { on: 1, 'open': 2 };"],
    ['the key that is renamed', 'const { on: path } = a;'],
    ['what a module exports', "import { open } from 'node:fs/promises';"],
    ['a use', 'a.on(open);'],
  ])('is not found in %s', (_, source) => {
    expect(namesIn(source)).toEqual([]);
  });
});

describe('Markdown', () => {
  const half = Array.from({ length: 13 }, () => 'word').join(' ');
  test.each([
    ['a paragraph of two lines', `${half}\n${half}`, ['26 words']],
    ['an item of two lines', `- ${half}\n  ${half}`, ['26 words']],
    ['a cell', `| somebody | ${long} |`, ['somebody', '26 words']],
    ['a heading', '# Whoever', ['Whoever']],
    ['the text of a link', `[somebody](a.md)`, ['somebody']],
    ['two paragraphs', `${half}\n\n${half}`, []],
    ['two items', `- ${half}\n- ${half}`, []],
    ['two cells', `| ${half} | ${half} |`, []],
    ['a heading above a paragraph', `# ${half}\n${half}`, []],
    ['a block of code', '```text\nsomebody\n```', []],
    ['code in a line', 'A word: `somebody`, `of which`.', []],
    ['the target of a link', '[page](somebody.md)', []],
    ['a list of names', Array.from({ length: 30 }, (_, at) => `\`n${at}\``).join(', '), []],
  ])('%s', (_, text, rules) => {
    expect(rulesIn(offensesOfMarkdown(text))).toEqual(rules);
  });

  test('says where the paragraph begins', () => {
    expect(offensesOfMarkdown('# A\n\nOne.\nTold to somebody.')).toEqual([
      { line: 3, text: 'Told to somebody.', rule: 'somebody' },
    ]);
  });
});
