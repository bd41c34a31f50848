import { beforeEach, describe, expect, test } from '@jest/globals';
import { HttpBrowser, textIn } from '../../../secrets-service/test/ui/http-browser.ts';
import { delivery, pagesPerTest, run, startPages, task } from './page-server.ts';

let clock: number;
beforeEach(() => {
  clock = Date.parse('2026-11-20T10:00:00Z');
});
const { pages, browser } = pagesPerTest({ now: () => clock });

const signIn = (token = 'a-deployers-token', fields = {}) =>
  browser().submit('/ui/sign-in', { token, ...fields });
const id = delivery().id;

describe('who is not signed in', () => {
  test.each([
    '/ui/runs',
    '/ui/runs/run-1',
    '/ui/runs/run-1/events',
    '/ui/deliveries',
    `/ui/deliveries/${id}`,
  ])('is led from %s to the sign-in page', async (path) => {
    pages().runs.set('run-1', run());
    const response = await browser().send(path);
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/ui\/sign-in\?to=/),
    ]);
  });

  test.each(['/ui/runs/run-1/cancel', '/ui/runs/run-1/rerun', `/ui/deliveries/${id}/retry`])(
    'does nothing by POST %s',
    async (path) => {
      pages().runs.set('run-1', run());
      pages().deliveries.set(id, delivery());
      await browser().submit(path);
      expect(pages().acts).toEqual([]);
    },
  );

  test('is led from the address alone to the runs', async () => {
    expect((await browser().send('/')).headers.get('location')).toBe('/ui/runs');
  });
});

describe('signing in', () => {
  test('leads to the runs', async () => {
    const { path, text } = await signIn();
    expect([path, text]).toEqual(['/ui/runs', expect.stringContaining('staff-alice')]);
  });

  test('leads to where one wanted to go', async () => {
    const wanted = await browser().send('/ui/runs?stack=dev');
    const to = new URL(wanted.headers.get('location') ?? '', pages().address).searchParams.get('to') ?? '';
    expect((await signIn(undefined, { to })).path).toBe('/ui/runs?stack=dev');
  });

  test.each([
    'https://evil.example',
    '//evil.example',
    '/ui/runs\\@evil.example',
    '/ui/runs/../../evil',
    '/elsewhere',
    '/ui/sign-out',
    `/ui/runs?${'x'.repeat(9000)}`,
  ])('never leads to %.30s', async (to) => {
    expect((await signIn(undefined, { to })).path).toBe('/ui/runs');
  });

  test.each([['unknown'], [''], ['two words'], ['line\r\nX-Evil: yes'], ['x'.repeat(9000)]])(
    'is refused with the token %j',
    async (token) => {
      const { status, text } = await signIn(token);
      expect(status).toBe(403);
      expect(text).toContain('does not know this token');
      if (token !== '') expect(text).not.toContain(`"${token}"`);
    },
  );

  test('says so where the secrets service does not answer', async () => {
    pages().state.isReachable = false;
    expect((await signIn()).status).toBe(503);
  });

  test('gives the browser another id, so that nobody can know it beforehand', async () => {
    await browser().visit('/ui/sign-in');
    const before = browser().cookies.get('gatehouse-run-tasks');
    await signIn();
    expect(browser().cookies.get('gatehouse-run-tasks')).not.toBe(before);
  });

  test('keeps the token out of cookies and pages', async () => {
    const { text } = await signIn();
    expect([text, ...browser().setCookies].join()).not.toContain('a-deployers-token');
  });

  test('sets a cookie that scripts and other sites do not get', async () => {
    await signIn();
    expect(browser().setCookies.at(-1)).toMatch(/; Path=\/ui; HttpOnly; SameSite=Lax$/);
  });
});

test('over TLS the cookie is the host’s alone', async () => {
  const secure = await startPages({ secure: true });
  const response = await fetch(`${secure.address}/ui/sign-in`);
  await secure.close();
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-gatehouse-run-tasks=[\w-]{43}; Path=\/; Secure; /,
  );
});

