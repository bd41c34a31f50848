import { GatehouseError, type Mask } from '@gatehouse/core/values';
import type { DeploymentEvent, DeploymentResult, Diagnostic, Step, StepOperation } from '../engine.ts';
import { type CheckFailure, type DiffResponse, messageOf } from '../plugins/plugin.ts';
import type { ResourceState } from '../resource-state.ts';
import { isDefaultPlugin } from '../urn.ts';

/**
 * Steps that are counted. A replacement is counted once, as `replace`, and its parts are not (pulumi/pulumi
 * `pkg/resource/deploy/step.go`, `Step.Logical`).
 */
const counted: StepOperation[] = [
  ...(['same', 'create', 'update', 'delete', 'replace', 'read', 'discard', 'import'] as const),
];

/** What happened in a deployment, reported as it happens and kept for the result. */
export class DeploymentReport {
  readonly steps: Step[] = [];
  readonly diagnostics: Diagnostic[] = [];
  changes: DeploymentResult['changes'] = {};
  failed = false;
  #expected = 0;
  readonly #onEvent: (event: DeploymentEvent) => void;

  readonly #mask: Mask;

  /** @param mask hides the stack's secrets in every message. Defaults to none. */
  constructor(onEvent: (event: DeploymentEvent) => void = () => {}, mask: Mask = (text) => text) {
    this.#onEvent = onEvent;
    this.#mask = mask;
  }

  /** More steps are to come, one for each of these. */
  expect(urns: readonly string[]): void {
    const count = urns.filter((urn) => !isDefaultPlugin(urn)).length;
    if (count === 0) return;
    this.#expected += count;
    this.#onEvent({ type: 'expected', steps: this.#expected });
  }

  started(step: Step): void {
    if (isDefaultPlugin(step.urn)) return;
    this.steps.push(step);
    this.#onEvent({ type: 'step-started', step });
  }

  /** `countAs` is what a refresh found: `same`, `update` or `delete`. */
  done(step: Step, countAs: StepOperation = step.op): void {
    if (isDefaultPlugin(step.urn)) return;
    if (counted.includes(countAs)) this.changes[countAs] = (this.changes[countAs] ?? 0) + 1;
    this.#onEvent({ type: 'step-done', step });
  }

  /** Counts only the steps from now on. */
  countAnew(): void {
    this.changes = {};
  }

  stepFailed(step: Step, error: unknown): void {
    step.failed = true;
    const known = stepError(step.op, error);
    this.#onEvent({ type: 'step-failed', step, message: this.#mask(known.message) });
    this.error(known, isDefaultPlugin(step.urn) ? undefined : step.urn);
  }

  error(error: unknown, urn?: string): void {
    this.failed = true;
    this.diagnose('error', messageOf(error), urn, error instanceof GatehouseError ? error.code : undefined);
  }

  diagnose(severity: Diagnostic['severity'], message: string, urn?: string, code?: string): void {
    const diagnostic: Diagnostic = { severity, message: this.#mask(message), urn: urn || undefined, code };
    this.diagnostics.push(diagnostic);
    this.#onEvent({ type: 'diagnostic', diagnostic });
  }
}

export function newStep(op: StepOperation, resource: ResourceState, shown: Partial<Step>): Step {
  const { urn, type, provider } = resource;
  return { op, urn, type, provider, ...shown };
}

/** The part of a step that shows a diff. */
export function differences(diff: DiffResponse | undefined): Partial<Step> {
  return {
    diffs: diff?.diffs.length ? diff.diffs : undefined,
    replaceKeys: diff?.replaces.length ? diff.replaces : undefined,
    detailedDiff: diff?.detailedDiff,
  };
}

/** The plugin refused the inputs. */
export function checkError(failures: CheckFailure[]): GatehouseError {
  const problems = failures
    .map(({ property, reason }) => (property === '' ? reason : `${property}: ${reason}`))
    .join('; ');
  return new GatehouseError('resource_invalid', { values: { problems } });
}

export function protectedError(urn: string, why: string): GatehouseError {
  return new GatehouseError('resource_protected', { given: urn, values: { reason: why } });
}

function stepError(op: StepOperation, error: unknown): GatehouseError {
  if (error instanceof GatehouseError) return error;
  return new GatehouseError('step_failed', { cause: error, values: { op, reason: messageOf(error) } });
}
