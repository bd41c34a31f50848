import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { mapInput, runError } from '../../components/inputs.ts';
import { GatehouseError } from '../../packages/core/src/graph/values/errors.ts';

const double = (given: { list: number[] }) => given.list.map((value) => value * 2);
const resolved = (value: unknown) => new Promise((resolve) => pulumi.output(value as string).apply(resolve));

describe('mapInput', () => {
  test('maps a plain value at once', () => {
    expect(mapInput({ list: [1, 2] }, double)).toEqual([2, 4]);
  });

  test('lets a mistake in a plain value stop the program where it was made', () => {
    const fail = () => {
      throw new Error('no');
    };
    expect(() => mapInput('x', fail)).toThrow('no');
  });

  test.each([
    ['an output', () => pulumi.output({ list: [1, 2] })],
    ['a promise', () => Promise.resolve({ list: [1, 2] })],
    ['an output deep inside', () => ({ list: [1, pulumi.output(2)] })],
    ['a promise deep inside', () => ({ list: [Promise.resolve(1), 2] })],
  ])('maps %s once it is known', async (_, given) => {
    const mapped = mapInput(given(), double as (given: any) => number[]);
    expect(pulumi.Output.isInstance(mapped)).toBe(true);
    expect(await resolved(mapped)).toEqual([2, 4]);
  });

  test('keeps what comes of a secret a secret', async () => {
    const mapped = mapInput(pulumi.secret({ list: [1] }), double);
    expect(await pulumi.isSecret(mapped as pulumi.Output<number[]>)).toBe(true);
  });
});

describe('mapInput of a secret that is refused', () => {
  const refuse = (given: unknown) => {
    throw new GatehouseError({ code: 'unexpected', what: 'not this', given: JSON.stringify(given) });
  };
  const refusal = async (given: unknown) => {
    const mapped = mapInput(given, refuse) as any;
    // What else an output tells is rejected, too.
    const rejected = [mapped.promise(), mapped.isKnown, mapped.isSecret, mapped.allResources()];
    const [{ reason }] = (await Promise.allSettled(rejected)) as [PromiseRejectedResult];
    return [reason.message, reason.stack].join('\n');
  };

  test.each<[string, () => unknown]>([
    ['a text', () => pulumi.secret('hunter2')],
    ['a number', () => pulumi.secret(271_828)],
    ['a map', () => pulumi.secret({ a: ['hunter2'] })],
    ['a secret deep inside', () => ({ a: [pulumi.secret('hunter2'), Promise.resolve('open')] })],
    ['a secret that comes of a promise', () => Promise.resolve({ a: pulumi.secret('hunter2') })],
    ['what is made of a secret', () => ({ a: pulumi.interpolate`<${pulumi.secret('hunter2')}>` })],
  ])('does not show %s', async (_, given) => {
    const message = await refusal(given());
    expect(message).toContain('[secret]');
    expect(message).not.toMatch(/hunter2|271828/);
  });

  test('shows what is next to it', async () => {
    expect(await refusal({ a: pulumi.secret('hunter2'), b: pulumi.output('open') })).toContain(
      'given: {"a":"[secret]","b":"open"}',
    );
  });
});

describe('runError', () => {
  test('makes of an error that its user can act on one that Pulumi prints without a stack trace', () => {
    const error = runError(new GatehouseError({ code: 'inputs_invalid', what: 'no', fix: 'write yes' }));
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    expect((error as Error).message).toBe('no\n  write yes\n  (inputs_invalid)');
  });

  test('leaves any other error as it is', () => {
    const error = new TypeError('bug');
    expect(runError(error)).toBe(error);
  });
});
