import { expect, test } from '@jest/globals';
import { breaches, literalsOf, proseOf } from '../../scripts/check-language.ts';

const found = (text: string) => breaches([{ text, line: 1 }]).map(({ why }) => why);
const long = `${'word '.repeat(26)}end.`;

test.each([
  ['Whoever signs in gets it.', /Whoever/],
  ['It is given to somebody else.', /somebody/],
  ['A policy by which they gain.', /by which/],
  ['Its text is not told.', /is not told/],
  ['Mend it.', /Mend/],
  ['The colour of a row.', /American/],
  [long, /27 words/],
])('breaks a rule: %s', (text, why) => {
  expect(found(text)).toEqual([expect.stringMatching(why)]);
});

test.each(['Recommend it.', 'Anyone can sign in.', `${'word '.repeat(25)}`, 'Many words: '.repeat(12)])(
  'breaks none: %s',
  (text) => {
    expect(found(text)).toEqual([]);
  },
);

test('reads literals of some words with their lines, and neither imports nor comments', () => {
  const source =
    "import 'a b c d.ts';\n// whoever reads this\nconst a = `no ${one} may do it`;\nconst code = 'one two';";
  expect(literalsOf(source)).toEqual([{ text: 'no X may do it', line: 3 }]);
});

test('reads paragraphs and cells of a page without its code', () => {
  const page = '# Title\n\nOne `code by which`\nparagraph.\n\n```sh\nwhoever\n```\n\n| a | b |\n';
  expect(proseOf(page).map(({ text }) => text.trim())).toEqual([
    '# Title',
    'One X paragraph.',
    '',
    'a',
    'b',
    '',
  ]);
});
