import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { reportError } from '../../src/terminal/report-error.ts';
import { FakeTerminal } from '../fake-terminal.ts';

function reported(attempt: () => void): string {
  const terminal = new FakeTerminal('/');
  try {
    attempt();
  } catch (error) {
    reportError(error, terminal, { json: false, verbose: false });
  }
  return terminal.stderr.text;
}

test('what the system says of a file is no mistake of the program', () => {
  expect(reported(() => writeFileSync('/dev/null/report', ''))).toBe(
    'error: /dev/null/report: open failed: ENOTDIR: not a directory\n' +
      '  Check that its folder is there and yours to write to, and that the disk is not full.\n  (file_failed)\n',
  );
  expect(reported(() => writeFileSync('/dev/full', 'x'))).toMatch(
    /^error: write failed: ENOSPC: no space left on device\n[\s\S]*\(file_failed\)\n$/,
  );
});
