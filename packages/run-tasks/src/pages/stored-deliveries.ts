import type { FinalResult } from '@gatehouse/core/run-task';
import type { Stage } from '@gatehouse/core/values';
import type { DeliveryStatus, StoredPayload } from '../integrator/delivery-store.ts';
import type { Integrator } from '../integrator/integrator.ts';
import type { DatabaseRow, Sql } from '../store/database.ts';
import { fieldOf } from '../store/record.ts';

// Deliveries for pages. Times are ISO 8601 in UTC. Nothing contains a secret.

/** A run task request that the integrator accepted, as lists show it. */
export interface DeliveryView {
  id: string;
  endpoint: string;
  stage: Stage;
  status: DeliveryStatus;
  /** The review's result; null until it ends. */
  verdict: FinalResult['status'] | null;
  taskResultId: string;
  /** This and the next three as the platform sent them. */
  runId: string | null;
  workspaceName: string | null;
  organizationName: string | null;
  runAppUrl: string | null;
  receivedAt: string;
  /** When the platform must have a final status. */
  deadline: string;
  endedAt: string | null;
  error: string | null;
}

export interface DeliveryWithCallbacksView extends DeliveryView {
  /** The payload that the platform sent, without its token. */
  request: unknown;
  result: FinalResult | null;
  /** Oldest first. */
  callbacks: CallbackView[];
}

export interface CallbackView {
  at: string;
  /** The status that it reported: `running`, `passed` or `failed`. */
  status: string;
  /** Status of the platform's answer; null if there was none. */
  httpStatus: number | null;
  error: string | null;
}

/** All columns except the token. */
const columns = `id, endpoint, stage, status, task_result_id, run_id, payload, result, received_at, deadline, ended_at,
  error`;

/** The deliveries in the database, for pages. */
export function storedDeliveries(database: Sql, integrator: Pick<Integrator, 'retry'>) {
  return {
    /** Newest first. */
    async list({ status, limit }: { status?: DeliveryStatus; limit: number }): Promise<DeliveryView[]> {
      const rows = await database.query(
        `SELECT ${columns} FROM deliveries WHERE $1::text IS NULL OR status = $1
         ORDER BY received_at DESC, id LIMIT $2`,
        [status ?? null, limit],
      );
      return rows.map(deliveryView);
    },
    /** Undefined if there is no such delivery. */
    async read(id: string): Promise<DeliveryWithCallbacksView | undefined> {
      // Compared as text, because the id comes from a path and may not be a UUID.
      const [row] = await database.query(`SELECT ${columns} FROM deliveries WHERE id::text = $1`, [id]);
      if (row === undefined) return undefined;
      const callbacks = await database.query(
        'SELECT at, status, http_status, error FROM callbacks WHERE delivery = $1 ORDER BY id',
        [row['id']],
      );
      return {
        ...deliveryView(row),
        request: row['payload'],
        result: row['result'] as FinalResult | null,
        callbacks: callbacks.map((callback) => fieldsOfRow(callback) as CallbackView),
      };
    },
    /** @throws GatehouseError if there is nothing to retry */
    retry: (id: string) => integrator.retry(id),
  };
}
export type DeliveriesSource = ReturnType<typeof storedDeliveries>;

function deliveryView(row: DatabaseRow): DeliveryView {
  const { payload, result, ...delivery } = fieldsOfRow(row) as {
    payload: Partial<StoredPayload>;
    result: FinalResult | null;
  };
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    ...(delivery as Omit<DeliveryView, 'verdict'>),
    runId: text(row['run_id']),
    verdict: result?.status ?? null,
    workspaceName: text(payload.workspace_name),
    organizationName: text(payload.organization_name),
    runAppUrl: text(payload.run_app_url),
  };
}

function fieldsOfRow(row: DatabaseRow): object {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      fieldOf(column),
      value instanceof Date ? value.toISOString() : value,
    ]),
  );
}
