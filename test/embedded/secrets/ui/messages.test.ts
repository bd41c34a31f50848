import { beforeEach, describe, expect, test } from '@jest/globals';
import { encodeMessage, messageFields } from '../../../../core/model/resources/custom-message.ts';
import { type Field, type FieldType, wireNameIn } from '../../../../core/model/resources/field.ts';
import { ask } from '../../../harness/ask.ts';
import { running } from '../../fixtures.ts';
import { fieldsIn, HttpBrowser, problemsIn, type Shown, textIn } from './http-browser.ts';
import { startUiService, wireMessage } from './ui-service.ts';

const atNoon = BigInt(Date.parse('2026-06-15T12:00:00Z')) * 1_000_000n;

let browser: HttpBrowser;
let now = atNoon;
const declaredMessages = async (namespace: string) => new Set(namespace === '' ? ['Declared'] : []);
const service = running(() => startUiService({ now: () => now, declaredMessages }));
beforeEach(async () => {
  now = atNoon;
  for (const id of Object.keys(await messages())) {
    await ask(service(), { method: 'DELETE', path: `sys/config/ui/custom-messages/${id}` });
  }
  browser = new HttpBrowser(service().address);
  await browser.signIn(service().token);
});

async function messages(): Promise<Record<string, { title: string }>> {
  const { status, body } = await ask(service(), { method: 'LIST', path: 'sys/config/ui/custom-messages' });
  return status === 200 ? body.data.key_info : {};
}

async function read(id: string): Promise<any> {
  const path = `sys/config/ui/custom-messages/${id}`;
  return (await ask(service(), { method: 'GET', path })).body.data;
}

/** Creates a message and returns its id. */
async function make(message: Record<string, unknown>): Promise<string> {
  return (await service().write('sys/config/ui/custom-messages', wireMessage(message))).data.id;
}

const filled = {
  title: 'Maintenance',
  message: 'Saturday, **02:00**',
  authenticated: 'true',
  type: 'modal',
  start: '2026-06-01T00:00',
  end: '2026-07-01T00:00',
  linkTitle: 'Status',
  linkUrl: 'https://status.example.com',
  do: 'save',
};

/** The titles below a heading of the list. */
function titlesBelow({ text }: Shown, state: string): string[] {
  const [, section = ''] = new RegExp(`<h2 id="${state}">([\\s\\S]*?)</section>`).exec(text) ?? [];
  return [...section.matchAll(/<th scope="row">([\s\S]*?)<\/th>/g)].map(([, title = '']) => textIn(title));
}

const previewOf = ({ text }: Shown) =>
  textIn(/<section id="preview"[\s\S]*?<\/section>/.exec(text)?.[0] ?? '');

describe('the list of messages', () => {
  beforeEach(async () => {
    await make({ title: 'Now' });
    await make({ title: 'Later', start_time: '2026-07-01T00:00:00Z' });
    await make({ title: 'Before', end_time: '2026-02-01T00:00:00Z' });
  });

  test('has them by what they are at this moment', async () => {
    const titles = async () => {
      const shown = await browser.open('/ui/messages');
      return ['active', 'scheduled', 'ended'].map((state) => titlesBelow(shown, state));
    };
    expect(await titles()).toEqual([['Now'], ['Later'], ['Before']]);
    now = BigInt(Date.parse('2026-07-01T00:00:00Z')) * 1_000_000n;
    await browser.signIn(service().token);
    expect(await titles()).toEqual([['Now', 'Later'], [], ['Before']]);
  });

  test('shows one state alone', async () => {
    const shown = await browser.open('/ui/messages?state=scheduled');
    expect(['active', 'scheduled', 'ended'].map((state) => titlesBelow(shown, state))).toEqual([
      [],
      ['Later'],
      [],
    ]);
    expect(shown.text).toContain('href="/ui/messages?state=scheduled" aria-current="true"');
  });

  test.each(['', '?state=', '?state=toString', '?state=<b>'])('shows all for %j', async (query) => {
    expect((await browser.open(`/ui/messages${query}`)).text.match(/<h2 id/g)).toHaveLength(3);
  });
});

