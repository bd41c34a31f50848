import { visible } from '../../model/values/visible.ts';
import type { Severity } from '../../rules/finding.ts';
import { hasFindingsAt, type Review } from '../review.ts';
import { replayDetails, replayLine } from './replay.ts';
import { findingTitle, headline } from './words.ts';

/**
 * A review as JUnit's XML: a test case a finding; those at least as severe as `failOn` fail, the others are shown. A replay is
 * a test case that passes.
 */
export function junitReport(review: Review, failOn: Severity): string {
  const { findings, replay } = review;
  const failures = findings.filter((finding) => hasFindingsAt({ findings: [finding] }, failOn));
  const cases = findings.map((finding) => {
    const { rule, severity, message, fix } = finding;
    const body = escaped(`${message}\n${fix}`);
    const shown = failures.includes(finding)
      ? `<failure type="${severity}" message="${escaped(message)}">${body}</failure>`
      : `<system-out>${severity}: ${body}</system-out>`;
    return `    <testcase classname="${escaped(rule)}" name="${escaped(findingTitle(finding))}">${shown}</testcase>`;
  });
  if (cases.length === 0) cases.push('    <testcase classname="gatehouse.review" name="no findings"/>');
  if (replay !== undefined) {
    const said = escaped(visible([replayLine(replay), ...replayDetails(replay)].join('\n')));
    cases.push(
      `    <testcase classname="gatehouse.replay" name="replay"><system-out>${said}</system-out></testcase>`,
    );
  }
  const counts = `tests="${cases.length}" failures="${failures.length}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="gatehouse review" ${counts} skipped="0">`,
    ...cases,
    `    <system-out>${escaped(headline(review))}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** For text and for attributes; what XML 1.0 cannot hold at all is left out. */
function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/[&<>"'\n\t\r]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  );
}
