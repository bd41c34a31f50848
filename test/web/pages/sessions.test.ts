import { describe, expect, test } from '@jest/globals';
import { Sessions } from '../../../web/pages/visits.ts';

const caller = (token: string) => ({ token, namespace: '' });

describe('sessions', () => {
  test('are found by their id until they are closed', () => {
    const sessions = new Sessions<ReturnType<typeof caller>>();
    const id = sessions.open(caller('a'), 0n);
    expect([sessions.find(id, 1n)?.token, sessions.find('other', 1n)]).toEqual(['a', undefined]);
    sessions.close(id);
    expect(sessions.find(id, 2n)).toBeUndefined();
  });

  test('are 10,000 at most: the one idle longest makes room', () => {
    const sessions = new Sessions<ReturnType<typeof caller>>();
    const [first = '', second = ''] = [sessions.open(caller('a'), 0n), sessions.open(caller('b'), 1n)];
    sessions.find(first, 2n);
    for (let count = 2; count < 10_001; count += 1) sessions.open(caller('c'), 3n);
    expect([sessions.find(first, 4n)?.token, sessions.find(second, 4n)?.token]).toEqual(['a', undefined]);
  });
});
