import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { mapPage } from '../../../../core/review/map/map-page.ts';
import { mapSvg } from '../../../../core/review/map/map-svg.ts';
import { describeWithChromium } from '../../../harness/chromium.ts';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { accessibilityProblems } from '../../../web/pages/accessibility.ts';
import { looks, openWatched } from '../../../web/pages/watched-page.ts';
import { large, mapOf, small } from './small-map.ts';

const folder = temporaryFolder();
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name)).href;
};
/** Titles of the lines, and ids of the boxes, that are seen. */
const seen = `({
  lines: [...document.querySelectorAll('.line')].filter((one) => getComputedStyle(one).visibility === 'visible').map((one) => one.textContent).sort(),
  boxes: [...document.querySelectorAll('.node > rect')].filter((one) => getComputedStyle(one).visibility === 'visible').length,
})`;

describeWithChromium('an access map in a browser', (browser) => {
  test.each(looks)('reads well for everyone: %s, %d pixels', async (colorScheme, width) => {
    const watched = await openWatched(browser(), { colorScheme, viewport: { width, height: 800 } });
    try {
      for (const map of [mapOf(small), mapOf(large()), mapOf(small, large())]) {
        await watched.page.goto(write('map.html', mapPage(map)));
        expect(await accessibilityProblems(watched.page)).toEqual([]);
        await watched.page.goto(`${write('map.html', mapPage(map))}#n1`);
        expect(await accessibilityProblems(watched.page)).toEqual([]);
      }
      expect(watched.complaints).toEqual([]);
    } finally {
      await watched.close();
    }
  });

  test.each([
    ['a page', 'map.html', mapPage(mapOf(small))],
    ['a drawing alone', 'map.svg', mapSvg(mapOf(small))],
  ])('shows of %s what is chosen by keyboard or mouse, and everything again', async (_, name, text) => {
    const watched = await openWatched(browser());
    const { page } = watched;
    try {
      await page.goto(write(name, text));
      const all = await page.evaluate<{ boxes: number; lines: string[] }>(seen);
      expect(all.boxes).toBe(17);
      expect(all.lines).toHaveLength(14);
      const box = page.locator('a.node[aria-label*="policy admin"]');
      await box.focus();
      await page.keyboard.press('Enter');
      const chosen = {
        lines: [
          'group "Admins" → policy admin',
          'people in /admins → group "Admins"',
          'policy admin → secret/*: read, update',
        ],
        boxes: 4,
      };
      expect(await page.evaluate(seen)).toEqual(chosen);
      await page.locator('a.all').click();
      expect(await page.evaluate(seen)).toEqual(all);
      await box.click();
      expect(await page.evaluate(seen)).toEqual(chosen);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.classList.contains("node")')).toBe(true);
      expect(watched.complaints).toEqual([]);
    } finally {
      await watched.close();
    }
  });
});
