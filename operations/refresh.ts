import type { Engine } from '../engine/engine.ts';
import { type ApprovedRequest, deploy, type OperationResult, type Sink } from './deployment.ts';

/**
 * Reads every resource from the service and takes what it finds into the stack's state; the service is not changed.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export function refresh(request: ApprovedRequest, engine: Engine, sink: Sink): Promise<OperationResult> {
  return deploy('refresh', request, engine, sink);
}
