import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithChromium } from '../../../test/harness/chromium.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { emptyGraph } from '../../core/src/graph/graph.ts';
import {
  findingTitle,
  headline,
  markdownReport,
  readPlan,
  remarks,
  reportRows,
  review,
  rowLines,
  snapshotOf,
} from '../../core/src/review/index.ts';
import { terraform } from '../../core/test/review/plan/terraform.ts';
import { entries, graph as graphOf } from '../../core/test/worlds.ts';
import { give, type OpenedPage, oneLine, openPage, saidBy, writePage } from './opened-page.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const cases = ['edges', 'opentofu', 'pulumi'].flatMap((folder) => {
  const path = join(root, 'packages/core/test/review/cases', folder);
  return readdirSync(path).map(
    (name) => [`${folder}/${name}`, readFileSync(join(path, name), 'utf8')] as const,
  );
});
const sample = readFileSync(join(root, 'examples/plans/terraform-plan.json'), 'utf8');
const reviewed = (text: string) => review(readPlan(text), { now: BigInt(Date.now()) * 1_000_000n });

const ids = { mount: {}, group: {}, entity: {} };
const emptySnapshot = (server: string, at = '2026-11-01T02:00:00Z') =>
  snapshotOf({ graph: emptyGraph(), ids, missing: [] }, { at, server, namespace: '' }).text;
const planOf = (text: string) => terraform(entries(text));

/** All lines of a review. */
function linesOf(text: string): string[] {
  const result = reviewed(text);
  const { rows, findings, repeated } = reportRows(result);
  return [
    headline(result).slice(2),
    ...rows.flatMap(({ same: _, who, ...row }) => [
      ...rowLines({ ...row, who: [], cells: [] }),
      ...who.flatMap(({ name, details }) => [name, ...details]),
      ...row.cells.flatMap(({ before, after }) => [before, after]),
    ]),
    ...[...findings, ...repeated].flatMap((finding) => [
      findingTitle(finding, result.tool, Infinity),
      finding.message,
      finding.fix,
      finding.rule,
    ]),
    ...remarks(result),
  ];
}

