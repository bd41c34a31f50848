import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Outcome, TagLevel } from '../../src/run-task/outcome.ts';
import { parseResult, type Result, ResultStatus, resultToWire } from '../../src/run-task/result.ts';

const outcome = {
  type: 'task-result-outcomes',
  attributes: {
    'outcome-id': 'PRTNR-CC-TF-127',
    description: 'ST-2942: S3 bucket will not enforce MFA login on delete requests',
    tags: { Status: [{ label: 'Denied', level: 'error' }], 'Cost Centre': [{ label: 'IT-OPS' }] },
    body: '# Resolution',
    url: 'https://external.service.dev/result/PRTNR-CC-TF-127',
  },
};
const first = '/data/relationships/outcomes/data/0/attributes';
const body = (attributes: Record<string, unknown> = {}, fields: Record<string, unknown> = {}) => ({
  data: { type: 'task-results', attributes: { status: 'running', ...attributes }, ...fields },
});

function read(json: unknown): Result {
  const parsed = parseResult(json);
  if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
  return parsed.result;
}

function errors(json: unknown) {
  const parsed = parseResult(json);
  return 'errors' in parsed ? parsed.errors : [];
}

describe('a result that is received', () => {
  const relationships = { outcomes: { data: [outcome] } };
  test.each<[string, unknown]>([
    ['inside data, as the sample has them', body({}, { relationships })],
    ['at the top, as the table has them', { ...body(), relationships }],
    ['below attributes, as one published page has them', body({ relationships })],
  ])('has its outcomes %s', (_, json) => {
    expect(read(json).outcomes).toEqual([
      {
        outcomeId: 'PRTNR-CC-TF-127',
        description: outcome.attributes.description,
        body: '# Resolution',
        url: outcome.attributes.url,
        tags: {
          Status: [{ label: 'Denied', level: 'error' }],
          'Cost Centre': [{ label: 'IT-OPS', level: 'none' }],
        },
      },
    ]);
  });

  test.each(Object.values(ResultStatus))('may say %s, with outcomes', (status) => {
    expect(read(body({ status }, { relationships }))).toMatchObject({ status, outcomes: [{}] });
  });

  const withOutcomes = (data: object[]) => body({}, { relationships: { outcomes: { data } } });
  const withAttributes = (attributes: object) => withOutcomes([{ ...outcome, attributes }]);
  const withTags = (tags: object) => withAttributes({ ...outcome.attributes, tags });
  const refused: Record<string, [json: unknown, pointer: string]> = {
    'another type': [{ data: { type: 'task-result', attributes: { status: 'passed' } } }, '/data/type'],
    'no status': [{ data: { type: 'task-results', attributes: {} } }, '/data/attributes/status'],
    'status errored': [body({ status: 'errored' }), '/data/attributes/status'],
    'status PASSED': [body({ status: 'PASSED' }), '/data/attributes/status'],
    'no data': [{}, '/data'],
    'a list instead of the document': [[], ''],
    'a message that is no text': [body({ message: 1 }), '/data/attributes/message'],
    'more than 250 outcomes': [withOutcomes(Array(251).fill(outcome)), '/data/relationships/outcomes/data'],
    'an outcome without its id': [withAttributes({ description: 'x' }), `${first}/outcome-id`],
    'a tag of an unknown level': [
      withTags({ Status: [{ label: 'a', level: 'loud' }] }),
      `${first}/tags/Status/0/level`,
    ],
    'more labels than a page can show': [withTags({ A: Array(101).fill({ label: '' }) }), `${first}/tags`],
    'more tags than a page can show': [
      withTags(Object.fromEntries(Array.from(Array(101), (_, n) => [n, []]))),
      `${first}/tags`,
    ],
  };
  test.each(Object.entries(refused))('with %s is 422 and says where', (_, [json, pointer]) => {
    expect(errors(json)).toEqual([
      { status: '422', title: 'invalid attribute', detail: expect.any(String), source: { pointer } },
    ]);
  });

  test('is never a crash, whatever came', () => {
    fc.assert(fc.property(fc.anything(), (json) => expect(parseResult(json)).toBeDefined()));
  });
});

