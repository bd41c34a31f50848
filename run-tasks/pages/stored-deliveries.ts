import type { Stage } from '../../core/model/values/stage.ts';
import type { FinalResult } from '../../core/run-task/result.ts';
import type { StoredPayload } from '../integrator/delivery.ts';
import type { Integrator } from '../integrator/integrator.ts';
import type { Row, Sql } from '../store/database.ts';
import type { CallbackView, DeliveriesSource, DeliveryView } from './views.ts';

/** Without the token. */
const columns = `id, endpoint, stage, status, task_result_id, run_id, payload, result, received_at, deadline, ended_at,
  error`;

/** The deliveries of an integrator, for the pages. */
export function storedDeliveries(database: Sql, integrator: Pick<Integrator, 'redeliver'>): DeliveriesSource {
  return {
    async list({ status, limit }) {
      const rows = await database.query(
        `SELECT ${columns} FROM deliveries WHERE $1::text IS NULL OR status = $1
         ORDER BY received_at DESC, id LIMIT $2`,
        [status ?? null, limit],
      );
      return rows.map(deliveryView);
    },
    async read(id) {
      // As text: the id comes from a path, and may not be a UUID.
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
        callbacks: callbacks.map(callbackView),
      };
    },
    redeliver: (id) => integrator.redeliver(id),
  };
}

function deliveryView(row: Row): DeliveryView {
  const payload = row['payload'] as Partial<StoredPayload>;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    id: row['id'] as string,
    endpoint: row['endpoint'] as string,
    stage: row['stage'] as Stage,
    status: row['status'] as DeliveryView['status'],
    verdict: (row['result'] as FinalResult | null)?.status ?? null,
    taskResultId: row['task_result_id'] as string,
    runId: text(row['run_id']),
    workspaceName: text(payload.workspace_name),
    organizationName: text(payload.organization_name),
    runAppUrl: text(payload.run_app_url),
    receivedAt: (row['received_at'] as Date).toISOString(),
    deadline: (row['deadline'] as Date).toISOString(),
    endedAt: (row['ended_at'] as Date | null)?.toISOString() ?? null,
    error: text(row['error']),
  };
}

function callbackView(row: Row): CallbackView {
  return {
    at: (row['at'] as Date).toISOString(),
    status: row['status'] as string,
    httpStatus: row['http_status'] as number | null,
    error: row['error'] as string | null,
  };
}
