import type { Migration } from '../migrate.ts';

/** What ended long ago is found, and deleted with all that hangs on it, without reading the tables through. */
export const retentionIndexes: Migration = {
  name: '0003-retention',
  sql: [
    'CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL',
    'CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL',
    'CREATE INDEX access_tokens_of_task ON access_tokens (task_result)',
  ],
};
