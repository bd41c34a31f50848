import type { Migration } from '../migrate.ts';

/**
 * Run task requests that were taken, and the callbacks made for them. `json`, not `jsonb`, where text is from outside:
 * `jsonb` does not take every text that JSON can hold (`\u0000`, half a surrogate pair), and one such request would
 * never end.
 */
export const integratorMigration: Migration = {
  name: '0001-integrator',
  sql: [
    `CREATE TABLE deliveries (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      endpoint text NOT NULL,
      task_result_id text NOT NULL,
      stage text NOT NULL,
      run_id text,
      payload json NOT NULL,
      access_token text,
      plan_digest text,
      status text NOT NULL CHECK (status IN ('received', 'working', 'reviewed', 'delivered', 'given_up')),
      reviews_begun int NOT NULL DEFAULT 0,
      result json,
      outcomes_sent int NOT NULL DEFAULT 0,
      error text,
      received_at timestamptz NOT NULL,
      deadline timestamptz NOT NULL,
      ended_at timestamptz,
      UNIQUE (endpoint, task_result_id, stage),
      CHECK ((access_token IS NULL) = (ended_at IS NOT NULL))
    )`,
    'CREATE INDEX deliveries_received ON deliveries (received_at DESC)',
    `CREATE INDEX deliveries_open ON deliveries (status) WHERE ended_at IS NULL`,
    'CREATE INDEX deliveries_run ON deliveries (endpoint, run_id) WHERE plan_digest IS NOT NULL',
    `CREATE TABLE callbacks (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      delivery uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
      at timestamptz NOT NULL,
      status text NOT NULL,
      http_status int,
      error text
    )`,
    'CREATE INDEX callbacks_delivery ON callbacks (delivery, at)',
  ],
};