describe('writing a message', () => {
  test('makes it as it was filled in', async () => {
    const { path, text } = await browser.submit('/ui/messages/new', filled);
    const [id = ''] = Object.keys(await messages());
    expect([path, text.includes('The message was created.')]).toEqual(['/ui/messages?notice=created', true]);
    expect(await read(id)).toMatchObject({
      id,
      title: 'Maintenance',
      message: btoa('Saturday, **02:00**'),
      authenticated: true,
      type: 'modal',
      active: true,
      start_time: '2026-06-01T00:00:00Z',
      end_time: '2026-07-01T00:00:00Z',
      link: { Status: 'https://status.example.com' },
      options: null,
    });
  });

  test('with errors says all of them beside their fields, keeps what was typed, and makes nothing', async () => {
    const shown = await browser.submit('/ui/messages/new', {
      ...filled,
      title: ' ',
      start: '',
      linkUrl: 'ftp://x"',
    });
    expect(shown.status).toBe(400);
    expect(problemsIn(shown)).toEqual([
      '3 fields need another look.',
      'Give the message a title.',
      'Say when it starts, for example 2026-12-01T02:00.',
      'A link must begin with https:// or http://.',
    ]);
    expect(shown.text).toMatch(
      /id="title" name="title" aria-describedby="title-problem" aria-invalid="true"/,
    );
    expect(shown.text).toContain('Saturday, **02:00**</textarea>');
    expect(shown.text).toContain('value="ftp://x&#34;"');
    expect(await messages()).toEqual({});
  });

  test('that the service refuses says so: there are 100 already', async () => {
    for (let count = 0; count < 100; count += 1) await make({ title: `Number ${count}` });
    const shown = await browser.submit('/ui/messages/new', filled);
    expect([shown.status, problemsIn(shown)]).toEqual([
      400,
      ['failed to create custom message: maximum number of messages already exist'],
    ]);
  });
});

describe('changing a message', () => {
  test('begins with what it says now', async () => {
    const id = await make({ title: 'A "quoted" <title>', message: '\nfirst line empty', type: 'modal' });
    const { text } = await browser.open(`/ui/messages/${id}`);
    expect(text).toContain('value="A &#34;quoted&#34; &#60;title&#62;"');
    expect(text).toContain('>\n\nfirst line empty</textarea>');
    expect(text).toContain('name="type" value="modal" checked');
  });

  test.each([true, false])(
    'saved as it was opened keeps every field of the table, flags being %s',
    async (flag) => {
      const samples: Partial<Record<FieldType, unknown>> = {
        ...{ text: 'x', flag, integer: 7, seconds: 7, texts: ['x'] },
        ...{
          instant: '2027-01-01T00:00:00.123456789Z',
          textsByName: { Status: 'https://status.example.com' },
        },
      };
      const values = Object.entries<Field>(messageFields).map(([name, { type, schema }]) => {
        const options = 'options' in schema ? (schema.options as unknown[]) : [];
        return [wireNameIn(messageFields, name), options.at(-1) ?? samples[type]];
      });
      const whole = {
        ...Object.fromEntries(values),
        message: encodeMessage('\none\n“two” <b>'),
        start_time: '2026-01-01T00:00:00.987654321Z',
      };
      const { id } = (await service().write('sys/config/ui/custom-messages', whole)).data;
      const before = await read(id);
      expect(before).toEqual({ ...whole, id, active: true });
      const fields = fieldsIn(await browser.open(`/ui/messages/${id}`));
      const { path } = await browser.submit(`/ui/messages/${id}`, { ...fields, do: 'save' });
      expect([path, await read(id)]).toEqual(['/ui/messages?notice=saved', before]);
    },
  );

  test.each(['', '/delete'])('that is gone is not there (%s)', async (more) => {
    const { status, text } = await browser.open(`/ui/messages/gone${more}`);
    expect([status, text.includes('what it showed is gone')]).toEqual([404, true]);
  });

  test('deletes it once one was asked', async () => {
    const id = await make({ title: 'Old' });
    const { text } = await browser.open(`/ui/messages/${id}/delete`);
    expect(text).toContain('This deletes “Old” for everyone.');
    expect(Object.keys(await messages())).toEqual([id]);
    expect((await browser.submit(`/ui/messages/${id}/delete`)).path).toBe('/ui/messages?notice=deleted');
    expect(await messages()).toEqual({});
  });
});

