import { describe, expect, test } from '@jest/globals';
import type { Exception } from '../../src/graph/exception-settings.ts';
import type { ReviewPredicate } from '../../src/statement/predicate.ts';
import { requireReview } from '../../src/statement/require-review.ts';
import type { ReviewedChange } from '../../src/statement/statement.ts';
import { change, keys, now, policy, signed, signedText, statement } from './reviewed.ts';

const exception: Exception = {
  rule: 'administration-gained',
  subject: 'role ci/deploy',
  because: 'deploys',
  namespace: undefined,
  owner: 'ops@example.com',
  until: '2026-12-31',
};
const { namespace: _, ...terms } = exception;
/** The exception as a statement has it. */
const stated = { ...terms, subject: { type: 'role', name: 'deploy', method: 'ci' } };

/** @returns the names of those whose statements count */
function signers(
  texts: string[],
  asked: Partial<Parameters<typeof requireReview>[2]> = {},
  about: Omit<ReviewedChange, 'name'> = change,
  at = now,
): string[] {
  const files = texts.map((text, index) => ({ name: `${index + 1}.json`, text }));
  const found = requireReview(about, files, { policy: policy(), exceptions: [exception], ...asked }, at);
  return found.map(({ signer }) => signer.name);
}

describe('a signed review counts', () => {
  test('for the change that it is about, with a key of either type', async () => {
    expect(signers([await signed()])).toEqual(['alice']);
    expect(signers([await signed(statement(), keys.bob)])).toEqual(['bob']);
  });

  test('for a file without a known stack', async () => {
    const ofFile = statement({ state: undefined, declared: undefined });
    expect(signers([await signed(ofFile)], {}, { digest: change.digest })).toEqual(['alice']);
  });

  test('for administration with as many signers as the stack asks for', async () => {
    const given = statement({ administration: true });
    const two = { policy: policy({ administration: 2 }) };
    const both = [await signed(given), await signed(given, keys.bob)];
    expect(signers(both, two)).toEqual(['alice', 'bob']);
    // One of them need not have seen it: the graver answer holds.
    expect(() => signers([both[0] ?? ''], two)).toThrow('2, as it gives administration');
    expect(signers([await signed(statement()), both[1] ?? ''], two)).toEqual(['alice', 'bob']);
  });

  test('for a change of who may sign with as many, whatever it says of itself', async () => {
    const one = await signed();
    const asked = { policy: policy({ administration: 2 }), changesPolicy: true };
    expect(() => signers([one], asked)).toThrow('2, as it gives administration');
    expect(signers([one, await signed(statement(), keys.bob)], asked)).toEqual(['alice', 'bob']);
  });

  test('with errors, where the stack says that such count', async () => {
    const failed = await signed(statement({ verdict: 'failed' }));
    expect(signers([failed], { policy: policy({ failed: true }) })).toEqual(['alice']);
  });

  test('with another statement that does not', async () => {
    expect(signers(['{}', await signed()])).toEqual(['alice']);
  });

  test('with an exception that is in force', async () => {
    expect(signers([await signed(statement({ exceptions: [stated] }))])).toEqual(['alice']);
  });
});

/** Whether a statement counts on an exception of one namespace, where those of others are in force. */
test.each([
  [undefined, undefined, true],
  ['pay', 'pay', true],
  ['pay', undefined, false],
  [undefined, 'pay', false],
])(
  'an exception counts in its own namespace alone: %s, in force in %s',
  async (namespace, inForce, counts) => {
    const subject = { ...stated.subject, ...(namespace !== undefined && { namespace }) };
    const text = await signed(statement({ exceptions: [{ ...stated, subject }] }));
    const found = () => signers([text], { exceptions: [{ ...exception, namespace: inForce }] });
    if (counts) expect(found()).toEqual(['alice']);
    else expect(found).toThrow('not in force');
  },
);

const zeros = '0'.repeat(64);
const stack = (part: object) => statement({ stack: { ...change.stack, ...part } });
const time = (timeCreated: string) => statement({ timeCreated });
const withException = (part: object) => statement({ exceptions: [{ ...stated, ...part }] });

