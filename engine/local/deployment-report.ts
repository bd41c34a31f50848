import { GatehouseError } from '../../core/model/values/errors.ts';
import type { DeploymentEvent, DeploymentResult, Diagnostic, Step, StepOperation } from '../engine.ts';
import { isDefaultPlugin } from '../urn.ts';
import { stepError } from './resource-errors.ts';

/**
 * Steps that count as a change to one resource. The others are parts of a replacement, which is counted
 * once, as `replace` (pulumi/pulumi `pkg/resource/deploy/step.go`, `Step.Logical`).
 */
const logical = new Set<StepOperation>([
  'same',
  'create',
  'update',
  'delete',
  'replace',
  'read',
  'discard',
  'import',
]);

/** What happened in a deployment, told as it happens and kept for the result. */
export class DeploymentReport {
  readonly steps: Step[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly changes: DeploymentResult['changes'] = {};
  /** True once anything has gone wrong. */
  failed = false;
  readonly #onEvent: (event: DeploymentEvent) => void;

  constructor(onEvent: (event: DeploymentEvent) => void = () => {}) {
    this.#onEvent = onEvent;
  }

  started(step: Step): void {
    if (isDefaultPlugin(step.urn)) return;
    this.steps.push(step);
    this.#onEvent({ type: 'step-started', step });
  }

  /** `countAs` is what a refresh amounts to: `same`, `update` or `delete`. */
  done(step: Step, countAs: StepOperation = step.op): void {
    if (isDefaultPlugin(step.urn)) return;
    if (logical.has(countAs)) this.changes[countAs] = (this.changes[countAs] ?? 0) + 1;
    this.#onEvent({ type: 'step-done', step });
  }

  stepFailed(step: Step, error: unknown): void {
    step.failed = true;
    const told = stepError(step.op, error);
    this.#onEvent({ type: 'step-failed', step, message: told.message });
    this.error(told, isDefaultPlugin(step.urn) ? undefined : step.urn);
  }

  error(error: unknown, urn?: string): void {
    this.failed = true;
    this.diagnose('error', messageOf(error), urn, error instanceof GatehouseError ? error.code : undefined);
  }

  diagnose(severity: Diagnostic['severity'], message: string, urn?: string, code?: string): void {
    const diagnostic: Diagnostic = {
      severity,
      message,
      ...(urn === undefined || urn === '' ? {} : { urn }),
      ...(code === undefined ? {} : { code }),
    };
    this.diagnostics.push(diagnostic);
    this.#onEvent({ type: 'diagnostic', diagnostic });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
