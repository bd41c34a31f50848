import { describe, expect, test } from '@jest/globals';
import { adoptionText } from '../../src/adopt/adopt-command.ts';
import { styleFor } from '../../src/terminal/style.ts';
import { FakeTerminal } from '../fake-terminal.ts';

describe('what adopt says of its proof', () => {
  const { stdout } = new FakeTerminal('.');
  const text = (isProven: boolean) =>
    adoptionText(
      {
        files: [],
        imported: 3,
        isProven,
        problems: [],
        left: [],
        unreadable: [],
        secrets: [],
        exceptions: [],
      },
      'prod',
      styleFor(stdout, { NO_COLOR: '1' }),
    );

  test('names the engine that it was made with, and says nothing of an import that was not tried', () => {
    const [proof = '', pulumi = ''] = text(true).split('or with Pulumi');
    expect(proof).toContain('Proven with the local engine: after its import, a preview shows no change.');
    expect(pulumi).toMatch(
      /^, whose import was not tried: its first preview shows .* as changes\.\n {2}pulumi import /,
    );
    expect(pulumi).not.toMatch(/proven/i);
  });

  test('says that it failed where it did', () => {
    expect(text(false)).toContain('Not proven: the import changes something, or could not be tried.');
    expect(text(false)).not.toContain('Proven with');
  });
});
