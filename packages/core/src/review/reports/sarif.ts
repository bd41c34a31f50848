import type { Position } from '../../environment/stack-positions.ts';
import { visible } from '../../graph/values/visible.ts';
import type { ReplaySummary } from '../replay-summary.ts';
import type { Review, ReviewFinding } from '../review.ts';
import type { Subject } from '../rules/finding.ts';
import { replayDetails, replayLine } from './replay.ts';
import { subjectWords } from './words.ts';

/** What a SARIF report needs in addition to the review. */
export interface SarifOptions {
  version: string;
  /** Where a subject is declared; undefined where that is not known. */
  positionOf: (subject: Subject, namespace?: string) => Position | undefined;
  /** What a finding without a position of its own is shown at: the plan's file. */
  planFile?: string;
}

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** A review as SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0), as code hosts show it next to the lines. */
export function sarifReport(
  { findings, replay, tool }: Review,
  { version, positionOf, planFile }: SarifOptions,
): object {
  const rules = [...new Map(findings.map((finding) => [finding.rule, finding])).values()];
  const locationIn = (finding: PlacedSubject) =>
    locationOf(
      finding,
      subjectWords(finding.subject, tool),
      positionOf(finding.subject, finding.namespace),
      planFile,
    );
  const replayed = replay && replayResult(replay, rules.length, locationIn(ofPlan));
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'gatehouse',
            version,
            rules: [
              ...rules,
              ...(replayed
                ? [{ rule: replayed.ruleId, docs: 'docs/usage.md#what-a-change-would-break' }]
                : []),
            ].map(({ rule, docs }) => ({ id: rule, shortDescription: { text: rule }, help: { text: docs } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        ...(replay && { properties: { replay: replayLine(replay) } }),
        results: [
          ...findings.map((finding) => ({
            ruleId: finding.rule,
            ruleIndex: rules.findIndex(({ rule }) => rule === finding.rule),
            level: levels[finding.severity],
            message: { text: `${finding.message} ${finding.fix}` },
            locations: [locationIn(finding)],
            ...usesOf(positionOf(finding.subject, finding.namespace)),
            // The same finding keeps its fingerprint when lines move.
            partialFingerprints: { 'gatehouse/v1': `${finding.rule}:${qualifiedName(finding)}` },
          })),
          ...(replayed ? [replayed] : []),
        ],
      },
    ],
  };
}

type PlacedSubject = Pick<ReviewFinding, 'subject' | 'namespace'>;
const ofPlan: PlacedSubject = { subject: { type: 'service', name: 'the plan' } };

/** Undefined where no request is refused, and all is known: that is nothing to show next to lines. */
function replayResult(replay: ReplaySummary, ruleIndex: number, location: object) {
  const { refused, unknown, missing } = replay;
  if (refused.requests + unknown.requests + missing.length === 0) return undefined;
  return {
    ruleId: 'replay',
    ruleIndex,
    level: refused.requests > 0 ? 'warning' : 'note',
    message: { text: visible([replayLine(replay), ...replayDetails(replay)].join('\n')) },
    locations: [location],
    partialFingerprints: { 'gatehouse/v1': 'replay' },
  };
}

function locationOf(
  finding: PlacedSubject,
  name: string,
  position: Position | undefined,
  planFile?: string,
): object {
  const uri = position?.file ?? planFile;
  return {
    ...(uri !== undefined && physical({ line: 1, column: 1, ...position, file: uri })),
    logicalLocations: [{ fullyQualifiedName: qualifiedName(finding), name, kind: 'resource' }],
  };
}

function physical({ file, line, column }: Position): object {
  const region = { startLine: line, startColumn: column };
  return { physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region } };
}

/** The use of the template that made the subject of a finding. */
function usesOf({ use }: Partial<Position> = {}): object {
  return use === undefined
    ? {}
    : { relatedLocations: [{ ...physical(use), message: { text: 'The template is used here.' } }] };
}

/** `platform/auth/staff/role/reader#policies` */
function qualifiedName({ subject: { type, name, method, field }, namespace }: PlacedSubject): string {
  const within = type === 'method' ? ['auth'] : [...(method === undefined ? [] : ['auth', method]), type];
  const path = [...(namespace === undefined ? [] : [namespace]), ...within, name].join('/');
  return field === undefined ? path : `${path}#${field}`;
}