/** Signed well, by someone who may sign, and wrong for this change. */
const wrong: [name: string, given: unknown, why: string][] = [
  ['of another plan', statement({}, zeros), 'it is about another plan'],
  ['of another graph', statement({ declared: { sha256: zeros } }), 'declares something else now'],
  ['of no graph', statement({ declared: undefined }), 'declares something else now'],
  ['of an older state', statement({ state: { sha256: zeros } }), 'the state has changed since'],
  ['of no state', statement({ state: undefined }), 'the state has changed since'],
  ['of another stack', stack({ name: 'staging' }), 'it is for stack sign-in/staging'],
  ['of another project', stack({ project: 'other' }), 'it is for stack other/prod'],
  ['of another namespace', stack({ namespace: 'shop' }), 'namespace shop'],
  ['of the root', stack({ namespace: '' }), 'it is for stack sign-in/prod at https:'],
  ['of another service', stack({ service: 'https://other.example.com' }), 'at https://other.example.com'],
  ['of no stack', statement({ stack: undefined }), 'it names no stack'],
  ['too old', time('2026-11-27T11:59:00Z'), 'at most 1d'],
  ['of a year ago', time('2025-11-28T11:30:00Z'), 'at most 1d'],
  ['to come', time('2026-11-28T12:02:00Z'), 'which is to come'],
  ['of next year', time('2027-11-28T12:02:00Z'), 'which is to come'],
  ['with errors', statement({ verdict: 'failed' }), 'the review found errors'],
  ['with an exception that was dropped', withException({ rule: 'everyone-gains' }), 'not in force'],
  [
    'with an exception for another subject',
    withException({ subject: { ...stated.subject, name: 'web' } }),
    'not in force',
  ],
  ['with an exception of another owner', withException({ owner: 'me@example.com' }), 'not in force'],
  ['with an exception that is over', withException({ until: '2026-11-27' }), 'not in force'],
  [
    'of a later version',
    { ...statement(), predicateType: 'https://gatehouse.example/review/v2' },
    '/review/v1',
  ],
  ['of another kind', { ...statement(), predicateType: 'https://slsa.dev/provenance/v1' }, 'slsa.dev'],
  ['no in-toto statement', { ...statement(), _type: 'https://in-toto.io/Statement/v0.1' }, 'version 1'],
  ['with a field that is not known', statement({ onlyIf: 'monday' }), 'not known'],
  ['without its verdict', statement({ verdict: undefined }), 'not known: predicate.verdict'],
  ['with a verdict that is not known', statement({ verdict: 'fine' }), 'not known: predicate.verdict'],
  [
    'with two subjects',
    { ...statement(), subject: [...statement().subject, ...statement({}, zeros).subject] },
    'not known: subject',
  ],
  ['with no subject', { ...statement(), subject: [] }, 'not known: subject'],
  [
    'with another digest',
    { ...statement(), subject: [{ name: 'a', digest: { sha1: zeros } }] },
    'not known: subject',
  ],
  ['by another program', statement({ verifier: { id: 'https://example.com', version: '1' } }), 'not known'],
  ['a list', [statement()], 'no JSON object'],
];

describe('a review that is well signed does not count', () => {
  test.each(wrong)('%s', async (_name, given, why) => {
    const text = await signed(given);
    expect(() => signers([text])).toThrow('This change has no signed review that counts');
    expect(() => signers([text])).toThrow(why);
  });

  test('for a file, where it is about the plan of a stack: the state would not be compared', async () => {
    const { digest, stack } = change;
    const text = await signed();
    expect(() => signers([text], {}, { digest, ...(stack && { stack }) })).toThrow('not about a file');
  });

  test('with a name twice in it', async () => {
    const payload = JSON.stringify(statement()).replace('"verdict"', '"verdict":"failed","verdict"');
    const text = await signedText(payload);
    expect(() => signers([text])).toThrow('no JSON object, or names something twice');
  });

  test.each<[string, object]>([
    ['before its first day', { from: '2026-11-29' }],
    ['after its last day', { until: '2026-11-27' }],
  ])('with a key %s', async (_name, days) => {
    const [alice] = policy().signers;
    const asked = { policy: policy({ signers: [{ ...alice, ...days }] }) };
    const text = await signed();
    expect(() => signers([text], asked)).toThrow('the key of alice counts');
  });

  test('with a key that was removed, or of someone else', async () => {
    const text = await signed();
    const [, bob] = policy().signers;
    expect(() => signers([text], { policy: policy({ signers: [bob] }) })).toThrow(
      'not of one of the signers',
    );
    const other = await signed(statement(), keys.mallory);
    expect(() => signers([other])).toThrow('not of one of the signers');
  });

  test.each([
    ['before', '2026-11-28T11:29:59.000Z', ['alice']],
    ['after', '2026-11-28T11:31:01.000Z', 'the change was let in at 2026-11-28T11:31:01.000Z'],
    // The clock of who signed may be ahead.
    ['just before', '2026-11-28T11:30:01.000Z', 'the change was let in'],
  ])('once the change was let in: %s', async (_, at, answer) => {
    const text = await signed(statement({ timeCreated: '2026-11-28T11:31:00.000Z' }));
    const asked = { spentAt: new Date(at) };
    if (typeof answer === 'string') expect(() => signers([text], asked)).toThrow(answer);
    else expect(signers([text], asked)).toEqual(answer);
  });

  test('twice by one signer, where two are asked for', async () => {
    const given = statement({ administration: true });
    const later = statement({ administration: true, timeCreated: '2026-11-28T11:31:00.000Z' });
    const texts = [await signed(given), await signed(given), await signed(later)];
    expect(() => signers(texts, { policy: policy({ administration: 2 }) })).toThrow('signed by alice');
  });
});

type Bundle = {
  mediaType: string;
  verificationMaterial: Record<string, any>;
  dsseEnvelope: { payload: string; payloadType: string; signatures: { sig: string; keyid?: string }[] };
};

