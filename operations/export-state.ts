import type { Engine } from '../engine/engine.ts';
import type { Stack } from '../engine/stack.ts';

/** The stack's state as a Pulumi deployment, version 3, secrets encrypted: what `pulumi stack import` takes. */
export function exportState(stack: Stack, engine: Engine): Promise<unknown> {
  return engine.exportState(stack);
}
