import { expect, test } from '@jest/globals';
import { secondsOf, timesText } from '../../scripts/test-times.ts';

test('the slowest files and the starts of each kind of part are listed with their seconds, the longest first', () => {
  const files = [
    { name: '/clone/test/a.test.ts', startTime: 0, endTime: 1_000 },
    { name: '/clone/test/b.test.ts', startTime: 0, endTime: 12_340 },
  ];
  const parts = [
    { kind: 'PGlite', seconds: 1 },
    { kind: 'OpenBao', seconds: 0.5 },
    { kind: 'OpenBao', seconds: 1 },
  ];
  expect(timesText(secondsOf(files, '/clone/'), { parts, processor: new Map() }).split('\n')).toEqual([
    'The slowest files:',
    '   12.3 s  test/b.test.ts',
    '    1.0 s  test/a.test.ts',
    'What was started, and how long that took (processes: until they ended):',
    '    1.5 s  OpenBao, 2 starts',
    '    1.0 s  PGlite, 1 start',
  ]);
});

const none = { parts: [], processor: new Map<string, number>() };

test('ten files are listed, and nothing where nothing was started', () => {
  const seconds = Array.from({ length: 12 }, (_, at): [string, number] => [`${at}`, 12 - at]);
  expect(timesText(seconds, none).split('\n')).toHaveLength(11);
  expect(timesText([], none)).toBe('');
});

test('what a file took of the processor stands beside what it took', () => {
  const files = [{ name: '/clone/test/a.test.ts', startTime: 0, endTime: 2_000 }];
  const processor = new Map([['/clone/test/a.test.ts', 0.5]]);
  expect(timesText(secondsOf(files, '/clone/'), { parts: [], processor }, '/clone/').split('\n')).toEqual([
    'The slowest files, with their processor time:',
    '    2.0 s     0.5 s  test/a.test.ts',
  ]);
});