const base64 = (text: string) => Buffer.from(text).toString('base64');
const payloadOf = ({ dsseEnvelope }: Bundle) => Buffer.from(dsseEnvelope.payload, 'base64').toString();

/** What becomes of a bundle of alice's on the way. */
const altered: [name: string, alter: (bundle: Bundle, text: string) => string | Promise<string>][] = [
  ['cut in half', (_, text) => text.slice(0, text.length / 2)],
  ['nothing', () => ''],
  ['not JSON', () => 'passed'],
  ['a bundle twice', (_, text) => text + text],
  [
    'its payload changed',
    (one) => withPayload(one, payloadOf(one).replace('"gains":"some"', '"gains":"none"')),
  ],
  ['its payload with a blank', (one) => withPayload(one, `${payloadOf(one)} `)],
  ['its payload in another order', (one) => withPayload(one, reordered(payloadOf(one)))],
  ['its payload cut', (one) => withPayload(one, payloadOf(one).slice(0, -10))],
  ['its signature changed', (one) => withSignature(one, flipped(one.dsseEnvelope.signatures[0]?.sig ?? ''))],
  ['its signature gone', (one) => withSignature(one, '')],
  [
    'no signature',
    (one) => JSON.stringify({ ...one, dsseEnvelope: { ...one.dsseEnvelope, signatures: [] } }),
  ],
  ['the signature twice', (one) => twice(one)],
  [
    'signed by another, in the name of alice',
    async (one) => renamed(await signed(statement(), keys.mallory), hintOf(one)),
  ],
  [
    'signed by bob, in the name of alice',
    async (one) => renamed(await signed(statement(), keys.bob), hintOf(one)),
  ],
  [
    'signed by alice, in the name of bob',
    async (one) => renamed(JSON.stringify(one), hintOf(JSON.parse(await signed(statement(), keys.bob)))),
  ],
  [
    'another type of payload',
    (one) => JSON.stringify({ ...one, dsseEnvelope: { ...one.dsseEnvelope, payloadType: 'text/plain' } }),
  ],
  [
    'its key in it',
    (one) =>
      JSON.stringify({
        ...one,
        verificationMaterial: { ...one.verificationMaterial, publicKey: { hint: 'mine' } },
      }),
  ],
  [
    'an entry of a public log that is made up',
    (one) =>
      JSON.stringify({
        ...one,
        verificationMaterial: {
          ...one.verificationMaterial,
          tlogEntries: [
            {
              logIndex: '1',
              logId: { keyId: base64('x') },
              kindVersion: { kind: 'dsse', version: '0.0.1' },
              integratedTime: '1',
              inclusionProof: {
                checkpoint: { envelope: 'x' },
                hashes: [],
                logIndex: '1',
                rootHash: base64('x'),
                treeSize: '1',
              },
              canonicalizedBody: base64('{}'),
            },
          ],
        },
      }),
  ],
  ['a name twice', (_, text) => text.replace('"dsseEnvelope":', '"dsseEnvelope":{},"dsseEnvelope":')],
];

const hintOf = ({ verificationMaterial }: Bundle): string => verificationMaterial['publicKey'].hint;
const withPayload = (one: Bundle, payload: string) =>
  JSON.stringify({ ...one, dsseEnvelope: { ...one.dsseEnvelope, payload: base64(payload) } });
const withSignature = (one: Bundle, sig: string) =>
  JSON.stringify({ ...one, dsseEnvelope: { ...one.dsseEnvelope, signatures: [{ sig }] } });
const flipped = (sig: string) => (sig.startsWith('A') ? `B${sig.slice(1)}` : `A${sig.slice(1)}`);
const reordered = (payload: string) =>
  JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(payload)).reverse()));
const twice = (one: Bundle) => {
  const { signatures } = one.dsseEnvelope;
  return JSON.stringify({
    ...one,
    dsseEnvelope: { ...one.dsseEnvelope, signatures: [...signatures, ...signatures] },
  });
};
const renamed = (text: string, hint: string) => {
  const one = JSON.parse(text) as Bundle;
  return JSON.stringify({
    ...one,
    verificationMaterial: { ...one.verificationMaterial, publicKey: { hint } },
  });
};

test.each(altered)('a bundle that is altered does not count: %s', async (_name, alter) => {
  const text = await signed();
  expect(signers([text])).toEqual(['alice']);
  const forged = await alter(JSON.parse(text) as Bundle, text);
  expect(forged).not.toBe(text);
  expect(() => signers([forged])).toThrow('This change has no signed review that counts');
});

test('every field of a statement is signed: none can be changed', async () => {
  const bundle = JSON.parse(await signed()) as Bundle;
  const { predicate } = JSON.parse(payloadOf(bundle)) as { predicate: ReviewPredicate };
  for (const key of Object.keys(predicate)) {
    const changed = JSON.parse(payloadOf(bundle));
    changed.predicate[key] = 'something else';
    expect(() => signers([withPayload(bundle, JSON.stringify(changed))])).toThrow('its signature is wrong');
  }
});
