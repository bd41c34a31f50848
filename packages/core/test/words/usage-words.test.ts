import { describe, expect, test } from '@jest/globals';
import type { KeptReason } from '../../src/usage/kept-reason.ts';
import type { MissingFromLog } from '../../src/usage/missing-from-log.ts';
import { withoutPerson } from '../../src/usage/sign-in-doubt.ts';
import type { RequestNote } from '../../src/usage/why-refused.ts';
import { missingFromLogWords, notReplayedWords } from '../../src/words/missing-from-log-words.ts';
import { keptReasonWords, refineRefusalWords } from '../../src/words/refine-words.ts';
import { noChangeWords, replayCauseWords, requestNoteWords } from '../../src/words/request-words.ts';
import { usageReasonWords } from '../../src/words/usage-reason-words.ts';

describe('what a log does not say, in words', () => {
  test.each<[MissingFromLog, string]>([
    [{ kind: 'gaps', count: 1 }, '1 gap of more than an hour'],
    [{ kind: 'gaps', count: 2 }, '2 gaps of more than an hour: files may be missing'],
    [
      { kind: 'sign-ins-of-requests', count: 1, of: 4 },
      'the sign-in of 1 request (25.0 %): its token is older than the logs',
    ],
    [
      { kind: 'sign-ins-of-requests', count: 2, of: 9_999 },
      'the sign-in of 2 requests (less than 0.1 %): its token is older than the logs',
    ],
    [{ kind: 'mounts-not-seen', count: 1 }, 'where 1 mount is now: it was not seen after a mount was moved'],
    [
      { kind: 'other-service', entities: 2 },
      'the log may be of another service: all of its 2 entities are unknown here',
    ],
    [{ kind: 'unnamed', subject: { type: 'policy', name: 'x' } }, 'policy x'],
  ])('%j', (missing, words) => {
    expect(missingFromLogWords(missing)).toBe(words);
  });

  test('are those of a reason where a plan leaves it out', () => {
    expect(notReplayedWords({ kind: 'resources-not-read', type: 'vault_mount', count: 2 })).toBe(
      '2 resources of type vault_mount',
    );
    expect(notReplayedWords({ kind: 'damaged-lines', count: 1 })).toBe('1 damaged line of the log');
  });
});

describe('why a rule stays, in words', () => {
  const role = { kind: 'role' as const, method: 'ci', name: 'web' };
  test.each<[KeptReason, string]>([
    [
      { kind: 'may-be-used', missing: { kind: 'template' } },
      'requests may use it; unknown: what fills a template of a policy',
    ],
    [
      { kind: 'gain', capabilities: ['read'], to: [role, { kind: 'group', name: 'ops' }] },
      'without it, a broader rule would give read to role ci/web and 1 more',
    ],
    [
      { kind: 'gain', capabilities: [], to: [] },
      'without it, a broader rule would give more to principals of other kinds',
    ],
    [{ kind: 'gain-unknown' }, 'whether anyone would gain is unknown'],
  ])('%j', (reason, words) => {
    expect(keptReasonWords(reason)).toBe(words);
  });

  test('and why nothing is taken at all', () => {
    expect(refineRefusalWords({ kind: 'requests-left-out', count: 3 })).toBe(
      'the log has more requests than are kept: 3 are left out',
    );
    expect(refineRefusalWords({ kind: 'allowed-left-out' })).toBe(
      'the log leaves out which requests policies allowed',
    );
  });
});

describe('why a request is refused, in words', () => {
  test.each<[RequestNote, string]>([
    [
      { kind: 'policies-gone', policies: ['a', 'b c'] },
      'The service has no policy a, "b c", which the token had.',
    ],
    [
      { kind: 'policy-written', policy: 'a', at: '2026-10-02T00:00:00.000Z' },
      'Policy a was written or deleted after the request, at 2026-10-02T00:00:00.000Z.',
    ],
  ])('%j', (note, words) => {
    expect(requestNoteWords(note)).toBe(words);
  });

  test('or why no change lets it pass, or what is not known', () => {
    expect(noChangeWords['no-text']).toBe('No text of a policy that they hold is known here.');
    expect(usageReasonWords({ kind: 'policies-of-token', which: 'elsewhere' })).toBe(
      'policies of other namespaces, which the token has',
    );
    expect(usageReasonWords({ kind: 'policies-of-namespace', namespace: 'team' })).toBe(
      'the policies of namespace "team", which this stack is not of',
    );
  });

  test('without the name of a person', () => {
    const at = { method: 'people', role: 'ann', isPerson: true as const };
    const doubt = { kind: 'role-gone' as const, at };
    expect(replayCauseWords({ kind: 'sign-in', doubt })).toBe('role people/ann is gone');
    expect(replayCauseWords({ kind: 'sign-in', doubt: withoutPerson(doubt) })).toBe(
      'a user of auth/people is gone',
    );
    expect(replayCauseWords({ kind: 'sign-in-unknown', doubt: { kind: 'origin' } })).toBe(
      'not known: where the token is from',
    );
  });
});
