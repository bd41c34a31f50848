import type { DiffKind } from './property-diff.ts';
import type { PropertyMap } from './property-value.ts';
import type { ResourceState } from './resource-state.ts';
import type { Stack } from './stack.ts';

/** Applies a stack's program. Two implementations: `local/` (offline) and `pulumi/` (the user's own CLI). */
export interface Engine {
  run(request: DeploymentRequest): Promise<DeploymentResult>;
  /** The state as a Pulumi deployment, version 3: what `pulumi stack import` takes. */
  exportState(stack: Stack): Promise<unknown>;
}

export interface DeploymentRequest {
  verb: 'preview' | 'up' | 'refresh' | 'destroy';
  stack: Stack;
  /** Work out what would happen and change nothing. Always true for `preview`. */
  dryRun: boolean;
  /** Read every resource from the service before comparing (`preview` and `up`). */
  refresh: boolean;
  /** URNs to restrict the work to; empty means all. */
  targets: string[];
  /**
   * Ids of what is there already, by `<type>::<name>`: what is not in the state yet is taken over instead of created.
   * Local engine only; the Pulumi CLI has `pulumi import`.
   */
  imports?: Record<string, string>;
  /** Plugin calls under way at once. Defaults to 16. */
  parallel?: number;
  /** Called as things happen, in order. */
  onEvent?: (event: DeploymentEvent) => void;
}

export const stepOperations = [
  ...(['same', 'create', 'update', 'delete', 'replace', 'create-replacement', 'delete-replaced'] as const),
  ...(['read', 'read-replacement', 'refresh', 'discard', 'import', 'import-replacement'] as const),
] as const;
export type StepOperation = (typeof stepOperations)[number];

/** One step of a deployment: what is done to one resource, and why (Pulumi's `PreviewStep`). */
export interface Step {
  op: StepOperation;
  urn: string;
  type: string;
  provider?: string;
  oldState?: ResourceState;
  newState?: ResourceState;
  /** Properties that differ. */
  diffs?: string[];
  /** Properties that ask for a replacement. */
  replaceKeys?: string[];
  detailedDiff?: Record<string, { kind: DiffKind; inputDiff: boolean }>;
  /** True when it was tried and failed. */
  failed?: boolean;
}

export interface Diagnostic {
  severity: 'debug' | 'info' | 'warning' | 'error';
  message: string;
  urn?: string;
  /** Stable identifier of the error, where it has one (`GatehouseError.code`). */
  code?: string;
}

export type DeploymentEvent =
  | { type: 'step-started'; step: Step }
  | { type: 'step-done'; step: Step }
  | { type: 'step-failed'; step: Step; message: string }
  | { type: 'diagnostic'; diagnostic: Diagnostic };

export interface DeploymentResult {
  succeeded: boolean;
  /** In the order in which they were taken or planned; `same` included. */
  steps: Step[];
  /** How many steps of each operation. */
  changes: Partial<Record<StepOperation, number>>;
  /** The stack's outputs; may hold `Secret` and, in previews, `Unknown`. */
  outputs: PropertyMap;
  diagnostics: Diagnostic[];
  durationMs: number;
}
