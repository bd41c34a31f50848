import { expect, test } from '@jest/globals';
import { type Reason, reasonKey, uniqueReasons } from '../../src/access/reasons/reason.ts';
import { reasonWords } from '../../src/words/reason-words.ts';

type ReasonOf<Kind extends Reason['kind']> = Extract<Reason, { kind: Kind }>;
/** Each kind of reason, with what it says. */
const examples: { [Kind in Reason['kind']]: [reason: ReasonOf<Kind>, words: string][] } = {
  budget: [
    [
      { kind: 'budget', of: 'combinations' },
      'there are more combinations of roles and groups than can be compared',
    ],
    [{ kind: 'budget', of: 'paths', isOfAll: true }, 'every path: there are more paths than can be compared'],
    [
      { kind: 'budget', of: 'patterns', claim: 'sub' },
      'there are more patterns of claim sub than can be compared',
    ],
  ],
  'text-missing': [
    [
      { kind: 'text-missing', policies: ['ops'] },
      'what policy ops allows (its text is missing or unreadable)',
    ],
    [
      { kind: 'text-missing', policies: ['a', 'b'], who: { promised: 'role web' } },
      'what policy a and policy b of role web allows (its text is missing or unreadable)',
    ],
  ],
  'united-parameters': [
    [
      { kind: 'united-parameters' },
      'which fields may be written with the policies of more than two groups together',
    ],
  ],
  'denial-gone': [
    [
      { kind: 'denial-gone', pattern: 'a/*', by: { kind: 'role', method: 'ci', name: 'web' } },
      'what else the principals of role ci/web hold: a denial on "a/*" goes',
    ],
    [
      { kind: 'denial-gone', pattern: 'a', by: { kind: 'policy', name: 'ops' } },
      'what else other principals with policy ops hold: a denial on "a" goes',
    ],
  ],
  'other-principals': [[{ kind: 'other-principals', policy: 'ops' }, 'other principals with policy ops']],
  'other-grants': [
    [{ kind: 'other-grants', by: { kind: 'entity', name: 'ann' } }, 'other grants of entity ann'],
    [
      { kind: 'other-grants', by: { kind: 'sign-ins', method: 'ci' }, lifted: 'batch' },
      'other grants of sign-ins at auth/ci: they are no batch tokens and may make tokens',
    ],
  ],
  'token-picks': [
    [
      {
        kind: 'token-picks',
        by: { kind: 'picked', from: { kind: 'role', method: 'ci', name: 'r' }, policy: 'p' },
      },
      'whether tokens are made by role ci/r with policy p alone',
    ],
  ],
  'hidden-field': [
    [
      { kind: 'hidden-field', subject: { type: 'role', name: 'web', method: 'ci', field: 'policies' } },
      'policies of role ci/web',
    ],
    [{ kind: 'hidden-field', subject: { type: 'group', name: 'ops' } }, 'what becomes of group ops'],
  ],
  'open-end': [
    [
      { kind: 'open-end', edge: 'identity', node: { kind: 'group', name: 'on call' } },
      'groups, policies and second factors elsewhere of group "on call"',
    ],
    [
      { kind: 'open-end', edge: 'aliases', node: { kind: 'method', name: 'ci' } },
      'entities and groups elsewhere with an alias of auth/ci',
    ],
  ],
  'filled-in': [
    [
      { kind: 'filled-in', policy: 't', by: { kind: 'group', name: 'g' } },
      'what policy t allows, which group g fills in',
    ],
    [
      { kind: 'filled-in', policy: 't', by: { kind: 'other', name: 'role app' }, what: 'metadata' },
      'what policy t allows, which the metadata of role app fills in',
    ],
  ],
  opaque: [
    [{ kind: 'opaque', name: 'role x', asks: 'effect' }, 'what role x does'],
    [{ kind: 'opaque', name: 'role x', asks: 'grants' }, 'what role x grants'],
  ],
  'groups-of-claim': [
    [
      { kind: 'groups-of-claim', claim: 'teams', method: 'ci' },
      'which groups claim "teams" maps to (no alias of auth/ci is declared here)',
    ],
  ],
  unordered: [
    [{ kind: 'unordered', about: { of: 'callback-mode' } }, 'callbackMode'],
    [{ kind: 'unordered', about: { of: 'method', method: 'ci' } }, 'configuration of method ci'],
  ],
  'claim-too-deep': [
    [{ kind: 'claim-too-deep', claim: 'a', names: 101 }, 'what is in claim a, 101 names deep'],
  ],
  'claim-is-time': [[{ kind: 'claim-is-time', claim: 'exp' }, 'what claim exp, a time, may be']],
  'claim-is-list': [
    [{ kind: 'claim-is-list', claim: 'a' }, 'what claim a holds, as a list and at a position of it'],
  ],
  'unreadable-addresses': [[{ kind: 'unreadable-addresses', range: '?' }, 'source addresses "?"']],
  'same-people': [
    [
      { kind: 'same-people', who: { promised: 'group ops' }, capability: 'read', path: 'a' },
      'whether they are also group ops, who can read "a"',
    ],
  ],
  'limits-met': [
    [
      { kind: 'limits-met', who: { promised: 'role web' }, pattern: 'a/*', limits: ['wrapping'] },
      'whether role web can meet the limits of "a/*": wrapping',
    ],
  ],
  'sign-in-unknown': [
    [{ kind: 'sign-in-unknown', who: { promised: 'role web' } }, 'a sign-in that lets role web in'],
  ],
  unmodeled: [
    [
      { kind: 'unmodeled', effect: { of: 'policies-elsewhere', namespace: 'team' } },
      'policies elsewhere that reach into namespace team',
    ],
  ],
  'not-read': [
    [
      { kind: 'not-read', what: 'groups (the token may not read them)' },
      'groups (the token may not read them)',
    ],
  ],
  'resources-not-read': [
    [{ kind: 'resources-not-read', type: 'vault_mount', count: 1 }, '1 resource of type vault_mount'],
    [{ kind: 'resources-not-read', type: 'vault_mount', count: 2 }, '2 resources of type vault_mount'],
  ],
  'plan-incomplete': [
    [
      { kind: 'plan-incomplete', why: 'It was made for 2 targets.' },
      'This plan was not checked in full. It was made for 2 targets',
    ],
  ],
  'state-before-unknown': [[{ kind: 'state-before-unknown' }, 'what was before']],
};

test.each(Object.entries<[Reason, string][]>(examples))('a reason in words: %s', (_, all) => {
  expect(all.map(([reason]) => reasonWords(reason))).toEqual(all.map(([, words]) => words));
});

test('reasons are compared by their data, whatever the order of its fields', () => {
  const some: Reason[] = [
    { kind: 'other-grants', by: { kind: 'role', method: 'ci', name: 'web' } },
    { by: { name: 'web', method: 'ci', kind: 'role' }, kind: 'other-grants' },
    { kind: 'other-grants', by: { kind: 'role', method: 'ci', name: 'web' }, lifted: 'uses' },
  ];
  expect(new Set(some.map(reasonKey)).size).toBe(2);
  expect(uniqueReasons(some)).toEqual([some[0], some[2]]);
});
