import { isObject, objectIn } from '@gatehouse/core/values';
import {
  type DeploymentEvent,
  type DeploymentResult,
  type Diagnostic,
  type Step,
  type StepOperation,
  stepOperations,
} from '../engine.ts';
import { diffKinds } from '../property-diff.ts';
import type { PropertyMap } from '../property-value.ts';
import { type ResourceState, resourceFromJson } from '../resource-state.ts';
import { rootStackType } from '../urn.ts';

/** The CLI's operations that take a resource out of the state alone. */
const discards = ['discard-replaced', 'remove-pending-replace'];

/**
 * What the CLI and the SDK say of a run that was stopped, and of each resource that waited then (pulumi/pulumi
 * `pkg/resource/deploy/deployment_executor.go`, `source_eval.go`, `sdk/nodejs/runtime/resource.ts`).
 */
const saysCanceled =
  /^(?:update|destroy|refresh|preview) canceled$|resource monitor (?:is terminating|shut down)/i;

/** The operation of a CLI event (pulumi/pulumi `sdk/go/common/apitype/updates.go`, `OpType`). */
export function operationOf(name: string): StepOperation | undefined {
  return discards.includes(name) ? 'discard' : stepOperations.find((operation) => operation === name);
}

/** Collects the events of one run of the CLI into a `DeploymentResult`. */
export class EventRecord {
  readonly #onEvent: (event: DeploymentEvent) => void;
  readonly #reworded: (diagnostic: Diagnostic) => Diagnostic;
  readonly #steps: Step[] = [];
  /** Steps in progress, by URN; a replacement has several. */
  readonly #inProgress = new Map<string, Step[]>();
  /** Steps that ended, by operation and URN. */
  readonly #ended = new Map<string, Step>();
  readonly #diagnostics: Diagnostic[] = [];
  /** What the program wrote to its standard error. */
  readonly #complaints = new Set<Diagnostic>();
  #changes: DeploymentResult['changes'] = {};
  #outputs: PropertyMap = {};
  /** Something of the CLI's was put in other words, which say why the run ended. */
  #isExplained = false;

  /** @param reworded says in our words what the CLI says. Defaults to its own. */
  constructor(
    onEvent: (event: DeploymentEvent) => void,
    reworded: (diagnostic: Diagnostic) => Diagnostic = (diagnostic) => diagnostic,
  ) {
    this.#onEvent = onEvent;
    this.#reworded = reworded;
  }

  add(event: EngineEvent): void {
    if (event.resourcePreEvent) this.#start(event.resourcePreEvent.metadata);
    if (event.resOutputsEvent) this.#finish(event.resOutputsEvent.metadata);
    if (event.resOpFailedEvent) this.#fail(event.resOpFailedEvent.metadata);
    if (event.diagnosticEvent && !event.diagnosticEvent.ephemeral) {
      const { urn, message, severity } = event.diagnosticEvent;
      const diagnostic = { severity: severityOf(severity), message: message.trim(), urn: urn || undefined };
      if (severity === 'info#err') this.#complaints.add(diagnostic);
      this.diagnose(diagnostic);
    }
    if (event.stdoutEvent) this.diagnose({ severity: 'info', message: event.stdoutEvent.message.trim() });
    if (event.policyEvent) {
      const { resourceUrn, policyName, message, enforcementLevel } = event.policyEvent;
      this.diagnose({
        severity: enforcementLevel === 'mandatory' ? 'error' : 'warning',
        message: `policy ${policyName}: ${message.trim()}`,
        urn: resourceUrn || undefined,
      });
    }
    if (event.policyRemediationEvent) {
      const { resourceUrn, policyName } = event.policyRemediationEvent;
      const message = `policy ${policyName} corrected its inputs`;
      this.diagnose({ severity: 'info', message, urn: resourceUrn || undefined });
    }
    if (event.errorEvent) this.diagnose({ severity: 'error', message: event.errorEvent.error });
    if (event.summaryEvent) this.#changes = changesOf(event.summaryEvent.resourceChanges ?? {});
  }

  diagnose(original: Diagnostic): void {
    if (original.message === '') return;
    const diagnostic = this.#reworded(original);
    this.#isExplained ||= diagnostic !== original;
    this.#diagnostics.push(diagnostic);
    this.#onEvent({ type: 'diagnostic', diagnostic });
  }

  get hasErrors(): boolean {
    return this.#diagnostics.some(({ severity }) => severity === 'error');
  }

  /** A step failed, and none that changes anything is in progress: `same` of a component ends with the program. */
  get waitsAfterFailure(): boolean {
    const inProgress = [...this.#inProgress.values()].flat().some(({ op }) => op !== 'same');
    return !inProgress && this.#steps.some(({ failed }) => failed);
  }

  result(succeeded: boolean, durationMs: number): DeploymentResult {
    // The step has said why. The SDK repeats it for every resource that waited.
    const isReported = !succeeded && (this.#isExplained || this.#steps.some(({ failed }) => failed));
    return this.#result(
      succeeded,
      durationMs,
      (diagnostic) => isReported && this.#complaints.has(diagnostic),
    );
  }

  /** The result of a run that was stopped. Our diagnostic says it once, the SDK for every resource that was not made. */
  canceledResult(durationMs: number): DeploymentResult {
    return this.#result(
      false,
      durationMs,
      (diagnostic) => this.#complaints.has(diagnostic) || saysCanceled.test(diagnostic.message),
    );
  }

