import { describe, expect, test } from '@jest/globals';
import { nextCommand } from '../../src/up/next-command.ts';

const plain = { cwd: '.' } as Parameters<typeof nextCommand>[1];

describe('the command after a preview', () => {
  test.each([
    [{ hasChanges: true, isRefused: false }, 'Next: gatehouse up -s prod'],
    [{ hasChanges: false, isRefused: false }, 'Next: gatehouse drift -s prod'],
    [{ hasChanges: true, isRefused: true }, 'Next, once the errors are fixed: gatehouse preview -s prod'],
  ])('where %j: %s', (found, text) => {
    expect(nextCommand({ stack: 'prod', ...found }, plain)).toBe(text);
  });

  test('has what the plan was made with, as a shell takes it', () => {
    const options = { ...plain, engine: 'local' as const, refresh: true, target: ['role web'] };
    expect(nextCommand({ stack: 'prod', hasChanges: true, isRefused: false }, options)).toBe(
      "Next: gatehouse up -s prod --engine local --refresh --target 'role web'",
    );
  });

  test('of a stack without a change is asked with the same engine alone', () => {
    const options = { ...plain, engine: 'pulumi' as const, import: 'import.prod.json' };
    expect(nextCommand({ stack: 'prod', hasChanges: false, isRefused: false }, options)).toBe(
      'Next: gatehouse drift -s prod --engine pulumi',
    );
  });
});