describe('a result that is sent', () => {
  test('has one line for its message, and text that everybody can store', () => {
    const odd = 'a\0\ud800';
    const tags = { [odd]: [{ label: odd, level: TagLevel.none }] };
    const outcomes = [{ outcomeId: odd, description: odd, body: odd, tags }];
    const wire = resultToWire({ status: 'failed', message: `one\n  two ${odd}`, outcomes }, true);
    expect(wire.data.attributes.message).toBe('one two a\ufffd\ufffd');
    const sent = JSON.stringify(wire);
    expect(sent.isWellFormed() && !/\\u0000|\\ud800/.test(sent)).toBe(true);
  });

  const long: Outcome = {
    outcomeId: 'i'.repeat(100),
    description: `first line\n${'d'.repeat(2000)}`,
    body: 'b'.repeat(20_000),
    url: `https://example.com/${'u'.repeat(600)}`,
    tags: {
      Severity: Array(20).fill({ label: 'l'.repeat(50), level: TagLevel.info }),
    },
  };

  test('keeps within every published limit', () => {
    const { url } = long;
    const message = 'm'.repeat(5000);
    const wire = resultToWire({ status: 'failed', message, url, outcomes: Array(300).fill(long) }, true);
    expect(wire.data.attributes.message).toHaveLength(1000);
    expect(wire.data.attributes).not.toHaveProperty('url');
    const sent = wire.data.relationships?.outcomes.data ?? [];
    expect(sent).toHaveLength(250);
    const attributes = sent[0]?.attributes;
    expect(attributes?.['outcome-id']).toHaveLength(64);
    expect(attributes?.description).toHaveLength(1000);
    expect(attributes?.description).not.toContain('\n');
    expect(attributes?.body).toHaveLength(10_000);
    expect(attributes).not.toHaveProperty('url');
    expect(attributes?.tags?.['Severity']).toHaveLength(10);
    expect(attributes?.tags?.['Severity']?.[0]?.label).toHaveLength(32);
  });

  test('has no outcomes where the request does not take them', () => {
    const wire = resultToWire({ status: 'passed', outcomes: [{ outcomeId: '1', description: 'x' }] }, false);
    expect(wire.data).not.toHaveProperty('relationships');
  });

  test('is what the other side reads', () => {
    const label = fc.string({ minLength: 1, maxLength: 32 });
    const outcomes = fc.array(
      fc.record(
        {
          outcomeId: fc.string({ minLength: 1, maxLength: 64 }),
          description: fc.stringMatching(/^[a-z][a-z ]{0,50}$/),
          body: fc.string({ minLength: 1 }),
          url: fc.webUrl(),
          tags: fc.dictionary(
            fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
            fc.array(fc.record({ label, level: fc.constantFrom(...Object.values(TagLevel)) }), {
              minLength: 1,
              maxLength: 2,
            }),
            { minKeys: 1, maxKeys: 5, noNullPrototype: true },
          ),
        },
        { requiredKeys: ['outcomeId', 'description'], noNullPrototype: true },
      ),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(ResultStatus)), outcomes, (status, given) => {
        const result = { status, message: 'm', outcomes: given as Outcome[] };
        expect(read(JSON.parse(JSON.stringify(resultToWire(result, true))))).toEqual(result);
      }),
    );
  });
});

describe('texts without an end', () => {
  const long = 'x'.repeat(7_000_000);
  const read = (given: unknown) => {
    const parsed = parseResult(given);
    return 'result' in parsed ? parsed.result : undefined;
  };
  const withOutcome = (change: object) =>
    body(
      {},
      {
        relationships: {
          outcomes: { data: [{ ...outcome, attributes: { ...outcome.attributes, ...change } }] },
        },
      },
    );

  test('a message and a description are cut, as every answer repeats them', () => {
    expect(read(body({ message: long }))?.message).toBe(`${'x'.repeat(9999)}…`);
    expect(read(withOutcome({ description: long }))?.outcomes[0]?.description).toHaveLength(10_000);
  });

  test('an address is left out, and its result stays', () => {
    const url = `https://example.com/${long}`;
    expect(read(body({ url }))).toEqual({ status: 'running', outcomes: [] });
    expect(read(withOutcome({ url }))?.outcomes[0]).not.toHaveProperty('url');
  });

  test('a label is cut; an identifier, which is compared, is refused', () => {
    const tags = { Status: [{ label: long }] };
    expect(read(withOutcome({ tags }))?.outcomes[0]?.tags?.['Status']?.[0]?.label).toHaveLength(10_000);
    expect(read(withOutcome({ 'outcome-id': long }))).toBeUndefined();
    expect(read(withOutcome({ tags: { [long]: [] } }))).toBeUndefined();
  });
});
