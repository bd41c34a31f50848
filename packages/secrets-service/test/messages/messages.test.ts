// docs/inside/measured/messages.md: the checks in order with their texts, when a message is active, the limit.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MemoryStorage } from '../../../../test/harness/memory-storage.ts';
import { messageFields } from '../../../core/src/graph/resources/custom-message.ts';
import { type Field, wireNameIn } from '../../../core/src/graph/resources/field.ts';
import { formatInstant, parseInstant } from '../../../core/src/graph/values/instant.ts';
import { messagePaths, uiMessagePaths } from '../../src/messages/message-paths.ts';
import { type PathCall, pathCaller } from '../call-path.ts';

const path = 'sys/config/ui/custom-messages';
const now = parseInstant('2026-06-01T12:00:00.000000001Z')!;
const least = { title: 'Maintenance', message: 'U2F0dXJkYXk=', start_time: '2026-01-01T00:00:00Z' };

let storage: MemoryStorage;
let call: ReturnType<typeof at>;
function at(fields: Partial<PathCall> = {}) {
  return pathCaller([...messagePaths, ...uiMessagePaths], { storage, now, ...fields });
}
beforeEach(() => {
  storage = new MemoryStorage();
  call = at();
});

async function create(body: object = {}, caller = call): Promise<string> {
  return String((await caller('update', path, { ...least, ...body })).data?.['id']);
}
const read = async (id: string) => (await call('read', `${path}/${id}`)).data;
const titles = async (query: Record<string, string>) => {
  const { data } = await call('list', path, {}, query);
  return Object.values((data?.['key_info'] ?? {}) as Record<string, any>)
    .map(({ title }) => title)
    .sort();
};

const base64 = 'invalid message parameter value, must be base64 encoded';
const oneLink = 'invalid number of elements in link parameter value; only a single element can be provided';
const field = (name: string) => expect.stringContaining(`error converting input for field "${name}"`);

const refusals: [name: string, change: object, text: unknown][] = [
  ['without a title', { title: undefined }, 'missing title parameter value'],
  ['with an empty title', { title: '' }, 'missing title parameter value'],
  ['with a list for a title', { title: ['a'] }, field('title')],
  ['without a message', { message: undefined }, 'missing message parameter value'],
  ['with a message that is no base64', { message: 'plain text' }, base64],
  ['with base64 that is not padded', { message: 'U2F0dXJkYXk' }, base64],
  ['with base64 of another alphabet', { message: '_-__' }, base64],
  ['without a start', { start_time: undefined }, 'missing start_time parameter value'],
  ['with a start that is no time', { start_time: 'friday' }, /^invalid start_time parameter value/],
  ['with a day that is none', { start_time: '2026-02-30T00:00:00Z' }, /^invalid start_time/],
  ['with a number for a start', { start_time: 1_700_000_000 }, /^invalid start_time/],
  ['with an end that is no time', { end_time: [] }, /^invalid end_time parameter value/],
  ['with two links', { link: { a: 'https://a.example', b: 'https://b.example' } }, oneLink],
  ['with a text for a link', { link: 'https://a.example' }, field('link')],
  ['with a link to a number', { link: { a: 1 } }, 'invalid url for "a" key in link parameter value'],
  ['with a link to nowhere', { link: { a: '' } }, 'missing url for "a" key in link parameter value'],
  ['with a link without a title', { link: { '': 'x' } }, 'missing title key in link parameter value'],
  ['with a text for options', { options: 'red' }, field('options')],
  ['with null for authenticated, which must not publish it', { authenticated: null }, field('authenticated')],
  ['with an empty authenticated, which must not publish it', { authenticated: '' }, field('authenticated')],
  ['with another word for authenticated', { authenticated: 'perhaps' }, field('authenticated')],
];
const [wrongTimes, end_time] = ['message start time must occur before end time', '2025-01-01T00:00:00Z'];
const lateRefusals: [name: string, change: object, text: string][] = [
  ['with an end before its start', { end_time }, wrongTimes],
  ['with an end at its start', { end_time: '2026-01-01T01:00:00+01:00' }, wrongTimes],
  ['of another type', { type: 'popup' }, 'unrecognized message type'],
  ['of an empty type', { type: '' }, 'unrecognized message type'],
  ['with wrong times and type: the times first', { type: 'popup', end_time }, wrongTimes],
];

