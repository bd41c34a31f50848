import { describe, expect, test } from '@jest/globals';
import { trailOf } from '../../src/statement/trail.ts';
import { change, keys, policy, signed, statement } from './reviewed.ts';

type KeptReview = Parameters<typeof trailOf>[1][number];

const stack = { project: 'sign-in', name: 'prod' };
const trail = (kept: (string | KeptReview)[], subject = 'role ci/web', asked: object = {}) =>
  trailOf(
    subject,
    kept.map((one, index) => (typeof one === 'string' ? { name: `${index + 1}.json`, text: one } : one)),
    { policy: policy(asked), stack },
  );
const digest = (digit: string) => digit.repeat(64);
const of = (who: string[], fields: object = {}) =>
  statement({
    access: [{ who, gains: 'some', losses: 'none', life: 'same', why: ['gains: web'], words: [], ...fields }],
  });
const at = (timeCreated: string, plan: string, fields: object = {}) =>
  signed(statement({ timeCreated, ...fields }, digest(plan)));

describe('the trail of a subject', () => {
  test('has what each change gave or took, who signed it, and from which commit', async () => {
    expect(trail([await signed()])).toEqual({
      changes: [
        {
          at: '2026-11-28T11:30:00.000Z',
          isChecked: true,
          signed: [{ by: 'alice', at: '2026-11-28T11:30:00.000Z', verdict: 'passed' }],
          access: [
            {
              gains: 'some',
              losses: 'none',
              life: 'same',
              why: ['gains: web'],
              words: [{ before: '–', after: 'read secret/data/web/*' }],
            },
          ],
          accepted: [],
          exceptions: [],
          commit: '0123abc',
          plan: 'sign-in/prod',
          service: 'https://secrets.example.com:8200',
          namespace: 'pay',
          statements: ['1.json'],
        },
      ],
      notCounted: [],
      read: 1,
    });
  });

  test('has the newest change first, whatever the order of its files', async () => {
    const days = ['2026-11-20', '2026-11-22', '2026-11-21'].map((day, index) =>
      at(`${day}T10:00:00.000Z`, `${index}`),
    );
    const { changes } = trail(await Promise.all(days));
    expect(changes.map(({ at }) => at.slice(8, 10))).toEqual(['22', '21', '20']);
  });

  test('has both who signed one change, and one person once', async () => {
    const texts = [
      await signed(),
      await signed(statement({ timeCreated: '2026-11-28T11:40:00.000Z' }), keys.bob),
      await signed(statement({ timeCreated: '2026-11-28T11:45:00.000Z' })),
    ];
    const [only, ...rest] = trail(texts).changes;
    expect(rest).toEqual([]);
    expect(only?.signed.map(({ by, at }) => [by, at.slice(11, 16)])).toEqual([
      ['alice', '11:45'],
      ['bob', '11:40'],
    ]);
    expect(only?.access).toHaveLength(1);
  });

  test('has the same change again as another, once a statement of the first would be too old', async () => {
    const texts = [await at('2026-11-20T10:00:00.000Z', 'a'), await at('2026-11-22T10:00:00.000Z', 'a')];
    expect(trail(texts).changes).toHaveLength(2);
    expect(trail(texts, undefined, { maxAge: '3d' }).changes).toHaveLength(1);
  });

  test('has who accepted it and why, and the exceptions for this subject alone', async () => {
    const exception = {
      rule: 'everyone-gains',
      because: 'a demo',
      owner: 'ops@example.com',
      until: '2026-12-31',
      subject: { type: 'role', name: 'web', method: 'ci' },
    };
    const other = { ...exception, subject: { type: 'role', name: 'build', method: 'ci' } };
    const accepted = [{ by: 'carol', task: 'scan', because: 'a false alarm', at: '2026-11-28T11:20:00Z' }];
    const [only] = trail([await signed(statement({ accepted, exceptions: [exception, other] }))]).changes;
    const { subject: _, ...terms } = exception;
    expect([only?.accepted, only?.exceptions]).toEqual([accepted, [terms]]);
  });

  test('has the same change at another service as another', async () => {
    const texts = [
      await signed(),
      await signed(statement({ stack: { ...change.stack, service: 'https://b.example.com' } })),
    ];
    expect(trail(texts).changes).toHaveLength(2);
  });

  test('has what is known of it where it is kept, with times in one zone', async () => {
    const text = await signed();
    const kept = [
      { name: 'gatehouse/reviews/a.json', text, keptAt: '2026-11-28T14:00:00+02:00' },
      {
        name: 'run-1',
        text: `${text}\n`,
        run: 'run-1',
        takenBy: 'carol',
        appliedAt: '2026-11-28T08:00:00-05:00',
      },
    ];
    expect(trail(kept).changes).toMatchObject([
      {
        statements: ['gatehouse/reviews/a.json, run-1'],
        run: 'run-1',
        takenBy: 'carol',
        keptAt: '2026-11-28T12:00:00.000Z',
        appliedAt: '2026-11-28T13:00:00.000Z',
      },
    ]);
  });

  test.each(['role pay/ci/web', '  ROLE pay/ci/web', 'role "pay/ci/web"'])(
    'of a child namespace is found as `%s`, and is no other’s',
    async (given) => {
      const texts = [await signed(of(['role pay/ci/web'])), await at('2026-11-20T10:00:00.000Z', 'b')];
      expect(trail(texts, given).changes).toHaveLength(1);
      expect(trail(texts, 'role ci/web').changes.map(({ at }) => at.slice(8, 10))).toEqual(['20']);
    },
  );

  test('of a name in quotes is found with them or without', async () => {
    const texts = [await signed(of(['group "on call"']))];
    for (const given of ['group "on call"', 'group on call'])
      expect(trail(texts, given).changes).toHaveLength(1);
  });
});

