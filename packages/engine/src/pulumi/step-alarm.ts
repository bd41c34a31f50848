import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentEvent, Diagnostic, Step } from '../engine.ts';
import { admissionOf, isChange } from '../planned-steps.ts';
import { isDefaultPlugin, parseUrn } from '../urn.ts';

/**
 * Compares what a CLI reports with the reviewed plan. It cannot keep a step from being made: events come while it is made.
 * An `up` also has an update plan (`binding.ts`), which can; a `destroy` has only this, and a `refresh` makes no step that
 * is compared.
 */
export class StepAlarm {
  readonly #reviewed: readonly Step[];
  readonly #begins: (step: Step) => boolean;
  readonly #ends: (step: Step) => boolean;
  readonly #foreign = new Map<string, Step>();
  readonly #applied: Step[] = [];
  readonly #seen = new Set<string>();

  constructor(reviewed: readonly Step[]) {
    this.#reviewed = reviewed;
    this.#begins = admissionOf(reviewed);
    this.#ends = admissionOf(reviewed);
  }

  /** @returns whether the event is of a step that was not reviewed */
  see(event: DeploymentEvent): boolean {
    if (event.type !== 'step-started' && event.type !== 'step-done') return false;
    const { step } = event;
    this.#seen.add(step.urn);
    if (!isMade(step)) return false;
    const isEnd = event.type === 'step-done';
    // A component may end a second time, with its outputs; it makes nothing on a service.
    if (isEnd && step.newState?.custom === false && this.#applied.includes(step)) return false;
    if (isEnd) this.#applied.push(step);
    const isReviewed = isEnd ? this.#ends : this.#begins;
    if (isReviewed(step)) return false;
    this.#foreign.set(nameOf(step), step);
    return true;
  }

  /** What is wrong with a run that ended. @param succeeded as the CLI says */
  diagnostics(succeeded: boolean): Diagnostic[] {
    if (this.#foreign.size > 0) {
      const applied = this.#applied.map(nameOf).join(', ') || 'nothing';
      const unplanned = [...this.#foreign.values()].map(describe).join(', ');
      return [
        diagnostic(new GatehouseError('step_unplanned.stopped', { given: unplanned, values: { applied } })),
      ];
    }
    const unseen = this.#reviewed.filter((step) => isMade(step) && !this.#seen.has(step.urn));
    if (!succeeded || unseen.length === 0) return [];
    return [diagnostic(new GatehouseError('steps_untold', { given: unseen.map(nameOf).join(', ') }))];
  }
}

/** Whether a step makes something: it does not only read, and is none that an engine brings along. */
function isMade(step: Step): boolean {
  return isChange(step) && step.op !== 'refresh' && !step.refreshed && !isDefaultPlugin(step.urn);
}

/** The values of properties may be secret. */
function describe(step: Step): string {
  return step.diffs?.length ? `${nameOf(step)} (${step.diffs.join(', ')})` : nameOf(step);
}

function nameOf({ op, urn }: Step): string {
  const { type, name } = parseUrn(urn);
  return `${op} ${type} "${name}"`;
}

function diagnostic({ code, message }: GatehouseError): Diagnostic {
  return { severity: 'error', code, message };
}
