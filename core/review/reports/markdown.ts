import type { Review, ReviewFinding } from '../review.ts';
import { folded, inertCode, inertText } from './inert-text.ts';
import {
  type AccessBundle,
  type AccessLine,
  accessBundles,
  boundsLines,
  findingTitle,
  kindWords,
  principalWords,
  remarks,
  summaryWords,
} from './words.ts';

/** Characters; a comment on a pull request holds 65,536 on the widest-used host. */
const longest = 60_000;

/** Principals that are named one by one; more are counted. */
const mostWays = 20;

const signs = { error: '⛔', warning: '⚠️', info: 'ℹ️' } as const;

/** A review for a pull request: what matters in sight, what explains it folded. */
export function markdownReport(review: Review): string {
  const findings = (isError: boolean) =>
    review.findings.filter(({ severity }) => (severity === 'error') === isError).map(findingText);
  const items = [
    ...findings(true).map((text) => ({ section: 'Errors', text })),
    ...accessBundles(review.access).map((bundle) => ({
      section: 'Who gains and who loses',
      text: bundleText(bundle),
    })),
    ...findings(false).map((text) => ({ section: 'Other findings', text })),
  ];
  const parts = [`## Sign-in review: ${inertText(summaryWords(review))}`];
  let section = '';
  let length = parts[0]?.length ?? 0;
  for (const [at, item] of items.entries()) {
    if (length + item.text.length > longest) {
      parts.push(`… and ${items.length - at} more, which do not fit here. \`--format json\` has them all.`);
      break;
    }
    if (item.section !== section) parts.push(`### ${item.section}`);
    section = item.section;
    length += item.text.length;
    parts.push(item.text);
  }
  const rest = remarks(review);
  if (rest.length > 0)
    parts.push(folded('What was not looked at', rest.map((text) => `- ${inertText(text)}`).join('\n')));
  return `${parts.join('\n\n')}\n`;
}

function bundleText({ kind, changes, effect }: AccessBundle): string {
  const isSingle = changes.length === 1;
  const named = changes.map((change) => inertText(principalWords(change)));
  const isBrief = ({ about }: AccessLine) => about === 'gains' || about === 'loses';
  const detailed = ({ about, text }: AccessLine) => `- ${about}: ${inertCode(text)}`;
  const detail = [
    ...changes
      .slice(0, mostWays)
      .flatMap((change, at) => [
        ...(isSingle ? [] : [`- ${named[at]}`]),
        ...boundsLines(change).map((line) => `${isSingle ? '' : '  '}${detailed(line)}`),
      ]),
    ...(changes.length > mostWays ? [`- … and ${changes.length - mostWays} more`] : []),
    ...effect.filter((line) => !isBrief(line)).map(detailed),
  ];
  return [
    `**${kindWords[kind]}:** ${isSingle ? named[0] : `${changes.length} ways in, listed below`}`,
    ...effect.filter(isBrief).map(({ about, text }) => `- ${about} ${inertCode(text)}`),
    ...(detail.length === 0 ? [] : [folded('Detail', detail.join('\n'))]),
  ].join('\n');
}

function findingText(finding: ReviewFinding): string {
  const { severity, rule, message, fix } = finding;
  return [
    `${signs[severity]} **${severity}** ${inertText(findingTitle(finding))} (${inertCode(rule)})`,
    folded(inertText(message), inertText(fix)),
  ].join('\n');
}
