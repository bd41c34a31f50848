import { describe, expect, test } from '@jest/globals';
import { capabilityProblems } from '../../../src/graph/policies/capability-problems.ts';

const rule = (...words: string[]) => `path "secret/*" { capabilities = ${JSON.stringify(words)} }`;

describe('the capabilities of a policy', () => {
  test.each([
    [['create', 'read', 'update', 'delete', 'list', 'patch', 'sudo']],
    [['deny']],
    [['scan']],
    [['subscribe', 'recover']],
    [[]],
  ])('%j are known', (words) => {
    expect(capabilityProblems(rule(...words))).toEqual([]);
  });

  test('a misspelled one is named with the nearest', () => {
    expect(capabilityProblems(rule('reed', 'list'))).toEqual([
      'path "secret/*": `reed` is no capability; did you mean `read`?',
    ]);
  });

  test('one that resembles none is named with all', () => {
    expect(capabilityProblems(rule('everything'))).toEqual([
      expect.stringMatching(/`everything` is no capability; known: create, read, /),
    ]);
  });

  test('letters count: a server refuses `Read`', () => {
    expect(capabilityProblems(rule('Read'))).toEqual([expect.stringContaining('did you mean `read`?')]);
  });

  test('each is named once, and JSON is read too', () => {
    const json = JSON.stringify({ path: { a: { capabilities: ['reed', 'reed'] } } });
    expect(capabilityProblems(json)).toHaveLength(1);
  });

  test('an older word for several is fine, and what is no policy is for others to say', () => {
    expect(capabilityProblems('path "a" { policy = "write" }')).toEqual([]);
    expect(capabilityProblems('path {')).toEqual([]);
  });
});