describe('a message is refused, and nothing is stored,', () => {
  test.each(refusals)('%s', async (_, change, text) => {
    const expected = text instanceof RegExp ? expect.stringMatching(text) : text;
    expect(await call('update', path, { ...least, ...change })).toEqual({ status: 400, errors: [expected] });
    expect(storage.list('')).toEqual([]);
  });

  test.each(lateRefusals)('%s', async (_, change, text) => {
    expect(await call('update', path, { ...least, ...change })).toEqual({
      status: 400,
      errors: [`failed to create custom message: ${text}`],
    });
    expect(storage.list('')).toEqual([]);
  });

  test('as the 101st of its namespace, once everything else is right', async () => {
    for (let count = 0; count < 100; count += 1) await create();
    const refused = (text: string) => ({ status: 400, errors: [`failed to create custom message: ${text}`] });
    expect(await call('update', path, least)).toEqual(refused('maximum number of messages already exist'));
    expect(await call('update', path, { ...least, type: 'popup' })).toEqual(
      refused('unrecognized message type'),
    );
    expect(await create({}, at({ namespace: 'team' }))).toMatch(/^[0-9a-f-]{36}$/);
    const [id] = (await call('list', path)).data?.['keys'] as string[];
    expect((await call('update', `${path}/${id}`, least)).status).toBeUndefined();
    await call('delete', `${path}/${id}`);
    expect(await create()).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('an update', () => {
  test.each(lateRefusals)('%s says what failed', async (_, change, text) => {
    const id = await create();
    expect(await call('update', `${path}/${id}`, { ...least, ...change })).toEqual({
      status: 400,
      errors: [`failed to update custom message: ${text}`],
    });
  });

  test('replaces everything: what is left out goes back to its default', async () => {
    const id = await create({
      type: 'modal',
      authenticated: false,
      end_time: '2027-01-01T00:00:00Z',
      link: { 'Status page': 'https://status.example.com' },
      options: { color: 'red' },
    });
    await call('update', `${path}/${id}`, { ...least, title: 'Other' });
    const unset = Object.entries<Field>(messageFields).map(([name, { default: value = null }]) => [
      wireNameIn(messageFields, name),
      value,
    ]);
    expect(await read(id)).toEqual({
      ...Object.fromEntries(unset),
      id,
      title: 'Other',
      message: 'U2F0dXJkYXk=',
      active: true,
      start_time: '2026-01-01T00:00:00Z',
    });
  });

  test('of an id that is not there is 404, and makes nothing', async () => {
    expect(await call('update', `${path}/nobody`, least)).toEqual({ status: 404, errors: [] });
    expect(storage.list('')).toEqual([]);
  });
});

describe('a message', () => {
  test('of an unknown id is not found, and deleted without an error', async () => {
    expect(await call('read', `${path}/nobody`)).toEqual({ status: 404, errors: [] });
    expect(await call('delete', `${path}/nobody`)).toEqual({});
  });

  test('is of its namespace alone', async () => {
    const id = await create();
    const team = at({ namespace: 'team' });
    expect((await team('read', `${path}/${id}`)).status).toBe(404);
    await team('delete', `${path}/${id}`);
    expect(await read(id)).toMatchObject({ id });
  });

  test('keeps its times to the nanosecond, in UTC', async () => {
    const id = await create({
      start_time: '2026-01-01T01:00:00.123456789+01:00',
      end_time: '2027-01-01T00:00:00.5Z',
    });
    expect(await read(id)).toMatchObject({
      start_time: '2026-01-01T00:00:00.123456789Z',
      end_time: '2027-01-01T00:00:00.5Z',
    });
  });

  test('takes times with ten fractional digits, as RFC 3339 does', async () => {
    const id = await create({ start_time: '2026-01-01T00:00:00.1234567891Z' });
    expect(await read(id)).toMatchObject({ start_time: '2026-01-01T00:00:00.123456789Z' });
  });

  test.each([
    ['a nanosecond before its start', { start_time: formatInstant(now + 1n) }, false],
    ['from its start on', { start_time: formatInstant(now) }, true],
    ['a nanosecond before its end', { end_time: formatInstant(now + 1n) }, true],
    ['at its end', { end_time: formatInstant(now) }, false],
    ['with null for its end, which is none', { end_time: null }, true],
  ])('is active or not: %s', async (_, times, active) => {
    expect(await read(await create(times))).toMatchObject({ active });
  });

  test('keeps options of any shape', async () => {
    const options = { color: 'red', nested: { list: [1, true, null] }, __proto__x: 1 };
    expect((await read(await create({ options })))?.['options']).toEqual(options);
  });

  test('without a link and with an empty one is the same', async () => {
    expect((await read(await create({ link: {} })))?.['link']).toBeNull();
    expect((await read(await create({ link: null })))?.['link']).toBeNull();
  });
});

describe('the list', () => {
  test('of no messages is 404, as every empty list', async () => {
    expect(await call('list', path)).toEqual({ status: 404, errors: [] });
    await create();
    expect((await call('list', path, {}, { active: 'false' })).status).toBe(404);
  });

  test.each([
    [{}, ['a', 'b', 'c', 'd']],
    [{ active: 'true' }, ['a', 'b', 'c']],
    [{ active: 'false' }, ['d']],
    [{ authenticated: 'true' }, ['a', 'c', 'd']],
    [{ authenticated: 'false' }, ['b']],
    [{ type: 'banner' }, ['a', 'b', 'd']],
    [{ type: 'modal' }, ['c']],
    [{ type: 'modal', authenticated: 'false' }, []],
    [{ type: 'banner', authenticated: 'true', active: 'true' }, ['a']],
  ])('filtered by %j', async (query, expected) => {
    await create({ title: 'a' });
    await create({ title: 'b', authenticated: false });
    await create({ title: 'c', type: 'modal' });
    await create({ title: 'd', start_time: '2099-01-01T00:00:00Z' });
    expect(await titles(query as Record<string, string>)).toEqual(expected);
  });

  test.each([{ active: 'perhaps' }, { authenticated: '2' }, { type: 'popup' }, { type: '' }])(
    'refuses the filter %j',
    async (query) => {
      await create();
      expect((await call('list', path, {}, { ...query } as Record<string, any>)).status).toBe(400);
    },
  );
});

describe('what the pages read', () => {
  const shown = async (name: string, namespace = '') => {
    const { data } = await at({ namespace })('read', `sys/internal/ui/${name}-messages`);
    return (data?.['keys'] as string[]).map((id) => (data?.['key_info'] as any)[id].title);
  };

  test('is active messages alone, before and after sign-in apart', async () => {
    await create({ title: 'before', authenticated: false });
    await create({ title: 'after' });
    await create({ title: 'over', end_time: '2026-02-01T00:00:00Z' });
    await create({ title: 'later', authenticated: false, start_time: '2099-01-01T00:00:00Z' });
    expect([await shown('unauthenticated'), await shown('authenticated')]).toEqual([['before'], ['after']]);
  });

  test('holds the messages of the namespaces above, and of no other', async () => {
    for (const namespace of ['', 'team', 'team/shop', 'team/other', 'teams']) {
      await create({ title: `of ${namespace}` }, at({ namespace }));
    }
    expect(await shown('authenticated', 'team/shop')).toEqual(['of ', 'of team', 'of team/shop']);
  });

  test('is an empty list when there is none', async () => {
    expect(await shown('unauthenticated')).toEqual([]);
  });
});
