import { isObject } from '../property-json.ts';

/**
 * One line of what `pulumi … --json` streams, as far as it is used here (pulumi/pulumi
 * `sdk/go/common/apitype/events.go`, `EngineEvent`). Exactly one field is present.
 */
export interface EngineEvent {
  diagnosticEvent?: { urn?: string; message: string; severity: string; ephemeral?: boolean };
  stdoutEvent?: { message: string };
  summaryEvent?: { resourceChanges?: Record<string, number> | null };
  resourcePreEvent?: { metadata: StepMetadata };
  resOutputsEvent?: { metadata: StepMetadata };
  resOpFailedEvent?: { metadata: StepMetadata };
  policyEvent?: { resourceUrn?: string; message: string; policyName: string; enforcementLevel: string };
  errorEvent?: { error: string };
}

/** `StepEventMetadata` of the same file; `old` and `new` hold a part of what a deployment says of a resource. */
export interface StepMetadata {
  op: string;
  urn: string;
  type: string;
  provider?: string;
  old?: unknown;
  new?: unknown;
  keys?: string[] | null;
  diffs?: string[] | null;
  detailedDiff?: Record<string, { diffKind: string; inputDiff: boolean }> | null;
}

/** @returns undefined when the line is no event: some versions print other words among them. */
export function parseEngineEvent(line: string): EngineEvent | undefined {
  if (!line.startsWith('{')) return undefined;
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return undefined;
  }
  // The CLI is trusted to keep to its own format; `sequence` is in each of its events.
  return isObject(event) && typeof event['sequence'] === 'number' ? event : undefined;
}
