import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import { runError } from '../../components/run-error.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';

describe('runError', () => {
  test('makes of an error that its user can act on one that Pulumi prints without a stack trace', () => {
    const error = runError(new GatehouseError({ code: 'x', what: 'no', fix: 'write yes' }));
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    expect((error as Error).message).toBe('no\n  write yes\n  (x)');
  });

  test('leaves any other error as it is', () => {
    const error = new TypeError('bug');
    expect(runError(error)).toBe(error);
  });
});
