import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { DeploymentResult } from '../../engine/engine.ts';
import { EventRecord, parseEngineEvent } from '../../engine/pulumi/event-record.ts';

/** In the order in which they were made. */
export const recordings = [
  ...(['preview-create', 'noop', 'preview-update', 'up-update', 'preview-refresh-drift'] as const),
  ...(['refresh-drift', 'up-after-drift', 'preview-remount', 'up-remount', 'destroy', 'up-create'] as const),
];
export type Recording = (typeof recordings)[number];

/** Runs with update plans, of a stack that was made for them. */
type PlanRecording = 'save-plan-update' | 'up-plan-create' | 'up-plan-violated';

/** What `pulumi preview --save-plan` wrote: of the stack's first `up`, and of a change of one `ttl`. */
export function recordedPlan(name: 'save-plan-create' | 'save-plan-update'): string {
  return text(`${name}.plan.json`);
}

export function recordedStream(name: Recording | PlanRecording): string {
  return lines(`${name}.stream`).join('\n');
}

function lines(name: string): string[] {
  return text(`${name}.jsonl`).trim().split('\n');
}

function text(file: string): string {
  return gunzipSync(readFileSync(new URL(`./${file}.gz`, import.meta.url))).toString('utf8');
}

/**
 * A run of this project's program (`Pulumi.dev.yaml`) by a real Pulumi engine, version 3.260, with the embedded plugin
 * and service as the engine that drives the CLI reads it.
 */
export function recordedRun(name: Recording | PlanRecording): DeploymentResult {
  const record = new EventRecord(() => {});
  for (const line of recordedStream(name).split('\n')) {
    const event = parseEngineEvent(line);
    if (event !== undefined) record.add(event);
  }
  return record.result(true, 0);
}
