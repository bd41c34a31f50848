import type { Stage } from '../../core/model/values/stage.ts';
import type { FinalResult } from '../../core/run-task/result.ts';
import type { ListedRun, RunView } from '../../core/run-task/run.ts';
import type { DeliveryStatus } from '../integrator/delivery.ts';
import type { Choice } from '../platform/decide.ts';

// What pages show. Times are ISO 8601 in UTC. Nothing contains a secret.

/** The runs for the pages, and the actions on them. */
export interface RunsSource {
  /** Newest first. */
  list(filter: { stack?: string; limit: number }): Promise<ListedRun[]>;
  /** Undefined if there is no such run. */
  read(id: string): Promise<RunView | undefined>;
  /** Server-sent events: one named `run` at each change, until the run has ended. */
  events(id: string): AsyncIterable<string>;
  /** Takes a person's decision. @throws GatehouseError why not */
  decide(id: string, choice: Choice): Promise<unknown>;
  /** @throws GatehouseError if the stack cannot be read */
  rerun(id: string, by: string): Promise<{ id: string }>;
}

/** A run task request that the integrator accepted, as lists show it. */
export interface DeliveryView {
  id: string;
  endpoint: string;
  stage: Stage;
  status: DeliveryStatus;
  /** What the review said; null until it ends. */
  verdict: FinalResult['status'] | null;
  taskResultId: string;
  /** As the platform sent it, like the next three. */
  runId: string | null;
  workspaceName: string | null;
  organizationName: string | null;
  runAppUrl: string | null;
  receivedAt: string;
  /** When the platform must have a final status. */
  deadline: string;
  endedAt: string | null;
  /** Why it was given up. */
  error: string | null;
}

export interface DeliveryWithCallbacksView extends DeliveryView {
  /** What the platform sent, without its token. */
  request: unknown;
  /** Null until the review ends. */
  result: FinalResult | null;
  /** Oldest first. */
  callbacks: CallbackView[];
}

export interface CallbackView {
  at: string;
  /** The status that it reported: `running`, `passed` or `failed`. */
  status: string;
  /** Of the platform's answer; null if there was none. */
  httpStatus: number | null;
  error: string | null;
}

export interface DeliveriesSource {
  /** Newest first. */
  list(filter: { status?: DeliveryStatus; limit: number }): Promise<DeliveryView[]>;
  /** Undefined if there is no such delivery. */
  read(id: string): Promise<DeliveryWithCallbacksView | undefined>;
  /** @throws GatehouseError if there is nothing to send again */
  redeliver(id: string): Promise<void>;
}
