import type { Engine } from '../engine/engine.ts';
import { type ApprovedRequest, deploy, type OperationResult, type Sink } from './deployment.ts';

/**
 * Deletes everything that the stack made.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export function destroy(request: ApprovedRequest, engine: Engine, sink: Sink): Promise<OperationResult> {
  return deploy('destroy', request, engine, sink);
}
