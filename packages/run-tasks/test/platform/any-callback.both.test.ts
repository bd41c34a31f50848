import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIn, longTest } from '../../../../test/harness/long-run.ts';
import { processorMs } from '../../../../test/harness/processor-time.ts';
import { rawHttp, statusesOf } from '../../../../test/harness/raw-http.ts';
import { sendCallback } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

const mebibyte = 1024 * 1024;
const statuses = [200, 401, 413, 422];

const text = fc
  .array(fc.constantFrom('a', ' ', '\0', '\ud800', '\udfff', '\ufffe', '\u001b', '"', '<b>', '😀'), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));
const anything = fc.oneof(text, fc.jsonValue(), fc.constant('__proto__'));
/** Mostly what there should be, and anything in its place. */
const orAnything = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: anything });
const tag = fc.record({ label: orAnything(text), level: orAnything(fc.constantFrom('none', 'error')) });
const outcome = fc.record({
  type: orAnything(fc.constant('task-result-outcomes')),
  attributes: orAnything(
    fc.record({
      'outcome-id': orAnything(text),
      description: orAnything(text),
      body: orAnything(text),
      url: orAnything(text),
      tags: orAnything(fc.dictionary(text, orAnything(fc.array(orAnything(tag), { maxLength: 2 })))),
    }),
  ),
});
const result = fc.record({
  data: orAnything(
    fc.record({
      type: orAnything(fc.constant('task-results')),
      attributes: orAnything(
        fc.record({
          status: orAnything(fc.constant('running')),
          message: orAnything(text),
          url: orAnything(text),
        }),
      ),
      relationships: orAnything(
        fc.record({
          outcomes: orAnything(fc.record({ data: orAnything(fc.array(outcome, { maxLength: 3 })) })),
        }),
      ),
    }),
  ),
});

describePlatform('any callback', (under) => {
  const begin = async () => {
    const { run, request } = await under.asked('pre_plan');
    const { task_result_callback_url: url, access_token: token } = request;
    const send = (body: unknown) => sendCallback(url, token, body);
    const stored = async () => (await under.platform.readRun(run.id)).tasks[0];
    return { url, token, send, stored };
  };
  const withOutcomes = (...outcomes: object[]) => ({
    data: {
      type: 'task-results',
      attributes: { status: 'running' },
      relationships: {
        outcomes: {
          data: outcomes.map((attributes) => ({ type: 'task-result-outcomes', attributes })),
        },
      },
    },
  });

  test('is answered with 200, 401, 413 or 422, whatever its JSON', async () => {
    const { send } = await begin();
    const seen = new Set<number>();
    const property = fc.asyncProperty(fc.oneof(result, fc.jsonValue()), async (json) => {
      const { status } = await send(JSON.stringify(json));
      seen.add(status);
      expect(statuses).toContain(status);
    });
    const running = { data: { type: 'task-results', attributes: { status: 'running' } } };
    const examples: [unknown][] = [[running], [null]];
    await fc.assert(property, { numRuns: isIn('npm test') ? 20 : 600, examples });
    expect([...seen].sort()).toEqual([200, 422]);
  });

  test('is answered with 401 or 422, whatever its bytes', async () => {
    const { url, token } = await begin();
    const property = fc.asyncProperty(fc.uint8Array(), fc.boolean(), async (body, isOurs) => {
      const headers = isOurs ? { authorization: `Bearer ${token}` } : {};
      const { status } = await fetch(url, { method: 'PATCH', headers, body: new Uint8Array(body) });
      expect(status).toBe(isOurs ? 422 : 401);
    });
    await fc.assert(property, { numRuns: isIn('npm test') ? 10 : 100 });
  });

  test('is stored with U+FFFD for NUL and half a surrogate pair, in every text', async () => {
    const { send, stored } = await begin();
    const odd = 'a\0b\ud800c\udc00';
    const shown = 'a\ufffdb\ufffdc\ufffd';
    const given = withOutcomes({
      'outcome-id': odd,
      description: odd,
      body: odd,
      url: odd,
      tags: { [odd]: [{ label: odd }] },
    });
    Object.assign(given.data.attributes, { message: odd, url: odd });
    expect((await send(given)).status).toBe(200);
    expect(await stored()).toMatchObject({
      message: shown,
      url: shown,
      outcomes: [
        {
          outcomeId: shown,
          description: shown,
          body: shown,
          url: shown,
          tags: { [shown]: [{ label: shown, level: 'none' }] },
        },
      ],
    });
  });

  test('keeps both of two outcomes of one id; those of a later callback replace them', async () => {
    const { send, stored } = await begin();
    const descriptions = async () => (await stored())?.outcomes.map(({ description }) => description);
    const of = (id: string, description: string) => ({ 'outcome-id': id, description });
    await send(withOutcomes(of('a', 'one'), of('b', 'other'), of('a', 'two')));
    expect(await descriptions()).toEqual(['one', 'two', 'other']);
    await send(withOutcomes(of('a', 'three')));
    expect(await descriptions()).toEqual(['three', 'other']);
  });

  longTest('is taken with 5 MB, in one outcome or in several', async () => {
    const { send, stored } = await begin();
    const large = 'x'.repeat(5 * mebibyte - 2000);
    expect((await send(withOutcomes({ 'outcome-id': 'a', description: 'b', body: large }))).status).toBe(200);
    const halves = ['b', 'c'].map((id) => ({
      'outcome-id': id,
      description: 'b',
      body: large.slice(large.length / 2),
    }));
    expect((await send(withOutcomes(...halves))).status).toBe(200);
    expect((await stored())?.outcomes).toHaveLength(3);
  });

  longTest(
    'is refused where the outcomes of its task would be too large to keep, and they stay',
    async () => {
      const { send, stored } = await begin();
      const body = 'x'.repeat(5 * mebibyte - 2000);
      const of = (id: string) => withOutcomes({ 'outcome-id': id, description: 'b', body });
      for (const id of ['a', 'b', 'c']) expect((await send(of(id))).status).toBe(200);
      const refused = await send(of('d'));
      expect(refused.status).toBe(422);
      expect(JSON.parse(refused.body).errors[0].source.pointer).toBe('/data/relationships/outcomes/data');
      expect((await stored())?.outcomes).toHaveLength(3);
    },
  );

  test('of more than 8 MiB gets its 413, also by a client that sends all before it reads', async () => {
    const { url, token } = await begin();
    const { pathname, host } = new URL(url);
    const body = 'x'.repeat(20 * mebibyte);
    const head = `PATCH ${pathname} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n`;
    const answer = await rawHttp(under.address, `${head}content-length: ${body.length}\r\n\r\n${body}`);
    expect(statusesOf(answer)).toEqual(['413']);
    expect(answer).toContain('content-type: application/vnd.api+json\r\n');
  });

  test('with a million wrong outcomes is refused at once, and the answer is short', async () => {
    const { send } = await begin();
    const data = Array.from({ length: 1_000_000 }, () => 0);
    const given = { data: { ...withOutcomes().data, relationships: { outcomes: { data } } } };
    const took = await processorMs(async () => {
      const { status, body } = await send(given);
      expect([status, body.length < 5000]).toEqual([422, true]);
    });
    expect(took).toBeLessThan(3_000);
  });
});
