import { describe, expect, test } from '@jest/globals';
import { heading } from '../../../web/pages/heading.ts';

describe('the heading of a page', () => {
  test.each([
    ['Runs', '<h1>Runs</h1>'],
    ['A run of the shop team', '<h1>A run of the shop team</h1>'],
    ['', '<h1></h1>'],
    ['a_b/c.d', '<h1>a_b/c.d</h1>'],
    ['of a_long_name/at.example', '<h1>of a_<wbr>long_<wbr>name/<wbr>at.<wbr>example</h1>'],
    ['a-long-name-with-hyphens', '<h1>a-long-name-with-hyphens</h1>'],
    ['<b>_that_is_bold_</b>', '<h1>&#60;b&#62;_<wbr>that_<wbr>is_<wbr>bold_<wbr>&#60;/<wbr>b&#62;</h1>'],
  ])('%j breaks after the separators of long identifiers alone', (title, markup) => {
    expect(heading(title).markup).toBe(markup);
  });

  test.each([
    [16, ''],
    [17, ' class="long"'],
    [22, ' class="long"'],
    [23, ' class="longest"'],
    [5000, ' class="longest"'],
  ])('is smaller with a word of %i characters: %s', (length, look) => {
    const word = 'x'.repeat(length);
    expect(heading(`of ${word} and`).markup).toBe(`<h1${look}>of ${word} and</h1>`);
  });
});
