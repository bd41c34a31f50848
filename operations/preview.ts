import type { Engine } from '../engine/engine.ts';
import { type OperationRequest, type OperationResult, run, type Sink } from './deployment.ts';

/** Works out what `up` would do and changes nothing. */
export async function preview(
  request: OperationRequest,
  engine: Engine,
  sink: Pick<Sink, 'onEvent'>,
): Promise<OperationResult> {
  const deployment = await run('preview', true, request, engine, sink);
  return {
    verb: 'preview',
    outcome: deployment.succeeded ? 'succeeded' : 'failed',
    applied: false,
    deployment,
  };
}
