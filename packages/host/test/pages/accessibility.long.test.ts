import { expect, test } from '@jest/globals';
import { describeWithChromium } from '../../../../test/harness/chromium.ts';
import { accessibilityProblems, axeViolations } from './accessibility.ts';
import { openWatched } from './watched-page.ts';

const page = (body: string) =>
  `<!doctype html><html lang="en"><title>Title</title><header>x</header><main><h1>One</h1>${body}</main>`;

describeWithChromium('the checks of pages', (browser) => {
  test.each<[string, string, string[]]>([
    ['nothing', page('<p>Text</p>'), []],
    ['a button without a name', page('<button></button>'), ['a button has no name']],
    ['a field without a label', page('<input>'), ['a textbox has no name']],
    ['a link without a name', page('<a href="/"></a>'), ['a link has no name']],
    ['two first-level headings', page('<h1>Two</h1>'), ['first-level heading: 2']],
    ['no main landmark', page('').replaceAll('main>', 'div>'), ['main: 0']],
    ['no language', page('').replace(' lang="en"', ''), ['the document has no language']],
    ['a level that is left out', page('<h3>x</h3>'), ['a heading jumps from 1 to 3']],
    ['a fieldset without a legend', page('<fieldset></fieldset>'), ['a fieldset has no legend']],
    ['the same id twice', page('<p id="a">x</p><p id="a">y</p>'), ['two elements are #a']],
    [
      'a description that is not there',
      page('<p aria-describedby="b">x</p>'),
      ['aria-describedby names #b, which is not there'],
    ],
    ['an order of tabs', page('<button tabindex="2">x</button>'), ['an order of tabs of its own']],
    ['more than fits', page('<div style="width: 5000px">x</div>'), ['wider than the window']],
    ['little contrast', page('<p style="color: #999; background: #fff">pale</p>'), ['2.85: P pale']],
    [
      'large text of little contrast',
      page('<p style="color: #999; font-size: 30px">pale</p>'),
      ['2.85: P pale'],
    ],
    [
      'a see-through background',
      page('<div style="background: #000a"><p style="color: #777">x</p></div>'),
      [expect.stringMatching(/^1\.\d\d: P x$/) as never],
    ],
  ])('find %s', async (_, html, problems) => {
    const watched = await openWatched(browser());
    try {
      await watched.page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      await watched.page.goto('http://page.test/');
      expect(await accessibilityProblems(watched.page)).toEqual(problems);
    } finally {
      await watched.close();
    }
  });

  test('find what axe-core finds, where the page forbids scripts', async () => {
    const watched = await openWatched(browser());
    try {
      const headers = { 'content-type': 'text/html', 'content-security-policy': "default-src 'none'" };
      const body = page('<button></button>');
      await watched.page.route('**/*', (route) => route.fulfill({ headers, body }));
      await watched.page.goto('http://page.test/');
      expect(await axeViolations(watched.page)).toEqual(['critical: button-name (button)']);
    } finally {
      await watched.close();
    }
  });
});
