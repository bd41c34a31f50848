import { beforeEach, describe, expect, test } from '@jest/globals';
import { Recent, recentAnswer } from '../src/recent.ts';

describe('what was set in a recent time', () => {
  let now: number;
  let recent: Recent<string>;
  beforeEach(() => {
    now = 0;
    recent = new Recent({ keptMs: 10, most: 2, now: () => now });
  });

  test('is there until its time is over, or it is deleted', () => {
    recent.set('a', 'one');
    now = 9;
    expect([recent.get('a'), recent.get('other')]).toEqual(['one', undefined]);
    now = 10;
    expect(recent.get('a')).toBeUndefined();
    recent.set('a', 'one');
    recent.delete('a');
    expect(recent.get('a')).toBeUndefined();
  });

  test('is not more than it may be: what was set longest ago makes room', () => {
    for (const key of ['a', 'b', 'a', 'c']) recent.set(key, key);
    expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual(['a', undefined, 'c']);
  });
});

describe('a recent answer', () => {
  let recent: Recent<Promise<number>>;
  let asked: number;
  beforeEach(() => {
    recent = new Recent({ keptMs: 10, now: () => 0 });
    asked = 0;
  });
  const count = async () => ++asked;

  test('is shared by all who ask', async () => {
    const all = [1, 2].map(() => recentAnswer(recent, 'a', count));
    expect(await Promise.all(all)).toEqual([1, 1]);
  });

  test('is replaced for who needs a fresh one, and for others from then on', async () => {
    await recentAnswer(recent, 'a', count);
    expect(await recentAnswer(recent, 'a', count, true)).toBe(2);
    expect(await recentAnswer(recent, 'a', count)).toBe(2);
  });

  test('is not kept where it is a failure', async () => {
    const failing = recentAnswer(recent, 'a', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await recentAnswer(recent, 'a', count)).toBe(1);
  });
});
