import { type DeploymentResult, isSamePlan, plannedStep } from '@gatehouse/engine';
import type { Digest } from '../deployment/digest.ts';
import { type FileMarks, projectMarks } from '../open/file-marks.ts';

/** A plan, and the files that it was made from. */
interface PlanAtHand {
  plan: DeploymentResult;
  files: FileMarks;
}

/**
 * The last reviewed plan of each stack of a folder that is planned as it is. Its apply need not plan again while the files of the
 * folder stay as they are: the engine makes the steps of this plan and no others. The plan of another process, and of copies, is
 * made again.
 */
export class PlansAtHand {
  readonly #directory: string;
  readonly #now: () => number;
  readonly #plans = new Map<string, PlanAtHand>();

  /** @param now milliseconds since 1970. Defaults to the system's clock. */
  constructor(directory: string, now = Date.now) {
    this.#directory = directory;
    this.#now = now;
  }

  /** Call it before a stack is planned. @returns keeps the plan, once it is reviewed */
  planning(stack: string): (plan: DeploymentResult) => void {
    this.#plans.delete(stack);
    const files = projectMarks(this.#directory, this.#now());
    return (plan) => {
      if (files !== undefined && !files.isFresh) this.#plans.set(stack, { plan, files });
    };
  }

  /** Takes the plan of a stack, if it is the approved one, and was made from the files that are there now. */
  take(stack: string, approved: Pick<Digest, 'steps'>): DeploymentResult | undefined {
    const kept = this.#plans.get(stack);
    this.#plans.delete(stack);
    if (kept === undefined) return undefined;
    const steps = kept.plan.steps.map(plannedStep);
    const isApproved = isSamePlan(approved.steps, steps, { isResumed: false });
    const isCurrent = projectMarks(this.#directory, this.#now())?.digest === kept.files.digest;
    return isApproved && isCurrent ? kept.plan : undefined;
  }
}
