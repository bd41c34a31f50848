import type { Review } from '@gatehouse/core/review';
import type { DeploymentResult } from '@gatehouse/engine';
import type { PlanCheck } from '../deployment/check-plan.ts';
import type { OpenedStack } from '../open/stack-outcomes.ts';
import type { ReviewSettings } from '../review/review-settings.ts';
import { limitsOf } from '../terminal/command.ts';
import type { ReplayRequest } from '../usage/replay-plan.ts';
import type { DeploymentOptions } from './deployment-options.ts';

/** The review of a plan, and what the service would refuse of it. */
export interface JudgedPlan extends PlanCheck {
  review: Review;
  /** Whether the review found errors. */
  hasErrors: boolean;
}

/** Judges the plan of a stack. What that needs is read while the plan is made, where `prepare` is called meanwhile. */
export class PlanJudge {
  readonly #opened: OpenedStack;
  readonly #options: DeploymentOptions;
  readonly #onRead: ((done: number, of: number) => void) | undefined;
  #settings: Promise<ReviewSettings> | undefined;
  #isPlanned = false;

  /** @param onRead called as the service is read, once the plan is made */
  constructor(opened: OpenedStack, options: DeploymentOptions, onRead?: (done: number, of: number) => void) {
    this.#opened = opened;
    this.#options = options;
    this.#onRead = onRead;
  }

  prepare(): void {
    // An error is reported when the settings are needed.
    if (this.#settings === undefined) this.#read().catch(() => {});
  }

  /**
   * @param replaying logs whose requests are sent again. Defaults to none.
   * @throws GatehouseError what `review` and `checkPlan` throw
   */
  async judge(plan: DeploymentResult, replaying?: ReplayRequest): Promise<JudgedPlan> {
    const { stack, env } = this.#opened;
    const [{ hasFindingsAt }, { checkPlan }] = await Promise.all([
      import('@gatehouse/core/review'),
      import('../deployment/check-plan.ts'),
    ]);
    const [review, checked] = await Promise.all([this.review(plan, replaying), checkPlan(stack, plan, env)]);
    return { review, ...checked, hasErrors: hasFindingsAt(review, 'error') };
  }

  /** The review alone. @throws GatehouseError what `reviewSettings` and `reviewDeployment` throw */
  async review(plan: DeploymentResult, replaying?: ReplayRequest): Promise<Review> {
    this.#isPlanned = true;
    const { stack, env } = this.#opened;
    const { reviewDeployment } = await import('../review/review-stack.ts');
    const { options } = await (this.#settings ?? this.#read());
    const allowed = { ...options, allowReplace: this.#options.allowReplace === true };
    return reviewDeployment(stack, plan, allowed, env, replaying);
  }

  #read(): Promise<ReviewSettings> {
    const { stack, env } = this.#opened;
    const onRead = (done: number, of: number) => {
      if (this.#isPlanned) this.#onRead?.(done, of);
    };
    const limits = { ...limitsOf(this.#options), onRead };
    this.#settings = import('../review/review-stack.ts').then(({ reviewSettings }) =>
      reviewSettings(stack, env, limits, this.#options.base),
    );
    return this.#settings;
  }
}