describeWithChromium('the review page, opened from disk', (browser) => {
  let url: string;
  let opened: OpenedPage;
  let page: Page;
  beforeAll(async () => {
    url = await writePage();
  });
  beforeEach(async () => {
    opened = await openPage(browser(), url);
    page = opened.page;
  });
  afterEach(async () => {
    await opened.close();
    expect(opened.complaints).toEqual([]);
    expect(opened.requests.filter((request) => !request.startsWith('blob:'))).toEqual([]);
  });

  test('reviews its sample', async () => {
    await page.click('#sample');
    await page.waitForSelector('#review:not([hidden])');
    expect(oneLine(await page.innerText('#headline'))).toContain(headline(reviewed(sample)).slice(2));
  });

  describe('for real plans', () => {
    /** What the page says of a plan, and what it copies. */
    const answers: { name: string; text: string; said: string; copied: unknown }[] = [];
    beforeAll(async () => {
      const reading = await openPage(browser(), url);
      for (const [name, text] of cases) {
        await reading.page.reload();
        await give(reading.page, { name, text });
        await reading.page.click('#copy');
        await reading.page.waitForSelector('#copied:not(:empty)');
        const copied = await reading.page.evaluate('window.copied');
        answers.push({ name, text, copied, said: await saidBy(reading.page) });
      }
      await reading.close();
    });

    test('copies the very Markdown that the command prints', () => {
      const unlike = answers.filter(({ text, copied }) => copied !== markdownReport(reviewed(text)));
      expect(unlike.map(({ name }) => name)).toEqual([]);
      expect(answers.length).toBe(cases.length);
    });

    test('says all that the command says', () => {
      const missing = answers.flatMap(({ name, text, said }) =>
        linesOf(text)
          .filter((line) => !said.replaceAll('`', '').includes(oneLine(line).replaceAll('`', '')))
          .map((line) => `${name}: ${line}`),
      );
      expect(missing).toEqual([]);
    });
  });

  test('shows what a person would type as code', async () => {
    await page.click('#sample');
    await page.waitForSelector('#review:not([hidden])');
    expect(await page.locator('#report .finding p:not(.fix) code').allInnerTexts()).toContain('auth/*');
    expect(await saidBy(page)).not.toContain('`');
  });

  test('keeps what is searched for, and says how much that is', async () => {
    await give(page, { name: 'plan.json', text: sample });
    await page.fill('#search', 'ON-CALL');
    await page.waitForSelector('#found:not(:empty)');
    expect(await page.innerText('#found')).toBe('1 of 7 rows, 0 of 3 findings');
    expect(await page.locator('.access-table tbody').count()).toBe(1);
    await page.fill('#search', '');
    await page.waitForSelector('#found:empty', { state: 'attached' });
    expect(await page.locator('.access-table tbody').count()).toBe(7);
  });

  test('says who can do something once the plan is applied', async () => {
    await give(page, { name: 'plan.json', text: sample });
    await page.fill('#path', 'https://vault.example.com/v1/secret/data/shop/x');
    await page.press('#path', 'Enter');
    await page.waitForSelector('#who-can-answer strong');
    const said = oneLine(await page.innerText('#who-can-answer'));
    expect(said).toMatch(/^\d+ principals can read secret\/data\/shop\/x \(plan\)/);
    expect(said).toContain('role staff/reader');
    await page.fill('#path', 'a*b');
    await page.click('#ask');
    await page.waitForSelector('#who-can-answer .error');
    expect(await page.innerText('#who-can-answer')).toContain('takes a * only at its end');
  });

  test('a second plan takes the place of the first, and a removed one leaves nothing', async () => {
    await give(page, { name: 'first.json', text: sample });
    await give(page, { name: 'second.json', text: cases[0]![1] });
    expect(await page.locator('#files .name').allInnerTexts()).toEqual(['second.json']);
    await page.click('text=Remove');
    await page.waitForSelector('#files:empty', { state: 'attached' });
    expect(await page.isVisible('#review')).toBe(false);
  });

  test.each<[what: string, file: { name: string; text: string }, said: RegExp]>([
    [
      'a picture',
      { name: 'plan.png', text: '\x89PNG\r\n' },
      /plan\.png: the plan is not JSON.*Write it to a file/,
    ],
    ['nothing', { name: 'plan.json', text: '' }, /the plan is empty.*The command that writes it failed/],
    [
      'a saved plan',
      { name: 'tfplan', text: 'PK\x03\x04…' },
      /tfplan: an archive: the saved plan.*terraform show -json PLAN > plan\.json/,
    ],
    [
      'the text of a plan',
      { name: 'plan.txt', text: 'Terraform will perform the following actions:' },
      /the text that people read/,
    ],
    ['half a plan', { name: 'plan.json', text: sample.slice(0, 5000) }, /truncated JSON/],
    [
      'a state',
      { name: 'state.json', text: '{"format_version":"1.0","values":{}}' },
      /a Terraform state, not a plan/,
    ],
    ['a plan of another tool', { name: 'stack.json', text: '{"Resources":{}}' }, /a CloudFormation template/],
    ['other JSON', { name: 'list.json', text: '[1]' }, /not a plan, but other JSON/],
    ['half a snapshot', { name: 'a.snapshot', text: '{"snapshot":2,' }, /The snapshot cannot be read/],
  ])('refuses %s in a line with what to do, and runs nothing', async (_, file, said) => {
    await give(page, file);
    expect(oneLine(await page.innerText('#problems'))).toMatch(said);
    expect(await page.isVisible('#review')).toBe(false);
    expect(await page.isVisible('#who-can')).toBe(false);
  });

  test('refuses a file of 500 MB without reading it', async () => {
    const file = join(temporaryFolder(), 'huge.json');
    writeFileSync(file, '{"format_version":');
    truncateSync(file, 500 * 1024 * 1024);
    await give(page, file);
    expect(oneLine(await page.innerText('#problems'))).toMatch(
      /huge\.json: the plan is too large.*at most 64 MiB/,
    );
  });

  describe('a snapshot in which names are hashed', () => {
    const key = 'a key of sixteen letters';
    const plan = planOf(`~ entity ann reader → reader,deploy`);
    const hashed = (at = new Date().toISOString()) =>
      snapshotOf(
        { graph: graphOf('entity ann reader\n entity-alias ann people ann\n complete'), ids, missing: [] },
        { at, server: 'https://a.example.com', namespace: '' },
        key,
      ).text;

    test('asks for its key, and says what is not known without it', async () => {
      await give(page, { name: 'a.snapshot', text: hashed() });
      await give(page, { name: 'plan.json', text: plan });
      expect(oneLine(await page.innerText('#key-part'))).toContain(
        'Without its key, people are not told apart.',
      );
      expect(await saidBy(page)).toContain('their names are hashed, and the key is not here');
      await page.fill('#key', `${key}\n`);
      await page.press('#key', 'Enter');
      await page.waitForSelector('body:not(.busy)');
      const said = await saidBy(page);
      expect(said).toContain('entity ann');
      expect(said).not.toMatch(/hashed|not verified/);
    });

    test('is kept where the key is another one', async () => {
      await give(page, { name: 'a.snapshot', text: hashed() });
      await page.fill('#key', 'another key of letters');
      await page.click('#use-key');
      await page.waitForSelector('#problems .finding');
      expect(oneLine(await page.innerText('#problems'))).toContain(
        'The snapshot was written with another key',
      );
      expect(await page.locator('#files .name').allInnerTexts()).toEqual(['a.snapshot']);
      expect(await page.isVisible('#key')).toBe(true);
    });
  });

  test('a snapshot of another service than the plan’s is refused', async () => {
    const text = JSON.stringify({
      ...JSON.parse(sample),
      configuration: {
        provider_config: {
          vault: { name: 'vault', expressions: { address: { constant_value: 'https://a.example.com' } } },
        },
      },
    });
    await give(
      page,
      { name: 'plan.json', text },
      { name: 'b.snapshot', text: emptySnapshot('https://b.example.com') },
    );
    expect(oneLine(await page.innerText('#problems'))).toContain(
      'The snapshot is of another service than the plan’s.',
    );
    expect(await page.isVisible('#review')).toBe(false);
  });

  test('two snapshots of two services cannot be compared; of one, they are', async () => {
    const first = {
      name: 'a.snapshot',
      text: emptySnapshot('https://a.example.com', '2026-11-01T02:00:00Z'),
    };
    const other = {
      name: 'b.snapshot',
      text: emptySnapshot('https://b.example.com', '2026-11-02T02:00:00Z'),
    };
    await give(page, first, other);
    expect(oneLine(await page.innerText('#problems'))).toMatch(/The snapshots cannot be compared/);
    await page.reload();
    const later = {
      name: 'b.snapshot',
      text: emptySnapshot('https://a.example.com', '2026-11-02T02:00:00Z'),
    };
    await give(page, later, first);
    expect(await saidBy(page)).toContain('from 2026-11-01T02:00:00Z to 2026-11-02T02:00:00Z');
    opened.requests.splice(0);
  });

  test('a plan with scripts in every text is text', async () => {
    const attack =
      '</script><script>alert(1)</script><img src="http://127.0.0.1:9/x" onerror="alert(2)"><a href="javascript:alert(3)">x</a>\u202e';
    const replaced = JSON.parse(sample, (key, value) =>
      typeof value === 'string' && ['role_name', 'name', 'backend', 'project_path'].includes(key)
        ? `${value}${attack}`
        : value,
    );
    const before = await page.locator('script, img, a, iframe, object, style, link').count();
    await give(page, { name: `${attack}.json`, text: JSON.stringify(replaced) });
    expect(await saidBy(page)).toContain('<img src="http://127.0.0.1:9/x" onerror="alert(2)">');
    expect(await page.locator('script, img, a, iframe, object, style, link').count()).toBe(before);
    expect(await page.innerText('body')).not.toContain('\u202e');
  });

  describe.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('in %s, %i pixels wide', (colorScheme, width) => {
    test('everything fits, and axe finds nothing serious', async () => {
      const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
      const look = await openPage(browser(), url, { colorScheme, viewport: { width, height: 800 } });
      try {
        const problems: string[] = [];
        for (const step of [
          async () => {},
          async () => {
            await look.page.click('#sample');
            await look.page.waitForSelector('#review:not([hidden])');
            await saidBy(look.page);
          },
          async () => give(look.page, { name: 'bad.json', text: 'x' }),
        ]) {
          await step();
          await look.page.evaluate(axe);
          const { violations } = (await look.page.evaluate('axe.run()')) as {
            violations: { id: string; impact: string; nodes: { html: string }[] }[];
          };
          problems.push(
            ...violations
              .filter(({ impact }) => ['serious', 'critical'].includes(impact))
              .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`),
          );
          const wide = await look.page.evaluate('document.documentElement.scrollWidth - innerWidth');
          if (Number(wide) > 0) problems.push(`${wide} pixels too wide`);
        }
        expect(problems).toEqual([]);
        expect(look.complaints).toEqual([]);
      } finally {
        await look.close();
      }
    });
  });
});

describeWithChromium('a script that runs in the review page', (browser) => {
  const asked: string[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url ?? '');
    response.end();
  });
  let address: string;
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
  });

  test('can send nothing, by none of the ways that a page has', async () => {
    const { page, requests, complaints, close } = await openPage(browser(), await writePage());
    try {
      await page.evaluate(`(async () => {
        const to = '${address}/';
        const add = (name, attributes) => document.body.append(Object.assign(document.createElement(name), attributes));
        await fetch(to + 'fetch').catch(() => {});
        navigator.sendBeacon(to + 'beacon', 'x');
        try { new WebSocket(to.replace('http', 'ws') + 'socket'); } catch {}
        try { new EventSource(to + 'events'); } catch {}
        try { new Worker(to + 'worker'); } catch {}
        const asking = new XMLHttpRequest(); asking.open('GET', to + 'xhr'); asking.send();
        for (const [name, attribute] of [['img', 'src'], ['script', 'src'], ['iframe', 'src'], ['audio', 'src'], ['embed', 'src'], ['object', 'data']])
          add(name, { [attribute]: to + name });
        for (const rel of ['stylesheet', 'preload', 'prefetch', 'icon', 'manifest']) add('link', { rel, as: 'image', href: to + rel });
        add('style', { textContent: '@import "' + to + 'style"; body { background: url(' + to + 'background) }' });
        document.body.setAttribute('style', 'background: url(' + to + 'attribute)');
        const form = Object.assign(document.createElement('form'), { action: to + 'form', method: 'post' });
        document.body.append(form); form.submit();
        const worker = new Worker(URL.createObjectURL(new Blob(['fetch("' + to + 'from-worker").catch(() => {}).then(() => postMessage(1)); try { importScripts("' + to + 'import") } catch {}'])));
        await new Promise((done) => { worker.onmessage = done; worker.onerror = done; });
        try { (0, eval)('1'); } catch (error) { window.evalProblem = error.name; }
      })()`);
      expect(await page.evaluate('window.evalProblem')).toBe('EvalError');
      expect(
        complaints.filter((text) => /Content Security Policy|Refused/.test(text)).length,
      ).toBeGreaterThan(10);
      expect(asked).toEqual([]);
      expect(requests.filter((url) => url.startsWith(address) && asked.length > 0)).toEqual([]);
    } finally {
      await close();
    }
  });
});
