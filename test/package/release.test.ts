import { expect, test } from '@jest/globals';
import { changesOf, missingFor } from '../../scripts/release.ts';

const changelog = `# Changelog

## [Unreleased]

### Added

- Not released.

## [1.2.0] - 2026-12-01

### Fixed

- What was wrong.

## [1.1.0] - 2026-11-01

`;

test('a release has the changes of its version, and no others', () => {
  expect(changesOf('1.2.0', changelog, false)).toBe('### Fixed\n\n- What was wrong.\n');
});

test.each(['1.3.0', '1.1.0'])('there is no release of %s, of which the changelog says nothing', (version) => {
  expect(() => changesOf(version, changelog, false)).toThrow(`CHANGELOG.md says nothing of ${version}`);
});

test('a dry run takes what is not released yet', () => {
  expect(changesOf('1.3.0', changelog, true)).toBe('### Added\n\n- Not released.\n');
});

test('a release says all that is missing together, before it does anything', () => {
  const missing = missingFor({ version: '1.3.0', dryRun: false, changelog }, () => false);
  expect(missing).toEqual([
    'git on PATH (from git)',
    'npm on PATH (from Node.js)',
    'tar on PATH (from tar)',
    "buildah on PATH (from Debian's buildah)",
    'ldd on PATH (from libc-bin)',
    'dpkg-query on PATH (from Debian)',
    'CHANGELOG.md says nothing of 1.3.0: name its section "## [1.3.0] - YYYY-MM-DD"',
  ]);
});

test('a dry run needs neither the tools of the image, nor a commit, nor a section', () => {
  const asked = { version: '1.3.0', dryRun: true, changelog };
  expect(missingFor(asked, (program) => !['buildah', 'ldd', 'dpkg-query'].includes(program))).toEqual([]);
});
