import { describe, expect, test } from '@jest/globals';
import { folded } from '../../core/src/review/reports/inert-text.ts';
import { shortened } from '../check.ts';

const whole = 'the whole report is elsewhere.';

describe('a report that is too long', () => {
  test('is as it is where it is not', () => {
    expect(shortened('## Review\n', 10, whole)).toBe('## Review\n');
  });

  test('ends between two parts, with where the whole is', () => {
    const report = ['## Review', 'one '.repeat(20), 'two '.repeat(20)].join('\n\n');
    const short = shortened(report, 150, whole);
    expect(short).toBe(`## Review\n\n${'one '.repeat(20)}\n\n… shortened: ${whole}\n`);
    expect(short.length).toBeLessThanOrEqual(150);
  });

  test('does not end inside of something folded', () => {
    const report = `## Review\n\nbefore\n${folded('summary', 'detail\n\n'.repeat(100))}`;
    const short = shortened(report, 300, whole);
    expect(short.match(/<details>/g)?.length).toBe(short.match(/<\/details>/g)?.length);
    expect(short).toContain(whole);
  });
});