  #result(
    succeeded: boolean,
    durationMs: number,
    isRepeated: (diagnostic: Diagnostic) => boolean,
  ): DeploymentResult {
    return {
      succeeded,
      steps: this.#steps,
      changes: this.#changes,
      outputs: this.#outputs,
      diagnostics: this.#diagnostics.map((diagnostic) =>
        isRepeated(diagnostic) ? { ...diagnostic, severity: 'debug' } : diagnostic,
      ),
      durationMs,
    };
  }

  #start(metadata: StepMetadata): void {
    const step = stepOf(metadata);
    if (step === undefined) return;
    this.#steps.push(step);
    const sameUrn = this.#inProgress.get(step.urn);
    if (sameUrn) sameUrn.push(step);
    else this.#inProgress.set(step.urn, [step]);
    this.#onEvent({ type: 'step-started', step });
  }

  #finish(metadata: StepMetadata): void {
    const done = stepOf(metadata);
    if (done === undefined) return;
    if (done.type === rootStackType && done.newState) this.#outputs = done.newState.outputs;
    this.#onEvent({ type: 'step-done', step: this.#settle(done) });
  }

  #fail(metadata: StepMetadata): void {
    const failed = stepOf(metadata);
    if (failed === undefined) return;
    const step = this.#settle(failed);
    step.failed = true;
    // The CLI gives the reason in an earlier diagnostic.
    const reason = this.#diagnostics.findLast(
      ({ urn, severity }) => urn === step.urn && severity === 'error',
    );
    this.#onEvent({ type: 'step-failed', step, message: reason?.message ?? 'the CLI gave no reason' });
  }

  /** Updates the step in progress, and ends it. */
  #settle(ended: Step): Step {
    const sameUrn = this.#inProgress.get(ended.urn) ?? [];
    // The final event of a refresh has the operation that it found.
    const index = sameUrn.findIndex(({ op }) => op === ended.op || op === 'refresh');
    const key = `${ended.op} ${ended.urn}`;
    // A preview ends a component a second time, with its outputs.
    const started = sameUrn[index] ?? this.#ended.get(key);
    if (started === undefined) {
      this.#steps.push(ended);
      this.#ended.set(key, ended);
      return ended;
    }
    if (index >= 0) sameUrn.splice(index, 1);
    if (started.op === 'refresh') started.refreshed = true;
    // A resource that a refresh finds gone has no new state, though it had one at the start.
    if (ended.newState === undefined) delete started.newState;
    this.#ended.set(key, Object.assign(started, ended));
    return started;
  }
}

function stepOf(metadata: StepMetadata): Step | undefined {
  const op = operationOf(metadata.op);
  if (op === undefined) return undefined;
  const { urn, type, provider, diffs, keys, detailedDiff } = metadata;
  const oldState = stateOf(metadata.old);
  const newState = stateOf(metadata.new);
  return {
    op,
    urn,
    type,
    ...(provider && { provider }),
    ...(oldState && { oldState }),
    ...(newState && { newState }),
    ...(diffs && { diffs }),
    ...(keys && { replaceKeys: keys }),
    ...(detailedDiff && {
      detailedDiff: Object.fromEntries(
        Object.entries(detailedDiff).map(([path, { diffKind, inputDiff }]) => [
          path,
          { kind: diffKinds.find((kind) => kind === diffKind) ?? 'update', inputDiff },
        ]),
      ),
    }),
  };
}

/** The CLI's events have "[secret]" instead of ciphertexts. */
function stateOf(state: unknown): ResourceState | undefined {
  return isObject(state) ? resourceFromJson(state, () => '"[secret]"') : undefined;
}

function changesOf(counts: Record<string, number>): DeploymentResult['changes'] {
  const changes: DeploymentResult['changes'] = {};
  for (const [name, count] of Object.entries(counts)) {
    const op = operationOf(name);
    if (op !== undefined) changes[op] = (changes[op] ?? 0) + count;
  }
  return changes;
}

function severityOf(severity: string): Diagnostic['severity'] {
  // The others are "info" and "info#err" (the program's standard error).
  return severity === 'error' || severity === 'warning' || severity === 'debug' ? severity : 'info';
}

/**
 * A line of `pulumi … --json`, with the fields used here (pulumi/pulumi `sdk/go/common/apitype/events.go`,
 * `EngineEvent`). Exactly one is present.
 */
interface EngineEvent {
  diagnosticEvent?: { urn?: string; message: string; severity: string; ephemeral?: boolean };
  stdoutEvent?: { message: string };
  summaryEvent?: { resourceChanges?: Record<string, number> | null };
  resourcePreEvent?: { metadata: StepMetadata };
  resOutputsEvent?: { metadata: StepMetadata };
  resOpFailedEvent?: { metadata: StepMetadata };
  policyEvent?: { resourceUrn?: string; message: string; policyName: string; enforcementLevel: string };
  policyRemediationEvent?: { resourceUrn?: string; policyName: string };
  errorEvent?: { error: string };
}

/** `StepEventMetadata` of the same file; `old` and `new` are incomplete resources of a deployment. */
interface StepMetadata {
  op: string;
  urn: string;
  type: string;
  provider?: string;
  old?: unknown;
  new?: unknown;
  keys?: string[] | null;
  diffs?: string[] | null;
  detailedDiff?: Record<string, { diffKind: string; inputDiff: boolean }> | null;
}

/** @returns undefined if the line is not an event: some versions also print text */
export function parseEngineEvent(line: string): EngineEvent | undefined {
  if (!line.startsWith('{')) return undefined;
  const event = objectIn(line);
  // Every event of the CLI has `sequence`; its format is not checked further.
  return typeof event?.['sequence'] === 'number' ? event : undefined;
}
