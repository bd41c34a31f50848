import { describe, expect, test } from '@jest/globals';
import { GatehouseError } from '../../../src/graph/values/errors.ts';

describe('GatehouseError', () => {
  test('says where, what, what was given, what is allowed and the fix, in that order', () => {
    const error = new GatehouseError('snapshot_key_short', {
      where: '--key-file',
      given: '"soon"',
      allowed: 'at least 16 characters',
    });
    expect(error.message).toBe(
      '--key-file: The key is too short.\n  given: "soon"\n  allowed: at least 16 characters\n  Make one with: openssl rand -hex 32',
    );
  });

  test('has the code before the dot', () => {
    expect(new GatehouseError('stack_not_chosen.none').code).toBe('stack_not_chosen');
  });

  test('puts values into what went wrong and into the fix', () => {
    const error = new GatehouseError('config_missing', { values: { stack: 'dev' } });
    expect(error.message).toBe(
      'The stack dev lacks configuration that the project requires.\n  Add it to Pulumi.dev.yaml.',
    );
  });

  test('does not look for values in a value', () => {
    const error = new GatehouseError('config_missing', { values: { stack: '{stack}$&' } });
    expect(error.parts.fix).toBe('Add it to Pulumi.{stack}$&.yaml.');
  });

  test('leaves a fix out whose value is not known', () => {
    const error = new GatehouseError('target_unknown', { values: { option: '--target', likely: undefined } });
    expect(error.message).toBe('--target names nothing in the stack');
  });

  test('keeps braces that hold no value', () => {
    expect(new GatehouseError('token_missing.sign_in').parts.fix).toBe(
      'Add under gatehouse:service, for example: signIn: { path: ci, role: watcher }',
    );
  });

  test('takes the texts of an error from elsewhere as they are', () => {
    const parts = { code: 'plan_failed', what: '{stack} failed', where: 'dev' } as const;
    expect(new GatehouseError(parts)).toMatchObject({ code: 'plan_failed', message: 'dev: {stack} failed' });
  });

  test('needs each value of its text, and no other', () => {
    // Read by the compiler alone.
    const typed = () => [
      // @ts-expect-error the text has a value
      new GatehouseError('config_missing'),
      // @ts-expect-error a value is missing
      new GatehouseError('config_missing', { values: {} }),
      // @ts-expect-error the text has no such value
      new GatehouseError('config_missing', { values: { stack: 'dev', project: 'shop' } }),
      // @ts-expect-error the text has no value
      new GatehouseError('canceled', { values: { stack: 'dev' } }),
      // @ts-expect-error only a fix may lack a value
      new GatehouseError('config_missing', { values: { stack: undefined } }),
      // @ts-expect-error there is no such text
      new GatehouseError('config_gone'),
    ];
    expect(typed).toBeDefined();
  });
});
