import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Roles that need a name: controls and landmarks. */
const named = new Set([
  'button',
  'link',
  'textbox',
  'searchbox',
  'combobox',
  'radio',
  'checkbox',
  'listbox',
  'spinbutton',
  'Date',
  'DateTime',
  'DisclosureTriangle',
  'dialog',
  'radiogroup',
  'navigation',
  'region',
]);

/** What a screen reader can reach now, in order. */
export async function heard(page: Page): Promise<{ role: string; name: string; level?: number }[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: any[] };
  await session.detach();
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      role: String(role?.value),
      name: String(name?.value ?? '').trim(),
      level: properties.find((one: any) => one.name === 'level')?.value.value,
    }));
}

/**
 * Problems of a page for people who use a keyboard, a screen reader or see poorly. Checks Chromium's accessibility tree
 * and the document (`in-page.js`).
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const seen = await heard(page);
  const problems = seen
    .filter(({ role, name }) => named.has(role) && name === '')
    .map(({ role }) => `a ${role} has no name`);
  const once = {
    'first-level heading': seen.filter(({ role, level }) => role === 'heading' && level === 1).length,
    main: seen.filter(({ role }) => role === 'main').length,
    banner: seen.filter(({ role }) => role === 'banner').length,
  };
  for (const [what, count] of Object.entries(once)) if (count !== 1) problems.push(`${what}: ${count}`);
  const inside: string[] = await page.evaluate(
    '[...inPage.documentProblems(), ...inPage.contrastProblems()]',
  );
  return [...problems, ...inside];
}

/** Violations of serious or critical kind that axe-core finds in a page, each with the first element that has it. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Not by a script element, which the page's policy forbids.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => `${impact}: ${id} (${nodes[0]?.target.join(' ')})`);
}
