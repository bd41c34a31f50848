import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatInstant } from '../../../../core/model/values/instant.ts';
import {
  bodyOf,
  type Draft,
  draftOfForm,
  draftOfStored,
  emptyDraft,
  fieldOfRefusal,
  instantOf,
  localTime,
  problemsOf,
  type StoredMessage,
} from '../../../../embedded/secrets/ui/message-draft.ts';

const good: Draft = {
  title: 'Title',
  message: 'Text',
  authenticated: 'false',
  type: 'banner',
  start: '2026-01-01T00:00',
  end: '2026-02-01T00:00',
  linkTitle: 'Status',
  linkUrl: 'https://status.example.com',
};

describe('what is wrong with a draft', () => {
  test('is nothing where all is well, with a link and without', () => {
    expect([problemsOf(good), problemsOf({ ...good, linkTitle: '', linkUrl: '', end: '' })]).toEqual([
      {},
      {},
    ]);
  });

  test.each<[string, Partial<Draft>, (keyof Draft)[]]>([
    ['no title', { title: '' }, ['title']],
    ['no text', { message: ' \n' }, ['message']],
    ['no start', { start: '' }, ['start']],
    ['a start that is no date', { start: 'tomorrow' }, ['start']],
    ['a day that is not', { start: '2026-02-30T00:00' }, ['start']],
    ['an end that is no date', { end: '2026' }, ['end']],
    ['an end before the start', { end: '2025-01-01T00:00' }, ['end']],
    ['an end at the start', { end: '2026-01-01T00:00:00' }, ['end']],
    ['a link without a text', { linkTitle: '' }, ['linkTitle']],
    ['a link to nowhere', { linkUrl: '' }, ['linkUrl']],
    ['a link of a script', { linkUrl: 'javascript:alert(1)' }, ['linkUrl']],
    ['a link into this site', { linkUrl: '/ui/' }, ['linkUrl']],
    [
      'all at once',
      { title: '', message: '', start: '', linkUrl: 'x', linkTitle: '' },
      ['title', 'message', 'start', 'linkUrl', 'linkTitle'],
    ],
  ])('is beside its field: %s', (_, change, fields) => {
    expect(Object.keys(problemsOf({ ...good, ...change }))).toEqual(fields);
  });

  test('of a new message is only what nobody wrote yet', () => {
    expect(Object.keys(problemsOf(emptyDraft(0n)))).toEqual(['title', 'message']);
  });
});

const stored: StoredMessage = {
  id: 'id',
  title: 'Title',
  message: Buffer.from('Grüße').toString('base64'),
  authenticated: true,
  type: 'modal',
  link: { Status: 'https://status.example.com' },
  options: { color: 'red' },
  start_time: '2026-01-01T00:00:00.123456789Z',
  end_time: '2026-02-01T00:00:07Z',
};

describe('what is sent of a message', () => {
  test('is what the form says where it was changed', () => {
    const draft = {
      ...draftOfStored(stored),
      start: '2026-01-02T03:04',
      end: '',
      linkTitle: '',
      linkUrl: '',
    };
    const { start_time, end_time, link } = bodyOf(draft, stored);
    expect([start_time, end_time, link]).toEqual(['2026-01-02T03:04:00Z', null, undefined]);
  });

  test('has the line ends that were typed, not those of forms', () => {
    const form = new URLSearchParams({ message: 'one\r\ntwo' });
    expect(bodyOf(draftOfForm(form))['message']).toBe(btoa('one\ntwo'));
  });
});

test.each([
  ['missing title parameter value', 'title'],
  ['invalid message parameter value, must be base64 encoded', 'message'],
  ['missing message parameter value', 'message'],
  ['invalid url for "title parameter" key in link parameter value', 'linkUrl'],
  ['failed to create custom message: message start time must occur before end time', 'end'],
  ['invalid start_time parameter value: an RFC 3339 timestamp is expected', 'start'],
  ['failed to create custom message: maximum number of messages already exist', undefined],
])('the service’s %j belongs to the field %s', (text, field) => {
  expect(fieldOfRefusal(text)).toBe(field);
});

describe('times of the form', () => {
  test.each([
    ['2026-12-01T02:00:00Z', '2026-12-01T02:00'],
    ['2026-12-01T02:00:05Z', '2026-12-01T02:00:05'],
    ['2026-12-01T02:00:00.250Z', '2026-12-01T02:00:00.250'],
    ['2026-12-01T02:00:00+02:00', '2026-12-01T00:00'],
    ['nonsense', ''],
  ])('%s stands there as %j', (instant, local) => {
    expect(localTime(instant)).toBe(local);
  });

  test('come back as the instant that they show', () => {
    const instants = fc.date({
      min: new Date('0001-01-01'),
      max: new Date('9998-12-31'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (date) => {
        const instant = BigInt(date.getTime()) * 1_000_000n;
        expect(instantOf(localTime(formatInstant(instant)))).toBe(instant);
      }),
    );
  });
});
