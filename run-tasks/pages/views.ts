import type { Outcome } from '../../core/run-task/outcome.ts';
import type { Stage } from '../../core/run-task/stage.ts';
import type { DeliveryStatus } from '../integrator/delivery.ts';
import type { RunView as PlatformRunView, RunTaskView } from '../platform/run-view.ts';

// What pages show. Times are ISO 8601 in UTC, or null. None of it contains a secret.

/** A run as lists show it. */
export type RunView = Omit<PlatformRunView, 'version'>;

/** One run task at one stage of a run. */
export type TaskView = RunTaskView;

export interface RunWithTasksView extends RunView {
  tasks: TaskView[];
}

/** The runs for the pages, and the actions on them. */
export interface RunsSource {
  /** Newest first. */
  list(filter: { stack?: string; limit: number }): Promise<RunView[]>;
  /** Undefined if there is no such run. */
  read(id: string): Promise<RunWithTasksView | undefined>;
  /** Whether the run may still be canceled. */
  isCancelable(run: RunView): boolean;
  /** As server-sent events: one named `run` at each change, until it has ended. */
  events(id: string): AsyncIterable<string>;
  /** @throws GatehouseError if it is too late for that */
  cancel(id: string, by: string): Promise<unknown>;
  /** @throws GatehouseError if the stack cannot be read */
  rerun(id: string, by: string): Promise<{ id: string }>;
}

/** A run task request that the integrator accepted, as lists show it. */
export interface DeliveryView {
  id: string;
  endpoint: string;
  stage: Stage;
  status: DeliveryStatus;
  taskResultId: string;
  /** From outside, like the three after it. */
  runId: string | null;
  workspaceName: string | null;
  organizationName: string | null;
  runAppUrl: string | null;
  receivedAt: string;
  /** When the platform must have a final status. */
  deadline: string;
  endedAt: string | null;
  /** Why it was given up, or what went wrong last. */
  error: string | null;
}

export interface DeliveryWithCallbacksView extends DeliveryView {
  /** What the platform sent, without its token. */
  request: unknown;
  /** The result of the review; null before its end. */
  result: { status: string; message: string; url?: string; outcomes: Outcome[] } | null;
  /** Every callback, the oldest first. */
  callbacks: CallbackView[];
}

export interface CallbackView {
  at: string;
  /** The status that it reported: `running`, `passed` or `failed`. */
  status: string;
  /** What the platform answered; null for no answer. */
  httpStatus: number | null;
  error: string | null;
}

export interface DeliveriesSource {
  /** Newest first. */
  list(filter: { status?: DeliveryView['status']; limit: number }): Promise<DeliveryView[]>;
  /** Undefined if there is no such delivery. */
  read(id: string): Promise<DeliveryWithCallbacksView | undefined>;
  /** @throws GatehouseError if there is nothing to send again */
  redeliver(id: string): Promise<void>;
}

/** Whoever is signed in, according to the secrets service. */
export interface Person {
  name: string;
  /** Cancel, run again, redeliver. */
  mayAct: boolean;
}
