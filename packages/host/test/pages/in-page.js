// Functions for `page.evaluate('inPage.…')`. Chromium runs this file first in every page of a test.

globalThis.inPage = {
  /** Name of the focused element; empty for none. */
  focused() {
    const element = document.activeElement;
    if (element === null || element === document.body) return '';
    return element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '';
  },

  /** Outline style and width of the focused element; empty for none. */
  focusOutline() {
    const element = document.activeElement;
    if (element === null || element === document.body) return '';
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return `${outlineStyle} ${outlineWidth}`;
  },

  openEverything() {
    for (const one of document.querySelectorAll('details')) one.open = true;
  },

  closeEverything() {
    for (const one of document.querySelectorAll('details')) one.open = false;
  },

  /** Problems of the document. */
  documentProblems() {
    const problems = [];
    if (document.documentElement.lang !== 'en') problems.push('the document has no language');
    if (document.title.trim() === '') problems.push('the document has no title');
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    for (const id of ids.filter((one, index) => ids.indexOf(one) !== index)) {
      problems.push(`two elements are #${id}`);
    }
    for (const name of ['aria-describedby', 'aria-labelledby', 'for', 'list']) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        for (const id of element.getAttribute(name).split(/\s+/)) {
          if (!ids.includes(id)) problems.push(`${name} names #${id}, which is not there`);
        }
      }
    }
    for (const group of document.querySelectorAll('fieldset')) {
      if (group.querySelector(':scope > legend') === null) problems.push('a fieldset has no legend');
    }
    if (document.querySelector('[tabindex]:not([tabindex="-1"], [tabindex="0"])') !== null) {
      problems.push('an order of tabs of its own');
    }
    const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map(({ tagName }) =>
      Number(tagName[1]),
    );
    levels.forEach((level, index) => {
      const before = levels[index - 1];
      if (before !== undefined && level > before + 1)
        problems.push(`a heading jumps from ${before} to ${level}`);
    });
    if (document.documentElement.scrollWidth > window.innerWidth) problems.push('wider than the window');
    return problems;
  },

  /** Texts with a contrast below WCAG AA (4.5, and 3 for large text), with that contrast. */
  contrastProblems() {
    const read = (text) => {
      const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
      return [red, green, blue, alpha];
    };
    const over = (top, below) =>
      [0, 1, 2].map((index) => top[index] * top[3] + below[index] * (1 - top[3])).concat(1);
    const linear = (value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    const luminance = ([red, green, blue]) =>
      0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    const background = (element) => {
      if (element === null) return [255, 255, 255, 1];
      const own = read(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, background(element.parentElement));
    };
    const problems = [];
    for (const element of document.body.querySelectorAll('*')) {
      const text = [...element.childNodes].find(
        (node) => node.nodeType === 3 && node.textContent.trim() !== '',
      );
      const isField = element.matches('input:not([type=hidden], [type=radio]), textarea');
      if ((text === undefined && !isField) || element.getClientRects().length === 0) continue;
      const style = getComputedStyle(element);
      const behind = background(element);
      const [one, other] = [luminance(over(read(style.color), behind)), luminance(behind)];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (isLarge ? 3 : 4.5)) {
        problems.push(
          `${ratio.toFixed(2)}: ${element.tagName} ${text?.textContent.trim().slice(0, 40) ?? ''}`,
        );
      }
    }
    return problems;
  },

  /** Words of an element that are on more than one line. Separators of identifiers end a word, too. */
  brokenWords(selector) {
    const broken = [];
    const texts = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      for (const { index, 0: word } of text.data.matchAll(/[^\s_/.:@=-]+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
      }
    }
    return broken;
  },

  /** Colors and mean brightness of a picture: 0 is black, 1 is white. */
  async picture(base64) {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const colors = new Set();
    let sum = 0;
    for (let at = 0; at < data.length; at += 4) {
      colors.add(data[at] * 65_536 + data[at + 1] * 256 + data[at + 2]);
      sum += (data[at] + data[at + 1] + data[at + 2]) / 765;
    }
    return { colors: colors.size, brightness: sum / (data.length / 4) };
  },
};
