import { describe, expect, test } from '@jest/globals';
import { processorMs } from '../../../../../test/harness/processor-time.ts';
import { isUnwieldyJson } from '../../../src/graph/values/json.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('JSON that others send', () => {
  test('is nested at most a hundred levels', () => {
    expect(isUnwieldyJson(nested(100))).toBe(false);
    expect(isUnwieldyJson(nested(101))).toBe(true);
    expect(isUnwieldyJson('{"a":'.repeat(101))).toBe(true);
  });

  test('has at most 200,000 values', () => {
    expect(isUnwieldyJson(`[${'1,'.repeat(190_000)}1]`)).toBe(false);
    expect(isUnwieldyJson(`[${'1,'.repeat(200_001)}1]`)).toBe(true);
    expect(isUnwieldyJson(`{"a":[${'{},'.repeat(110_000)}{}]}`)).toBe(true);
  });

  test('may have any brackets and commas in its texts', () => {
    expect(isUnwieldyJson(JSON.stringify({ text: `"\\${'[{,'.repeat(300_000)}` }))).toBe(false);
  });

  test('is looked at without being parsed: 8 MB of brackets at once', async () => {
    const text = '['.repeat(8 * 1024 * 1024);
    const took = await processorMs(() => expect(isUnwieldyJson(text)).toBe(true));
    expect(took).toBeLessThan(500);
  });
});
