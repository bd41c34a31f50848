import { describe, expect, test } from '@jest/globals';
import { textIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { pagesPerTest, watchedStack } from './page-server.ts';

const minute = 60_000;
const { now } = watchedStack('p/x');
const { pages, browser } = pagesPerTest();

const show = (...stacks: ReturnType<typeof watchedStack>[]) => {
  for (const one of stacks) pages().watched.set(one.id, one);
};
const page = async (path: string) => {
  await browser().submit('/ui/sign-in', { token: 'a-readers-token' });
  return await browser().visit(path);
};

test('who is not signed in is led to the sign-in page, and then to the stack', async () => {
  show(watchedStack('shop/prod'));
  const answer = await browser().send('/ui/watch/shop%2Fprod');
  const to = new URL(answer.headers.get('location') ?? '', pages().address).searchParams.get('to') ?? '';
  expect(to).toBe('/ui/watch/shop%2Fprod');
  const { path, text } = await browser().submit('/ui/sign-in', { token: 'a-readers-token', to });
  expect([path, text]).toEqual([to, expect.stringContaining('prod')]);
});

describe('the list of watched stacks', () => {
  test('says how to watch where nothing is watched', async () => {
    expect(textIn((await page('/ui/watch')).text)).toContain('gatehouse serve --watch');
  });

  test('has what is wrong first, since when, and when it was last seen', async () => {
    show(
      watchedStack('p/calm'),
      watchedStack('p/drifting', { outcome: 'drift', summary: '3 of 12 differ', sinceAt: now - 90 * minute }),
      watchedStack('p/broken', { outcome: 'failed', summary: 'token_refused', seenAt: undefined }),
    );
    const text = textIn((await page('/ui/watch')).text);
    expect(text.indexOf('broken')).toBeLessThan(text.indexOf('drifting'));
    expect(text.indexOf('drifting')).toBeLessThan(text.indexOf('calm'));
    expect(text).toMatch(/drifting[\s\S]*3 of 12 differ[\s\S]*1 h ago/);
    expect(text).toMatch(/broken[\s\S]*token refused[\s\S]*never/);
  });

  test('says with which commit it compares, and that there are two', async () => {
    show(watchedStack('p/a'), watchedStack('p/b'));
    expect(textIn((await page('/ui/watch')).text)).toContain('Compared with commit 1a2b3c4d5e6f.');
    show(watchedStack('p/c', { comparedWith: 'not a git checkout' }));
    const text = textIn((await page('/ui/watch')).text);
    expect(text).toContain('Compared with 2 states of checkouts:');
    expect(text).toMatch(/commit 1a2b3c4d5e6f \(2\)[\s\S]*not a git checkout \(1\)/);
  });

  test('does not take what is old for what is', async () => {
    show(
      watchedStack('p/gone', { listedAt: now - 10 * minute }),
      watchedStack('p/late', { nextAt: now - 10 * minute }),
    );
    const text = textIn((await page('/ui/watch')).text);
    expect(text).toMatch(/late[\s\S]*gone[\s\S]*not watched any more/);
    expect(text).not.toContain('no drift\n');
  });

  test('names who gains and the worst finding, those first where someone gains', async () => {
    const access = (gains: 'none' | 'some' | 'unknown', ...gained: string[]) =>
      ({ gains, life: 'same', gained: ['A sentence.', ...gained] }) as const;
    const findings = [{ text: '~  policy shop  text: not as declared\n     + path "*" {', since: now }];
    const drift = { outcome: 'drift', findings } as const;
    show(
      watchedStack('p/none', { ...drift, access: access('none') }),
      watchedStack('p/plain', drift),
      watchedStack('p/some', {
        ...drift,
        access: access('some', 'role a: jobs', '  – → x', 'role b', 'role c'),
      }),
      watchedStack('p/unknown', { ...drift, access: access('unknown', 'role q') }),
    );
    const text = textIn((await page('/ui/watch')).text);
    expect(text).toMatch(
      /some.*someone gains *role a, role b, 1 more *policy shop text: not as declared .*unknown.*not known.*none.*no one gains.*plain.*nothing bears on access/,
    );
    expect(text).not.toContain('path "*"');
  });

  test('links the last review', async () => {
    show(watchedStack('p/x', { reviewId: 'run-7', reviewedAt: now - 3 * minute }));
    expect((await page('/ui/watch')).text).toMatch(/href="\/ui\/runs\/run-7"[\s\S]*3 min ago/);
  });
});

describe('a watched stack', () => {
  test('shows the text of findings, each with its since, and never as markup', async () => {
    const text = '~  role <img src=x onerror=alert(1)>  ttl: 2h, declared 10m';
    show(watchedStack('p/x', { outcome: 'drift', findings: [{ text, since: now - minute }] }));
    const { text: shown } = await page('/ui/watch/p%2Fx');
    expect(shown).toContain('role &#60;img src=x onerror=alert(1)&#62;');
    expect(shown).not.toContain('<img src=x');
    expect(textIn(shown)).toContain('since 2026-11-20 09:59 UTC');
    expect(textIn(shown)).toContain('commit 1a2b3c4d5e6f');
  });

  test('says first who gains, as of the last reading that did not fail', async () => {
    const gained = ['1 role gains access.', 'role <b>web', '  – → read secret/*'];
    const access = { gains: 'some', life: 'same', gained } as const;
    show(watchedStack('p/x', { outcome: 'failed', access, findings: [{ text: 'a', since: now }] }));
    const { text } = await page('/ui/watch/p%2Fx');
    expect(textIn(text)).toMatch(
      /Verdict 1 role gains access\. As of 2026-11-20 10:00 UTC\. *Who gains *role <b>web *– → read secret\/\*.*Findings/,
    );
    expect(text).not.toContain('<b>web');
  });

  test('says that earlier findings may still be there where the last reading failed, and why it did', async () => {
    show(
      watchedStack('p/x', {
        outcome: 'failed',
        summary: 'namespace_not_found',
        findings: [{ text: 'a', since: now }],
        problem: 'The secrets service has no such namespace.\n  given: team',
      }),
    );
    const text = textIn((await page('/ui/watch/p%2Fx')).text);
    expect(text).toContain('What an earlier one found may still be there.');
    expect(text).toContain('given: team');
  });

  test('says of which findings the last reading saw nothing, and could not', async () => {
    const findings = [
      { text: 'a', since: now },
      { text: 'b', since: now, isHidden: true as const },
    ];
    show(watchedStack('p/x', { outcome: 'drift', findings }));
    const text = textIn((await page('/ui/watch/p%2Fx')).text);
    expect(text.match(/may be hidden now/g)).toHaveLength(1);
  });

  test('has the history of its changes', async () => {
    show(watchedStack('p/x'));
    pages().watchedChanges.push({
      changedAt: now,
      outcome: 'ok',
      summary: 'no drift',
      comparedWith: 'commit 2',
      appeared: [],
      gone: ['-  role web is missing'],
    });
    expect(textIn((await page('/ui/watch/p%2Fx')).text)).toMatch(
      /History[\s\S]*no drift[\s\S]*gone[\s\S]*role web is missing[\s\S]*commit 2/,
    );
  });

  test('shows the first of many findings, and how many are left', async () => {
    const findings = Array.from({ length: 205 }, (_, at) => ({ text: `finding ${at}.`, since: now + at }));
    show(watchedStack('p/x', { outcome: 'drift', findings }));
    const { text } = await page('/ui/watch/p%2Fx');
    expect(text).toContain('5 more are not shown');
    expect([text.includes('finding 4.'), text.includes('finding 204.')]).toEqual([true, false]);
  });

  test.each(['p%2Fy', 'p', '%00', '..%2Fx'])('is not found by %s', async (id) => {
    show(watchedStack('p/x'));
    expect((await page(`/ui/watch/${id}`)).status).toBe(404);
  });
});
