import { GatehouseError } from '@gatehouse/core/values';
import type { Database } from './database.ts';

/**
 * The tables of integrator and platform. JSON from outside is `json`: `jsonb` does not accept every string of JSON
 * (`\u0000`, half a surrogate pair), and such a request would never end.
 */
const tables = [
  // Accepted run task requests, and each attempt to send a callback for one.
  `CREATE TABLE deliveries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    endpoint text NOT NULL,
    task_result_id text NOT NULL,
    stage text NOT NULL,
    run_id text,
    payload json NOT NULL,
    access_token text,
    plan_digest text,
    status text NOT NULL CHECK (
      status IN ('received', 'working', 'reviewed', 'delivered', 'unsure', 'given_up')
    ),
    reviews_started int NOT NULL DEFAULT 0,
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
  'CREATE INDEX deliveries_open ON deliveries (status) WHERE ended_at IS NULL',
  'CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL',
  // The last review at post_plan counts, whatever became of it.
  "CREATE INDEX deliveries_run ON deliveries (endpoint, run_id, received_at) WHERE stage = 'post_plan'",
  `CREATE TABLE callbacks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    at timestamptz NOT NULL,
    status text NOT NULL,
    http_status int,
    error text
  )`,
  'CREATE INDEX callbacks_delivery ON callbacks (delivery, at)',
  // Runs, the task results of their stages, the access tokens issued for these, and what people decided.
  `CREATE TABLE runs (
    id text PRIMARY KEY,
    -- The order in which the runs of a stack take turns.
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    stack text NOT NULL,
    status text NOT NULL,
    message text NOT NULL,
    is_speculative boolean NOT NULL,
    allows_uncommitted boolean NOT NULL DEFAULT false,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    -- What the stack was when the run began: its names, version control, run tasks. No key of a run task.
    description json NOT NULL,
    plan json,
    -- What the page of a run shows of its plan.
    changes json,
    has_changes boolean,
    plan_digest text,
    gains text,
    life text,
    gate text,
    gained json,
    lost json,
    summary text,
    apply_started_at timestamptz,
    -- When it entered each status.
    status_times json NOT NULL DEFAULT '[]',
    has_applied boolean NOT NULL DEFAULT false,
    reason text,
    ended_at timestamptz,
    -- Grows with every change that a watcher can see.
    version int NOT NULL DEFAULT 1
  )`,
  "CREATE INDEX runs_waiting ON runs (stack, number) WHERE status = 'pending'",
  // Runs that only plan take no turns.
  `CREATE UNIQUE INDEX runs_one_at_work ON runs (stack)
    WHERE ended_at IS NULL AND status <> 'pending' AND NOT is_speculative`,
  'CREATE INDEX runs_open ON runs (status) WHERE ended_at IS NULL',
  'CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL',
  `CREATE TABLE task_results (
    id text PRIMARY KEY,
    run text NOT NULL REFERENCES runs (id),
    stage text NOT NULL,
    position int NOT NULL,
    name text NOT NULL,
    request_url text NOT NULL,
    enforcement text NOT NULL,
    -- How long it is waited for.
    timing jsonb NOT NULL,
    status text NOT NULL,
    message text,
    url text,
    outcomes json NOT NULL,
    requested_at timestamptz NOT NULL,
    updated_at timestamptz,
    deadline timestamptz NOT NULL,
    -- When the request was answered with 200, and why it was not yet.
    accepted_at timestamptz,
    attempts int NOT NULL DEFAULT 0,
    trouble text,
    ended_at timestamptz,
    -- When it was retried.
    superseded_at timestamptz
  )`,
  'CREATE UNIQUE INDEX task_results_counting ON task_results (run, stage, name) WHERE superseded_at IS NULL',
  'CREATE INDEX task_results_open ON task_results (deadline) WHERE ended_at IS NULL',
  `CREATE TABLE access_tokens (
    hash text PRIMARY KEY,
    task_result text NOT NULL REFERENCES task_results (id)
  )`,
  'CREATE INDEX access_tokens_of_task ON access_tokens (task_result)',
  `CREATE TABLE decisions (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('confirmed', 'discarded', 'accepted', 'retried', 'canceled')),
    task text,
    by text NOT NULL,
    -- At the secrets service, of people who have one.
    entity text,
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
  // Signed reviews, and what each was used for. They outlive their runs.
  `CREATE TABLE reviews (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stack text NOT NULL,
    run text REFERENCES runs (id) ON DELETE SET NULL,
    -- Of what was reviewed: a plan of the stack, or a file.
    digest text NOT NULL,
    statement text NOT NULL,
    taken_at timestamptz,
    taken_by text,
    applied_at timestamptz
  )`,
  'CREATE INDEX reviews_stack ON reviews (stack, number)',
  'CREATE INDEX reviews_taken ON reviews (stack, digest, taken_at) WHERE taken_at IS NOT NULL',
  'CREATE INDEX reviews_run ON reviews (run) WHERE run IS NOT NULL',
  // Lines about the progress of applies.
  `CREATE TABLE apply_log (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    line text NOT NULL
  )`,
  'CREATE INDEX apply_log_run ON apply_log (run, number)',
  // Uses of roles and of group policies by day, from audit logs, without names of people.
  `CREATE TABLE used (
    namespace text NOT NULL,
    name text NOT NULL,
    day text NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (namespace, name, day)
  )`,
  "CREATE TABLE followed (path text PRIMARY KEY, inode text NOT NULL DEFAULT '', position bigint NOT NULL DEFAULT 0)",
  // Stacks whose drift is watched: the last reading, and the process that reads it now.
  `CREATE TABLE watched_stacks (
    -- project/stack
    id text PRIMARY KEY,
    -- When a process last had it in its checkout.
    listed_at timestamptz NOT NULL,
    next_at timestamptz NOT NULL,
    claim uuid,
    claimed_until timestamptz,
    -- Readings started since one ended.
    started int NOT NULL DEFAULT 0,
    outcome text CHECK (outcome IN ('ok', 'drift', 'failed')),
    summary text,
    problem text,
    -- What it was compared with: a commit, or why there is none.
    compared_with text,
    since_at timestamptz,
    read_at timestamptz,
    seen_at timestamptz,
    drift_at timestamptz,
    failures int NOT NULL DEFAULT 0,
    is_notified boolean NOT NULL DEFAULT false,
    notices int NOT NULL DEFAULT 0,
    -- Who gains by what differs.
    access json,
    findings json NOT NULL DEFAULT '[]'
  )`,
  `CREATE TABLE watched_changes (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    stack text NOT NULL REFERENCES watched_stacks (id) ON DELETE CASCADE,
    changed_at timestamptz NOT NULL,
    outcome text NOT NULL,
    summary text NOT NULL,
    compared_with text NOT NULL,
    appeared json NOT NULL,
    gone json NOT NULL
  )`,
  'CREATE INDEX watched_changes_stack ON watched_changes (stack, number)',
  'CREATE INDEX watched_changes_at ON watched_changes (changed_at)',
];

/** Version of the tables above: grows when a released Gatehouse could not use them. */
const version = 1;

/** The advisory lock under which one process makes the tables, as several may start at once. */
const lockNumber = 4_774_001;

/** Resolves if the store accepts a write. A read would not do, because a full disk or a standby can still be read. */
export async function checkStorable(database: Database): Promise<void> {
  await database.query('UPDATE store SET version = version');
}

/**
 * Makes the tables of an empty store: completely or not at all.
 *
 * @throws GatehouseError `database_unusable` if another version of Gatehouse made the store
 */
export async function makeTables(database: Database): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    await sql.query('CREATE TABLE IF NOT EXISTS store (version int NOT NULL)');
    const [stored] = await sql.query('SELECT version FROM store');
    if (stored === undefined) {
      for (const statement of tables) await sql.query(statement);
      await sql.query('INSERT INTO store (version) VALUES ($1)', [version]);
    } else if (stored['version'] !== version) {
      throw new GatehouseError('database_unusable.version', {
        given: `format ${stored['version']}`,
        allowed: `format ${version}`,
      });
    }
  });
}
