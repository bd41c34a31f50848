import { expect, test } from '@jest/globals';
import { changesOf } from '../../scripts/release.ts';

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
