import type { Review } from '@gatehouse/core/review';
import type { DeploymentEvent, DeploymentResult } from '@gatehouse/engine';
import type { OperationResult } from '../deployment/deployment.ts';
import type { OfStack, OpenedStack } from '../open/stack-outcomes.ts';

/** What became of one of the stacks of a command, or would. */
export interface StackDeployment {
  opened: OpenedStack;
  result: OperationResult;
  review: Review | undefined;
  /** The command that follows a preview. */
  next?: string;
  /** Its plan waits for an answer, or was left waiting. */
  isWaiting: boolean;
}

export type DeploymentOutcomes = readonly OfStack<StackDeployment>[];

/** What a command says of its deployments: as they go on for one stack, and together for several. */
export interface DeploymentOutput {
  engineWarning(text: string): void;
  /** What `up` would refuse in the plan of a stack, and what else a person should know of it. */
  warn(stack: string, texts: readonly string[]): void;
  /** A part of the plan that is made. */
  step(event: DeploymentEvent): void;
  /** A stack's plan that is judged. */
  planned(plan: DeploymentResult, review: Review): Promise<void>;
  /** All stacks have a plan, or none. @returns false where no plan may be applied, and people know why */
  allPlanned(outcomes: DeploymentOutcomes): Promise<boolean>;
  /** @param waiting the stacks whose plans wait for the answer */
  question(waiting: readonly string[]): string;
  details(outcomes: DeploymentOutcomes): Promise<void>;
  applying(stack: string): void;
  applied(stack: string, result: OperationResult): void;
  /** @param isApplied whether the application of a plan was tried */
  ended(outcomes: DeploymentOutcomes, isApplied: boolean): Promise<void>;
}
