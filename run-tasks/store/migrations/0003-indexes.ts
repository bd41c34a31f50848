import type { Migration } from '../migrate.ts';

/** What figures and retention ask for is found, and deleted with all that hangs on it, without reading tables through. */
export const indexes: Migration = {
  name: '0003-indexes',
  sql: [
    'CREATE INDEX runs_open ON runs (status) WHERE ended_at IS NULL',
    'CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL',
    'CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL',
    'CREATE INDEX access_tokens_of_task ON access_tokens (task_result)',
  ],
};
