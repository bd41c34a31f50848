import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { DeploymentResult } from '../../engine/engine.ts';
import { EventRecord, parseEngineEvent } from '../../engine/pulumi/event-record.ts';
import { exportedAfter, type Recording } from '../../scripts/recording/runs.ts';

export { type Recording, recordings } from '../../scripts/recording/runs.ts';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A gRPC call between engine, program and plugin begins; with a `response` or `errors`, it ends. */
export interface CallEvent {
  call: number;
  /** For example `ResourceProvider/Check`. */
  method: string;
  request: JsonObject;
  response?: JsonObject;
  errors?: string[];
}

/** The calls of a recorded run (`scripts/recording/grpc-log.ts`), each when it begins and when it ends. */
export function callEvents(name: Recording): CallEvent[] {
  const begun = new Map<number, CallEvent>();
  return lines(`${name}.grpc`).map((line) => {
    const event: CallEvent = JSON.parse(line);
    const whole = { ...begun.get(event.call), ...event };
    begun.set(event.call, whole);
    return whole;
  });
}

/** Runs with update plans, of a stack that was made for them. */
type PlanRecording = 'save-plan-update' | 'up-plan-create' | 'up-plan-violated';

/** What `pulumi preview --save-plan` wrote: of the stack's first `up`, and of a change of one `ttl`. */
export function recordedPlan(name: 'save-plan-create' | 'save-plan-update'): string {
  return text(`${name}.plan.json`);
}

export function recordedStream(name: Recording | PlanRecording): string {
  return lines(`${name}.stream`).join('\n');
}

/** The resources of `pulumi stack export` after `up-remount`. */
export function recordedState(): JsonObject[] {
  return JSON.parse(text(exportedAfter.file)).deployment.resources;
}

function lines(name: string): string[] {
  return text(`${name}.jsonl`).trim().split('\n');
}

function text(file: string): string {
  return gunzipSync(readFileSync(new URL(`./${file}.gz`, import.meta.url))).toString('utf8');
}

/**
 * A run of this project's program (`Pulumi.dev.yaml`) by a real Pulumi engine, version 3.260, with the embedded plugin
 * and service, as the engine that drives the CLI reads it: `scripts/recording/runs.ts`.
 */
export function recordedRun(name: Recording | PlanRecording): DeploymentResult {
  const record = new EventRecord(() => {});
  for (const line of recordedStream(name).split('\n')) {
    const event = parseEngineEvent(line);
    if (event !== undefined) record.add(event);
  }
  return record.result(true, 0);
}
