import type { Outcome } from '../../core/run-task/outcome.ts';
import type { Stage } from '../../core/run-task/stage.ts';
import type { DeliveryStatus } from '../integrator/delivery.ts';
import type { RunView as PlatformRunView, RunTaskView } from '../platform/run-view.ts';

// What pages show. Times are ISO 8601 in UTC, null where they have not come. There is no secret in any of it.

/** A run, as lists have it. */
export type RunView = Omit<PlatformRunView, 'version'>;

/** One run task at one stage of a run. */
export type TaskView = RunTaskView;

export interface RunWithTasksView extends RunView {
  tasks: TaskView[];
}

/** Where the pages have runs from, and what one may do with them. */
export interface RunsSource {
  /** The newest first. */
  list(filter: { stack?: string; limit: number }): Promise<RunView[]>;
  /** Undefined where there is no such run. */
  read(id: string): Promise<RunWithTasksView | undefined>;
  /** Whether the run may still be canceled. */
  isCancelable(run: RunView): boolean;
  /** As text of server-sent events: one named `run` at each change, until it has ended. */
  events(id: string): AsyncIterable<string>;
  /** @throws GatehouseError where it is too late for that */
  cancel(id: string, by: string): Promise<unknown>;
  /** @throws GatehouseError where the stack cannot be read */
  rerun(id: string, by: string): Promise<{ id: string }>;
}

/** A run task request that the integrator took, as lists have it. */
export interface DeliveryView {
  id: string;
  endpoint: string;
  stage: Stage;
  status: DeliveryStatus;
  taskResultId: string;
  /** From outside, as the three after it. */
  runId: string | null;
  workspaceName: string | null;
  organizationName: string | null;
  runAppUrl: string | null;
  receivedAt: string;
  /** When a final status must be with the platform. */
  deadline: string;
  endedAt: string | null;
  /** Why it was given up, or what went wrong last. */
  error: string | null;
}

export interface DeliveryWithCallbacksView extends DeliveryView {
  /** What the platform sent, without its token. */
  request: unknown;
  /** What the review came to; null before its end. */
  result: { status: string; message: string; url?: string; outcomes: Outcome[] } | null;
  /** Every callback, the oldest first. */
  callbacks: CallbackView[];
}

export interface CallbackView {
  at: string;
  /** What it said: `running`, `passed` or `failed`. */
  status: string;
  /** What the platform answered; null where no answer came. */
  httpStatus: number | null;
  error: string | null;
}

export interface DeliveriesSource {
  /** The newest first. */
  list(filter: { status?: DeliveryView['status']; limit: number }): Promise<DeliveryView[]>;
  /** Undefined where there is no such delivery. */
  read(id: string): Promise<DeliveryWithCallbacksView | undefined>;
  /** @throws GatehouseError where there is nothing to send again */
  redeliver(id: string): Promise<void>;
}

/** Whoever is signed in, by the word of the secrets service. */
export interface Person {
  name: string;
  /** Cancel, run again, redeliver. */
  mayAct: boolean;
}
