import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { leanSdk } from '../../stacks/lean-sdk.ts';

describe('leanSdk', () => {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const callsites = Reflect.get(pulumi.Resource, 'callsites');
  let messages: string[];

  beforeEach(() => {
    Error.stackTraceLimit = 10;
    Error.prepareStackTrace = (error) => String(error);
    // Nobody listens there: the client does not connect before it is used, and its use is recorded instead.
    pulumi.runtime.resetOptions('gatehouse', 'test', -1, '127.0.0.1:1', '', false, '');
    messages = [];
    const engine = pulumi.runtime.getEngine() as any;
    engine.log = (request: any, answered: (error: unknown) => void) => {
      messages.push(request.getMessage());
      answered(null);
    };
  });
  afterEach(() => {
    delete process.env['GATEHOUSE_TRACES'];
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
    Reflect.set(pulumi.Resource, 'callsites', callsites);
    pulumi.runtime.disconnectSync();
  });

  async function logBoth(): Promise<void> {
    await pulumi.log.debug('registering');
    await pulumi.log.info('left out');
  }

  test('cuts stack traces to the line that threw, without mapping it', () => {
    leanSdk();
    expect(Error.stackTraceLimit).toBe(1);
    expect(Error.prepareStackTrace).toBeUndefined();
  });

  test('takes no stack trace of a resource', () => {
    expect(typeof callsites).toBe('function');
    leanSdk();
    expect(Reflect.get(pulumi.Resource, 'callsites')()).toEqual([]);
  });

  test('keeps debug messages from the engine, and no others', async () => {
    leanSdk();
    await logBoth();
    expect(messages).toEqual(['left out']);
  });

  test('leaves both on where GATEHOUSE_TRACES says so', async () => {
    process.env['GATEHOUSE_TRACES'] = '1';
    leanSdk();
    await logBoth();
    expect(messages).toEqual(['registering', 'left out']);
    expect(Error.stackTraceLimit).toBe(10);
    expect(Error.prepareStackTrace).toBeDefined();
  });

  test('leaves a message alone that is not sent as it knows', async () => {
    const sent: unknown[][] = [];
    const engine = pulumi.runtime.getEngine() as any;
    engine.log = (...given: unknown[]) => sent.push(given);
    leanSdk();
    const debug = { getSeverity: () => 0 };
    const other = [[debug], [debug, {}], [debug, () => {}, () => {}], [{}, () => {}]];
    for (const given of other) engine.log(...given);
    expect(sent).toEqual(other);
  });

  test.each<[string, (engine: any) => void]>([
    ['has no log', (engine) => Object.assign(engine, { log: undefined })],
    ['is frozen', (engine) => Object.freeze(engine)],
  ])('throws nothing where the engine’s client %s', (_, change) => {
    change(pulumi.runtime.getEngine());
    expect(() => leanSdk()).not.toThrow();
  });
});
