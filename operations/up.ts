import type { Engine } from '../engine/engine.ts';
import { type ApprovedRequest, deploy, type OperationResult, type Sink } from './deployment.ts';

/**
 * Makes the service what the stack declares.
 *
 * @throws GatehouseError `confirmation_needed`, and what the engine refuses
 */
export function up(request: ApprovedRequest, engine: Engine, sink: Sink): Promise<OperationResult> {
  return deploy('up', request, engine, sink);
}
