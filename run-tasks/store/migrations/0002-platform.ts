import type { Migration } from '../migrate.ts';

/** Runs, the task results of their stages, and the access tokens that were given out for these. */
export const platformTables: Migration = {
  name: '0002-platform',
  sql: [
    `CREATE TABLE runs (
      id text PRIMARY KEY,
      -- The order in which the runs of a stack come up.
      number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
      stack text NOT NULL,
      status text NOT NULL,
      message text NOT NULL,
      is_speculative boolean NOT NULL,
      created_by text NOT NULL,
      created_at timestamptz NOT NULL,
      -- What the stack was when the run began: its names, version control, run tasks. No key of a run task.
      description jsonb NOT NULL,
      plan jsonb,
      has_changes boolean,
      apply_begun_at timestamptz,
      has_applied boolean NOT NULL DEFAULT false,
      reason text,
      ended_at timestamptz,
      -- Grows with every change that a watcher can see.
      version int NOT NULL DEFAULT 1
    )`,
    "CREATE INDEX runs_waiting ON runs (stack, number) WHERE status = 'pending'",
    "CREATE UNIQUE INDEX runs_one_at_work ON runs (stack) WHERE ended_at IS NULL AND status <> 'pending'",
    `CREATE TABLE task_results (
      id text PRIMARY KEY,
      run text NOT NULL REFERENCES runs (id),
      stage text NOT NULL,
      position int NOT NULL,
      name text NOT NULL,
      request_url text NOT NULL,
      enforcement text NOT NULL,
      status text NOT NULL,
      message text,
      url text,
      outcomes jsonb NOT NULL DEFAULT '[]',
      requested_at timestamptz NOT NULL,
      updated_at timestamptz,
      deadline timestamptz NOT NULL,
      -- When the request was answered with 200, and why it was not yet.
      accepted_at timestamptz,
      attempts int NOT NULL DEFAULT 0,
      trouble text,
      ended_at timestamptz,
      UNIQUE (run, stage, name)
    )`,
    'CREATE INDEX task_results_open ON task_results (deadline) WHERE ended_at IS NULL',
    `CREATE TABLE access_tokens (
      hash text PRIMARY KEY,
      task_result text NOT NULL REFERENCES task_results (id)
    )`,
  ],
};
