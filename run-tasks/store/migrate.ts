import type { Database } from './database.ts';

/** Statements that bring the tables to the next version. A released one never changes. */
interface Migration {
  /** For example `0001-integrator`. Migrations run in the order of their names. */
  name: string;
  sql: string[];
}

/**
 * Accepted run task requests, and the callbacks sent for them. JSON from outside is `json`: `jsonb` does not accept every
 * string of JSON (`\u0000`, half a surrogate pair), and such a request would never end.
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

/** Runs, the task results of their stages, and the access tokens issued for these. */
const runsMigration: Migration = {
  name: '0002-platform',
  sql: [
    `CREATE TABLE runs (
      id text PRIMARY KEY,
      -- The order in which the runs of a stack take turns.
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

/**
 * What people decide, tasks that are asked again, and how long each is waited for. Plans and outcomes are `json`: see
 * `integratorMigration`.
 */
const decisionsMigration: Migration = {
  name: '0004-decisions',
  sql: [
    `ALTER TABLE runs
      ADD COLUMN plan_digest text,
      ADD COLUMN gains text,
      ADD COLUMN gained jsonb,
      ALTER COLUMN plan TYPE json`,
    `ALTER TABLE task_results
      ADD COLUMN timing jsonb NOT NULL
        DEFAULT '{"finalStatusMs": 600000, "retryForMs": 600000, "retryPauseMs": 1000}',
      ADD COLUMN superseded_at timestamptz,
      ALTER COLUMN outcomes DROP DEFAULT,
      ALTER COLUMN outcomes TYPE json,
      DROP CONSTRAINT task_results_run_stage_name_key`,
    `CREATE UNIQUE INDEX task_results_counting ON task_results (run, stage, name) WHERE superseded_at IS NULL`,
    `CREATE TABLE decisions (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      run text NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      kind text NOT NULL CHECK (kind IN ('confirmed', 'discarded', 'accepted', 'asked_again', 'canceled')),
      task text,
      by text NOT NULL,
      decided_at timestamptz NOT NULL,
      reason text,
      plan_digest text
    )`,
    'CREATE INDEX decisions_run ON decisions (run, number)',
    // The last verification of each run task, by what it was sent to and signed with.
    `CREATE TABLE verifications (
      stack text NOT NULL,
      name text NOT NULL,
      fingerprint text NOT NULL,
      verified_at timestamptz,
      trouble text,
      PRIMARY KEY (stack, name)
    )`,
  ],
};

/** What the page of a run shows of its plan. `json`: names may be any strings. */
const changesMigration: Migration = {
  name: '0005-changes',
  sql: ['ALTER TABLE runs ADD COLUMN changes json'],
};

/** What an apply did, in lines. */
const applyLogMigration: Migration = {
  name: '0006-apply-log',
  sql: [
    `CREATE TABLE apply_log (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      run text NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      line text NOT NULL
    )`,
    'CREATE INDEX apply_log_run ON apply_log (run, number)',
  ],
};

/** Names of policies and the like may be any strings: see `integratorMigration`. */
const anyNameMigration: Migration = {
  name: '0007-any-name',
  sql: ['ALTER TABLE runs ALTER COLUMN description TYPE json, ALTER COLUMN gained TYPE json'],
};

/** The tables of a platform. */
export const platformTables: Migration[] = [
  runsMigration,
  decisionsMigration,
  changesMigration,
  applyLogMigration,
  anyNameMigration,
];

/** So that metrics and retention need not scan whole tables. */
const indexes: Migration = {
  name: '0003-indexes',
  sql: [
    'CREATE INDEX runs_open ON runs (status) WHERE ended_at IS NULL',
    'CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL',
    'CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL',
    'CREATE INDEX access_tokens_of_task ON access_tokens (task_result)',
  ],
};

/** The lock that lets one process migrate at a time, as several may start at once. */
const lockNumber = 4_774_001;

/** Brings the tables to what this version of Gatehouse needs. Each migration runs once, completely or not at all. */
export async function migrate(
  database: Database,
  migrations: Migration[] = [integratorMigration, ...platformTables, indexes],
): Promise<void> {
  const sorted = migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  await database.transaction(async (sql) => {
    await sql.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    await sql.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, at timestamptz DEFAULT now())',
    );
    const done = new Set((await sql.query('SELECT name FROM migrations')).map(({ name }) => name));
    for (const { name, sql: statements } of sorted) {
      if (done.has(name)) continue;
      for (const statement of statements) await sql.query(statement);
      await sql.query('INSERT INTO migrations (name) VALUES ($1)', [name]);
    }
  });
}