describe('a session', () => {
  test('ends with its token', async () => {
    await signIn();
    pages().people.clear();
    expect((await browser().visit('/ui/runs')).path).toBe('/ui/sign-in?notice=ended&to=%2Fui%2Fruns');
  });

  test('stays when the secrets service does not answer for a while', async () => {
    await signIn();
    pages().state.isReachable = false;
    expect((await browser().visit('/ui/runs')).status).toBe(503);
    pages().state.isReachable = true;
    expect((await browser().visit('/ui/runs')).status).toBe(200);
  });

  test('is over after eight hours without a request', async () => {
    await signIn();
    clock += 8 * 3600 * 1000 - 1;
    expect((await browser().visit('/ui/runs')).status).toBe(200);
    expect((await browser().visit('/ui/runs')).path).toBe('');
    clock += 8 * 3600 * 1000;
    expect((await browser().visit('/ui/runs')).path).toContain('/ui/sign-in');
  });

  test('ends when one signs out', async () => {
    await signIn();
    const cookie = browser().cookies.get('gatehouse-run-tasks') ?? '';
    await browser().submit('/ui/sign-out');
    browser().cookies.set('gatehouse-run-tasks', cookie);
    expect((await browser().visit('/ui/runs')).path).toContain('/ui/sign-in');
  });
});

describe('acting', () => {
  beforeEach(() => {
    pages().runs.set('run-1', run());
    pages().runs.set('run-0', run({ id: 'run-0', status: 'applied', endedAt: run().createdAt }));
    pages().deliveries.set(id, delivery());
  });
  const actions: [path: string, act: string, to: string][] = [
    ['/ui/runs/run-1/cancel', 'canceled run-1 staff-alice', '/ui/runs/run-1'],
    ['/ui/runs/run-0/rerun', 'rerun run-0 staff-alice', '/ui/runs/run-2'],
    [`/ui/deliveries/${id}/retry`, `retry ${id}`, `/ui/deliveries/${id}`],
  ];

  test.each(actions)('POST %s does it, and leads on', async (path, act, to) => {
    await signIn();
    const { path: led } = await browser().submit(path);
    expect([pages().acts, led]).toEqual([[act], to]);
  });

  test.each(actions)('POST %s is refused to who may only look', async (path) => {
    await signIn('a-readers-token');
    const { status } = await browser().submit(path);
    expect([status, pages().acts]).toEqual([403, []]);
  });

  test.each(actions)('POST %s is refused without the token of a form of ours', async (path) => {
    await signIn();
    const answers = [
      await browser().post(path, {}),
      await browser().post(path, { form_token: 'x'.repeat(43) }),
      await browser().send(path, {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: `form_token=${await browser().formToken()}`,
      }),
    ];
    expect([answers.map(({ status }) => status), pages().acts]).toEqual([[403, 403, 403], []]);
  });

  test('is refused with the form of another browser', async () => {
    await signIn();
    const other = new HttpBrowser(pages().address);
    const response = await browser().post('/ui/runs/run-1/cancel', { form_token: await other.formToken() });
    expect([response.status, pages().acts]).toEqual([403, []]);
  });

  test('too late says why, on the page itself', async () => {
    await signIn();
    const { status, text } = await browser().submit('/ui/runs/run-0/cancel');
    expect(status).toBe(409);
    expect(textIn(/role="alert">([\s\S]*?)<\/div>/.exec(text)?.[1] ?? '')).toBe('The run has ended.');
  });

  test.each([
    ['who may only look', 'a-readers-token', 'run-1', []],
    ['a run under way', 'a-deployers-token', 'run-1', ['cancel']],
    ['a run that has ended', 'a-deployers-token', 'run-0', ['rerun']],
  ])('is offered as it is possible: %s', async (_, token, runId, offered) => {
    await signIn(token);
    const { text } = await browser().visit(`/ui/runs/${runId}`);
    expect([...text.matchAll(/action="\/ui\/runs\/[^/]+\/(\w+)"/g)].map(([, name]) => name)).toEqual(offered);
  });

  test.each([
    ['reviewed', true],
    ['delivered', false],
    ['working', false],
    ['unsure', false],
    ['given_up', false],
  ] as const)('on a delivery that is %s: a retry is offered, %p', async (status, isOffered) => {
    pages().deliveries.set(id, delivery({ status }));
    await signIn();
    expect((await browser().visit(`/ui/deliveries/${id}`)).text.includes('/retry"')).toBe(isOffered);
  });
});

