import { beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { longTest, someOf } from '../../../../test/harness/long-run.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import { declared, keys, ReviewedStack, signer } from './reviewed-stack.ts';

describeOnBothServers('a change of a stack that asks for signed reviews', (service) => {
  const environment = environmentFor(service);
  let stack: ReviewedStack;
  const reviews = { signers: [signer('alice'), signer('bob')], administration: 2 };

  beforeAll(async () => {
    stack = await ReviewedStack.start(environment(), declared('one', reviews));
    const { code, err } = await stack.up([await stack.sign('alice')]);
    expect([code, err]).toEqual([0, expect.stringContaining('Reviewed and signed by alice.')]);
  });

  test('is refused without a statement', async () => {
    stack.declare(declared('two', reviews));
    const { code, err } = await stack.up([]);
    expect([code, err]).toEqual([1, expect.stringContaining('This change has no signed review that counts')]);
    expect(await stack.shop()).toBe('one');
  });

  longTest('is refused with a statement about another plan', async () => {
    stack.declare(declared('two', reviews));
    const reviewed = await stack.sign('alice');
    stack.declare(declared('three', reviews));
    const other = await stack.up([reviewed]);
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('it is about another plan')]);
    expect(await stack.shop()).toBe('one');
  });

  longTest('is applied once: after it, the state is another one', async () => {
    stack.declare(declared('two', reviews));
    const there = await stack.sign('alice');
    expect((await stack.up([there])).code).toBe(0);
    expect(await stack.shop()).toBe('two');
    stack.declare(declared('one', reviews));
    expect((await stack.up([await stack.sign('bob')])).code).toBe(0);
    // The same steps, on the same values.
    stack.declare(declared('two', reviews));
    const again = await stack.up([there]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('the state has changed since')]);
    expect(await stack.shop()).toBe('one');
  });

  const own: [string, object | undefined][] = [
    ['names a signer of its own', { signers: [signer('mallory')] }],
    ['asks for none', undefined],
    ['gives the name of a signer another key', { signers: [signer('alice', keys.mallory)] }],
  ];

  longTest.each(someOf(3, own))('does not choose who signs: it %s', async (what, chosen) => {
    stack.declare(declared(what.replace(/\W/g, ''), chosen));
    const { code, err } = await stack.up([await stack.sign('mallory')]);
    expect([code, err]).toEqual([1, expect.stringContaining('its key is not of one of the signers')]);
  });

  longTest('needs as many signers as administration does, where it changes who signs', async () => {
    stack.declare(declared('both', { signers: [signer('mallory')] }));
    const alice = await stack.sign('alice');
    const alone = await stack.up([alice]);
    expect([alone.code, alone.err]).toEqual([1, expect.stringContaining('2, as it gives administration')]);
    expect((await stack.up([alice, await stack.sign('bob')])).code).toBe(0);
    expect(await stack.shop()).toBe('both');
  });

  longTest('needs as many, where it takes the reviews away and names another service in one', async () => {
    stack.declare({
      ...declared('moved'),
      'gatehouse:service': {
        address: service().address.replace('127.0.0.1', 'localhost'),
        features: { messages: false },
      },
    });
    const { code, err } = await stack.up([await stack.sign('alice')]);
    expect([code, err]).toEqual([1, expect.stringContaining('signed by')]);
    expect(err).toContain('2, as it gives administration');
  });

  longTest('is not applied to several stacks at once', async () => {
    stack.declare(declared('several', reviews));
    const { code, out, err } = await stack.run(['up', '--all-stacks', '--yes']);
    expect([code, out + err]).toEqual([1, expect.stringContaining('no signed review that counts')]);
    expect(await stack.shop()).not.toBe('several');
  });
});
