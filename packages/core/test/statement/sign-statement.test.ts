import { describe, expect, test } from '@jest/globals';
import { openStatement } from '../../src/statement/open-statement.ts';
import { signerOf } from '../../src/statement/sign-statement.ts';
import { keys, policy, signed, signedText, statement } from './reviewed.ts';

const alice = signerOf(keys.alice.pem);
const accepted = {
  by: 'carol',
  task: 'scan',
  because: 'a false alarm',
  at: '2026-11-28T11:45:00.000Z',
};

describe('a review that someone accepted', () => {
  test('says so, and all that it said before', async () => {
    const text = await alice.accept(await signed(), accepted);
    const other = { ...accepted, by: 'dave', task: 'cost' };
    const opened = openStatement(await alice.accept(text, other), policy());
    expect(opened).toMatchObject({
      signer: { name: 'alice' },
      statement: statement({ accepted: [accepted, other] }),
    });
  });

  test('is one that this key signed', async () => {
    await expect(alice.accept(await signed(statement(), keys.bob), accepted)).rejects.toThrow('its key');
    await expect(alice.accept(await signedText('{}'), accepted)).rejects.toThrow('in-toto');
  });
});