describe('every page', () => {
  test('has a strict policy, and is never kept', async () => {
    await signIn();
    const { headers } = await browser().send('/ui/runs');
    expect([headers.get('content-security-policy'), headers.get('cache-control')]).toEqual([
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; connect-src 'self'",
      'no-store',
    ]);
  });

  test('that is not there is a 404', async () => {
    await signIn();
    const missing = ['/ui/runs/none', '/ui/runs/none/events', '/ui/deliveries/none'];
    expect(await Promise.all(missing.map(async (path) => (await browser().send(path)).status))).toEqual([
      404, 404, 404,
    ]);
  });
});

describe('what comes from outside', () => {
  const evil = '<img src=x onerror=alert(1)>';
  const evilUrl = 'javascript:alert(1)';
  test('is text, or Markdown without markup, wherever it stands', async () => {
    await signIn();
    pages().runs.set(
      'run-1',
      run({
        message: evil,
        stack: evil,
        createdBy: evil,
        reason: evil,
        tasks: [
          task({
            name: evil,
            message: evil,
            url: evilUrl,
            acceptedAt: null,
            trouble: evil,
            outcomes: [
              {
                outcomeId: evil,
                description: evil,
                url: evilUrl,
                body: `${evil}\n\n[x](${evilUrl}) <script>alert(1)</script>`,
                tags: {
                  Severity: [{ label: evil, level: 'error' }],
                  [evil]: [{ label: evil, level: 'none' }],
                },
              },
            ],
          }),
        ],
      }),
    );
    pages().deliveries.set(
      id,
      delivery({ workspaceName: evil, error: evil, runAppUrl: evilUrl, request: { evil } }),
    );
    const texts = await Promise.all(
      ['/ui/runs', '/ui/runs/run-1', '/ui/deliveries', `/ui/deliveries/${id}`].map(
        async (path) => (await browser().visit(path)).text,
      ),
    );
    for (const text of texts) {
      expect(text).not.toContain('<img');
      expect(text).not.toContain('href="javascript:');
      expect(text).not.toMatch(/<script(?! type="module" src="\/ui\/assets\/)/);
    }
  });

  test('is shown as what was sent, and never with a token', async () => {
    await signIn();
    const request = { stage: 'post_plan', access_token: 'a-token-of-the-platform' };
    pages().deliveries.set(id, delivery({ request }));
    const { text } = await browser().visit(`/ui/deliveries/${id}`);
    expect(textIn(text)).toContain('"stage": "post_plan"');
    expect(text).not.toContain('a-token-of-the-platform');
  });
});

describe('lists', () => {
  test('of deliveries are of one status where that is asked for', async () => {
    await signIn();
    pages().deliveries.set('one', delivery({ id: 'one' }));
    pages().deliveries.set('two', delivery({ id: 'two', status: 'delivered' }));
    const listed = async (path: string) =>
      [...(await browser().visit(path)).text.matchAll(/<a id="delivery-([^"]+)"/g)].map(([, name]) => name);
    expect([await listed('/ui/deliveries'), await listed('/ui/deliveries?status=delivered')]).toEqual([
      ['one', 'two'],
      ['two'],
    ]);
  });
});

test('news of a run come as server-sent events', async () => {
  pages().runs.set('run-1', run());
  await signIn();
  const response = await browser().send('/ui/runs/run-1/events');
  const reader = response.body?.getReader();
  const read = async () => new TextDecoder().decode((await reader?.read())?.value);
  const first = await read();
  pages().change(run({ status: 'applying' }));
  const second = await read();
  await reader?.cancel();
  expect([response.headers.get('content-type'), first, second]).toEqual([
    'text/event-stream',
    'event: run\ndata: \n\n',
    'event: run\ndata: \n\n',
  ]);
});
