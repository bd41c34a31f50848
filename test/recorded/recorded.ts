import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { DeploymentResult } from '../../engine/engine.ts';
import { EventRecord, parseEngineEvent } from '../../engine/pulumi/event-record.ts';

/**
 * Runs of this project's program (`Pulumi.dev.yaml`) by a real Pulumi engine, version 3.260, with the embedded plugin and
 * service: what `pulumi … --json` streamed, an event a line. In the order in which they were made. Between `up-update` and
 * `preview-refresh-drift`, role `web` was rewritten and role `backup` deleted by hand; the remount gives the cluster's
 * auth method another path.
 */
export const recordings = [
  ...(['preview-create', 'noop', 'preview-update', 'up-update', 'preview-refresh-drift'] as const),
  ...(['refresh-drift', 'up-after-drift', 'preview-remount', 'up-remount', 'destroy', 'up-create'] as const),
];
export type Recording = (typeof recordings)[number];

export function recordedStream(name: Recording): string {
  return gunzipSync(readFileSync(new URL(`./${name}.stream.jsonl.gz`, import.meta.url))).toString('utf8');
}

/** A recorded run, as the engine that drives the CLI reads it. */
export function recordedRun(name: Recording): DeploymentResult {
  const record = new EventRecord(() => {});
  for (const line of recordedStream(name).split('\n')) {
    const event = parseEngineEvent(line);
    if (event !== undefined) record.add(event);
  }
  return record.result(true, 0);
}
