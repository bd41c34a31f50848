import { describe, expect, test } from '@jest/globals';
import { parseEnvironment } from '../../../src/environment/environment.ts';
import { emptyGraph } from '../../../src/graph/graph.ts';
import { judgeGate } from '../../../src/review/rules/gate.ts';
import { keys } from '../../statement/reviewed.ts';

const alice = { name: 'alice', key: keys.alice.publicPem, from: '2026-11-01', until: '2026-12-31' };
const bob = { name: 'bob', key: keys.bob.publicPem, until: '2026-12-31' };
const token = { policies: ['deploy'], ttl: '10m', uses: 100 };
const asked = { signers: [alice, bob], maxAge: '1h', administration: 2, deployingToken: token };

const gate = (reviews?: object) =>
  parseEnvironment({ service: { address: 'https://secrets.example.com' }, ...(reviews && { reviews }) });

function messages(was: object | undefined | 'unknown', is: object | undefined): string[] {
  const before = was === 'unknown' ? was : gate(was);
  return judgeGate(emptyGraph(), { is: gate(is), was: before }, 0n).map(
    ({ rule, message }) => `${rule}: ${message}`,
  );
}

/** What less is asked of signed reviews, or what more they are good for, by a change of them. */
const weaker: [name: string, was: object | undefined | 'unknown', is: object | undefined, message: string][] =
  [
    ['none are asked for', asked, undefined, 'Changes of this stack need no signed review anymore.'],
    ['a new signer', { ...asked, signers: [bob] }, asked, 'alice signs with a new key, until 2026-12-31.'],
    [
      'another key of a signer',
      asked,
      { ...asked, signers: [{ ...alice, key: keys.mallory.publicPem }, bob] },
      'alice signs with a new key, until 2026-12-31.',
    ],
    [
      'a key that counts for longer',
      asked,
      { ...asked, signers: [alice, { ...bob, until: '2027-12-31' }] },
      'The key of bob counts for longer: until 2027-12-31.',
    ],
    [
      'a key that counts earlier',
      asked,
      { ...asked, signers: [{ ...alice, from: '2026-10-01' }, bob] },
      'The key of alice counts for longer: until 2026-12-31.',
    ],
    ['older statements', asked, { ...asked, maxAge: '2h' }, 'maxAge: 1h → 2h'],
    ['reviews with errors', asked, { ...asked, failed: true }, 'Reviews with errors count, too (failed).'],
    ['fewer signers', asked, { ...asked, administration: 1 }, 'administration: 2 → 1 signers'],
    [
      'a token where there was none',
      { ...asked, deployingToken: undefined },
      asked,
      'Signed reviews are exchanged for a token with the policies deploy.',
    ],
    [
      'a token with the first signers',
      undefined,
      asked,
      'Signed reviews are exchanged for a token with the policies deploy.',
    ],
    [
      'a token of another policy',
      asked,
      { ...asked, deployingToken: { ...token, policies: ['deploy', 'admin'] } },
      'Signed reviews are exchanged for a token with the policies admin.',
    ],
    [
      'a token that lives longer',
      asked,
      { ...asked, deployingToken: { ...token, ttl: '20m' } },
      'The token for a signed review lives longer: 10m → 20m',
    ],
    [
      'a token of more uses',
      asked,
      { ...asked, deployingToken: { ...token, uses: 101 } },
      'Uses of that token: 100 → 101',
    ],
  ];

describe('signed reviews are weakened by', () => {
  test.each(weaker)('%s', (_, was, is, message) => {
    expect(messages(was, is)).toEqual([`reviews-weakened: ${message}`]);
  });
});

test('all of it that no base revision shows is new', () => {
  expect(messages('unknown', asked)).toEqual(
    [
      'alice signs with a new key, until 2026-12-31.',
      'bob signs with a new key, until 2026-12-31.',
      'Signed reviews are exchanged for a token with the policies deploy.',
    ].map((message) => `reviews-weakened: ${message}`),
  );
});

test('a policy of the token that is written otherwise is no other', () => {
  const written = { ...asked, deployingToken: { ...token, policies: ['Deploy'] } };
  expect(messages(asked, written)).toEqual([]);
});

const stricter = [
  'a key that counts for longer',
  'a key that counts earlier',
  'older statements',
  'reviews with errors',
];
stricter.push(
  'fewer signers',
  'a token that lives longer',
  'a token of more uses',
  'a token of another policy',
);

test.each(weaker.filter(([name]) => stricter.includes(name)))(
  'they are not weakened the other way round: %s',
  (_, was, is) => expect(messages(is, was as object)).toEqual([]),
);