describe('a key', () => {
  test('that is over still counts for what it signed before', async () => {
    const [alice] = policy().signers;
    const over = { signers: [{ ...alice, until: '2026-11-28' }] };
    expect(trail([await signed()], undefined, over).changes[0]?.signed[0]?.by).toBe('alice');
    const later = await at('2026-11-29T00:00:00.000Z', 'd');
    expect(trail([await signed(), later], undefined, over).notCounted).toEqual([
      { name: '2.json', problem: 'the key of alice counts from 2026-11-01 until 2026-11-28' },
    ]);
  });

  test('that the stack does not name is named by its digits, and never joined with one that counts', async () => {
    const { changes } = trail([await signed(), await signed(statement(), keys.mallory)]);
    expect(changes.map(({ isChecked, signed }) => [isChecked, signed.map(({ by }) => by)])).toEqual([
      [true, ['alice']],
      [false, [expect.stringMatching(/^a key that the stack does not name now \([0-9a-f]{12}\)$/)]],
    ]);
  });
});

describe('what does not count is named', () => {
  test.each<[string, (text: string) => string | Promise<string>, string]>([
    ['a wrong signature', (text) => text.replace(/"sig":"..../, '"sig":"AAAA'), 'its signature is wrong'],
    ['no statement', () => '{}', 'it is no bundle'],
    ['a picture', () => '\x89PNG\r\n', 'it is no bundle'],
    ['half of one', (text) => text.slice(0, 300), 'it is no bundle'],
    ['one of no stack', () => signed(statement({ stack: undefined })), 'it names no stack'],
    [
      'one whose key has no digits',
      (text) => text.replace(/"hint":"[0-9a-f]+"/, '"hint":"\\u001b[2J"'),
      'it names no key',
    ],
  ])('%s', async (_name, change, problem) => {
    const text = await signed();
    const { changes, notCounted } = trail([text, await change(text)]);
    expect(changes).toHaveLength(1);
    expect(notCounted).toEqual([{ name: '2.json', problem: expect.stringContaining(problem) }]);
  });

  test('but for one of another stack, which is not about this one', async () => {
    const elsewhere = await signed(statement({ stack: { ...change.stack, name: 'dev' } }));
    expect(trail([await signed(), elsewhere])).toMatchObject({ notCounted: [], read: 1 });
  });
});

describe('a subject that no statement names is refused', () => {
  test('with the nearest that one names', async () => {
    const text = await signed(of(['role ci/web', 'group shop']));
    expect(() => trail([text], 'role ci/wev')).toThrow('did you mean `role ci/web`?');
    expect(() => trail([text], 'role ci')).toThrow('None of 1 signed reviews of the stack names it');
  });

  test('also if it is in another stack’s', async () => {
    const elsewhere = await signed(statement({ stack: { ...change.stack, name: 'dev' } }));
    expect(() => trail([elsewhere])).toThrow('None of 0 signed reviews');
  });
});
