import type { Subject } from '../../rules/finding.ts';
import type { Review, ReviewFinding } from '../review.ts';
import { subjectWords } from './words.ts';

/** Where in a file something is declared. */
export interface Position {
  /** Relative to the folder of the project, with `/`. */
  file: string;
  /** From 1. */
  line: number;
  column: number;
}

export interface SarifOptions {
  version: string;
  /** Where a subject is declared; undefined where that is not known. */
  positionOf: (subject: Subject, namespace?: string) => Position | undefined;
  /** What a finding without a position of its own is shown at: the plan's file. */
  planFile?: string;
}

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** A review as SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0), as code hosts show it next to the lines. */
export function sarifReport({ findings }: Review, { version, positionOf, planFile }: SarifOptions): object {
  const rules = [...new Map(findings.map((finding) => [finding.rule, finding])).values()];
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'gatehouse',
            version,
            rules: rules.map(({ rule, docs }) => ({
              id: rule,
              shortDescription: { text: rule },
              help: { text: docs },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: rules.findIndex(({ rule }) => rule === finding.rule),
          level: levels[finding.severity],
          message: { text: `${finding.message} ${finding.fix}` },
          locations: [locationOf(finding, positionOf(finding.subject, finding.namespace), planFile)],
          // The same finding keeps its fingerprint when lines move.
          partialFingerprints: { 'gatehouse/v1': `${finding.rule}:${qualifiedName(finding)}` },
        })),
      },
    ],
  };
}

function locationOf(finding: ReviewFinding, position: Position | undefined, planFile?: string): object {
  const uri = position?.file ?? planFile;
  const region = { startLine: position?.line ?? 1, startColumn: position?.column ?? 1 };
  return {
    ...(uri !== undefined && {
      physicalLocation: { artifactLocation: { uri: encodeURI(uri) }, region },
    }),
    logicalLocations: [
      { fullyQualifiedName: qualifiedName(finding), name: subjectWords(finding.subject), kind: 'resource' },
    ],
  };
}

/** `platform/auth/staff/role/reader#policies` */
function qualifiedName({ subject: { type, name, method, field }, namespace }: ReviewFinding): string {
  const within = type === 'method' ? ['auth'] : [...(method === undefined ? [] : ['auth', method]), type];
  const path = [...(namespace === undefined ? [] : [namespace]), ...within, name].join('/');
  return field === undefined ? path : `${path}#${field}`;
}
