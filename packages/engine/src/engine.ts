import type { DiffKind } from './property-diff.ts';
import type { PropertyMap } from './property-value.ts';
import type { ResourceState } from './resource-state.ts';
import type { Stack } from './stack.ts';

/** Applies a stack's program. Implementations: `local/` (offline) and `pulumi/` (the user's CLI). */
export interface Engine {
  run(request: DeploymentRequest): Promise<DeploymentResult>;
  /** The state as a Pulumi deployment, version 3, for `pulumi stack import`. */
  exportState(stack: Stack): Promise<unknown>;
}

/** A policy pack, as `--policy-pack` and `--policy-pack-config` give it. */
export interface PolicyPackRequest {
  folder: string;
  /** File with its configuration. */
  config?: string;
}

/** What an engine is asked to do. */
export interface DeploymentRequest {
  verb: 'preview' | 'up' | 'refresh' | 'destroy';
  stack: Stack;
  /** Only plan. Always true for `preview`. */
  dryRun: boolean;
  /** Read all resources from the service first (`preview` and `up`). */
  refresh: boolean;
  /** URNs to restrict the deployment to; empty means all. */
  targets: string[];
  /** URNs to leave as they are. Default to none; not together with targets. */
  excludes?: string[];
  /**
   * Ids of existing resources, by URN. Those not in the state are imported instead of created. For the
   * local engine only; the Pulumi CLI has `pulumi import`.
   */
  imports?: Record<string, string>;
  /** Policy packs that judge it (`preview` and `up`), for the Pulumi CLI only. Default to none. */
  policyPacks?: PolicyPackRequest[];
  /** Concurrent plugin calls. Defaults to 16. */
  parallel?: number;
  /**
   * After a failure, go on with everything that does not depend on what failed (`up` and `destroy`). Defaults to false:
   * what is in progress is finished, and nothing else is begun.
   */
  continueOnError?: boolean;
  /**
   * The reviewed plan: `up` changes nothing on the service that is not in it. The local engine also stops a `destroy`; the
   * Pulumi CLI, which has no plans for that, is interrupted once it reports another step. Defaults to any step.
   */
  reviewed?: DeploymentResult | undefined;
  /** Called as things happen, in order. */
  onEvent?: (event: DeploymentEvent) => void;
}

export const stepOperations = [
  ...(['same', 'create', 'update', 'delete', 'replace', 'create-replacement', 'delete-replaced'] as const),
  ...(['read', 'read-replacement', 'refresh', 'discard', 'import', 'import-replacement'] as const),
] as const;
/** What a step does to a resource. */
export type StepOperation = (typeof stepOperations)[number];

/** A step of a deployment: an operation on one resource, and why (Pulumi's `PreviewStep`). */
export interface Step {
  op: StepOperation;
  urn: string;
  type: string;
  provider?: string;
  oldState?: ResourceState;
  newState?: ResourceState;
  /** Properties that differ. */
  diffs?: string[];
  /** Properties that require a replacement. */
  replaceKeys?: string[];
  detailedDiff?: Record<string, { kind: DiffKind; inputDiff: boolean }>;
  /** A refresh: the step only read the resource, and `op` is what the read found. */
  refreshed?: true;
  failed?: boolean;
}

/** A message of the program, the engine or a plugin. */
export interface Diagnostic {
  severity: 'debug' | 'info' | 'warning' | 'error';
  message: string;
  urn?: string;
  /** `GatehouseError.code`, if the error has one. */
  code?: string;
}

/** What happens in a deployment. */
export type DeploymentEvent =
  | { type: 'step-started'; step: Step }
  | { type: 'step-done'; step: Step }
  | { type: 'step-failed'; step: Step; message: string }
  /** How many steps are known of so far, the done ones included. */
  | { type: 'expected'; steps: number }
  | { type: 'diagnostic'; diagnostic: Diagnostic };

/** How a deployment ended. */
export interface DeploymentResult {
  succeeded: boolean;
  /** In order of execution; includes `same`. */
  steps: Step[];
  /** Number of steps by operation. */
  changes: Partial<Record<StepOperation, number>>;
  /** The stack's outputs; may hold `Secret` and, in previews, `Unknown`. */
  outputs: PropertyMap;
  diagnostics: Diagnostic[];
  durationMs: number;
  /** The text of the update plan that a Pulumi CLI saved with a preview, if it has update plans. Its secrets are encrypted. */
  updatePlan?: string;
  /** The official vault plugin made the steps. Defaults to false: Gatehouse's own plugin did. */
  byOfficialPlugin?: true;
  /** Stopped by Ctrl-C, or by the system. Defaults to false. */
  canceled?: true;
}