describe('the preview', () => {
  const preview = (change: object) =>
    browser.submit('/ui/messages/new', { ...filled, do: 'preview', ...change });

  test.each([
    [
      'the instant it starts',
      '2026-06-01T00:00:00',
      /^Preview At 2026-06-01 00:00 UTC, people see this after sign-in: Maintenance/,
    ],
    ['a second before', '2026-05-31T23:59:59', /no one sees it: it starts at 2026-06-01 00:00 UTC\.$/],
    ['the instant it ends', '2026-07-01T00:00:00', /no one sees it: it ended at 2026-07-01 00:00 UTC\.$/],
    ['a second before its end', '2026-06-30T23:59:59', /people see this/],
    ['now, where no instant is named', '', /^Preview At 2026-06-15 12:00 UTC, people/],
  ])('at %s', async (_, at, expected) => {
    expect(previewOf(await preview({ at }))).toMatch(expected);
  });

  test('makes nothing, and has the draft stand there still', async () => {
    const { text } = await preview({});
    expect(await messages()).toEqual({});
    expect(text).toContain('value="Maintenance"');
  });

  test.each([
    ['banner', 'class="stage"><div class="banner">'],
    ['modal', 'class="stage veiled"><div class="dialog">'],
  ])('of a %s looks like one', async (type, markup) => {
    expect((await preview({ type })).text).toContain(markup);
  });

  test('of a draft without a start says that it is not seen', async () => {
    expect(previewOf(await preview({ start: '' }))).toContain('No one sees it');
  });
});

describe('who may not administer messages', () => {
  test.each(['/ui/messages', '/ui/messages/x', '/ui/messages/x/delete'])('is told so at %s', async (path) => {
    const { auth } = await service().write('auth/token/create', { policies: ['default'] });
    await browser.signIn(auth.client_token);
    const { status, text } = await browser.open(path);
    expect([status, text.includes('Your policies do not allow this')]).toEqual([403, true]);
  });

  test('is told so when saving, and what was typed stays', async () => {
    const { auth } = await service().write('auth/token/create', { policies: ['default'] });
    await browser.signIn(auth.client_token);
    const shown = await browser.submit('/ui/messages/new', filled);
    expect([shown.status, problemsIn(shown)]).toEqual([403, ['Your policies do not allow this.']]);
    expect(shown.text).toContain('value="Maintenance"');
  });

  test('may with the policy for it', async () => {
    const { auth } = await service().write('auth/token/create', { policies: ['message-admin'] });
    await browser.signIn(auth.client_token);
    expect((await browser.submit('/ui/messages/new', filled)).path).toBe('/ui/messages?notice=created');
  });
});

describe('a message that the environment declares', () => {
  const warning = 'until the next deployment, which restores it';

  test('carries a mark in the list; others do not', async () => {
    await make({ title: 'Declared' });
    await make({ title: 'Made here' });
    const rows = titlesBelow(await browser.open('/ui/messages'), 'active');
    expect(rows.sort()).toEqual(['Declared declared', 'Made here']);
  });

  test.each(['', '/delete'])('warns at its page%s; others do not', async (page) => {
    const [declared, other] = [await make({ title: 'Declared' }), await make({ title: 'Made here' })];
    const text = async (id: string) => textIn((await browser.open(`/ui/messages/${id}${page}`)).text);
    expect(await text(declared)).toContain(warning);
    expect(await text(other)).not.toContain(warning);
  });

  test('is marked in its own namespace alone', async () => {
    await service().write('sys/namespaces/team', {});
    await service().write('sys/config/ui/custom-messages', wireMessage({ title: 'Declared' }), 'team');
    const other = new HttpBrowser(service().address);
    await other.signIn(service().token, 'team');
    expect(titlesBelow(await other.open('/ui/messages'), 'active')).toEqual(['Declared']);
  });
});
