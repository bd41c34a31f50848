-- A store as Gatehouse made it up to 0007-any-name, with runs and deliveries that wait: pg_dump --inserts, a statement between two lines of --.
CREATE SCHEMA pgboss
--
CREATE TYPE pgboss.job_state AS ENUM (
    'created',
    'retry',
    'active',
    'completed',
    'cancelled',
    'failed'
)
--
CREATE FUNCTION pgboss.create_queue(queue_name text, options jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $_$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN

      WITH q as (
        INSERT INTO pgboss.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          pgboss.job_now(),
          pgboss.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;

      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;

      EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', tablename);

      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);

      IF options->>'policy' = 'short' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;

      EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $_$
--
CREATE FUNCTION pgboss.delete_queue(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM pgboss.queue
      WHERE name = queue_name
      INTO v_table, v_partition;

      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM pgboss.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM pgboss.queue WHERE name = queue_name;
    END;
    $$
--
CREATE FUNCTION pgboss.job_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
      SELECT pg_catalog.now();
    $$
--
CREATE FUNCTION pgboss.job_table_format(command text, table_name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $_$
--
CREATE FUNCTION pgboss.job_table_run(command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        EXECUTE pgboss.job_table_format(command, tbl_name);
        RETURN;
      END IF;

      EXECUTE pgboss.job_table_format(command, 'job_common');

      FOR tbl IN SELECT table_name FROM pgboss.queue WHERE partition = true
      LOOP
        EXECUTE pgboss.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$
--
CREATE FUNCTION pgboss.job_table_run_async(command_name text, version integer, command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          pgboss.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;

      INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        pgboss.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        pgboss.job_table_format(command, queue.table_name)
      FROM pgboss.queue
      WHERE partition = true;
    END;
    $$
--
CREATE TABLE pgboss.bam (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    queue text,
    table_name text NOT NULL,
    command text NOT NULL,
    error text,
    created_on timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone
)
--
CREATE TABLE pgboss.job (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid
)
PARTITION BY LIST (name)
--
CREATE TABLE pgboss.job_common (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid,
    CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK ((NOT ((policy = 'key_strict_fifo'::text) AND (singleton_key IS NULL))))
)
--
CREATE TABLE pgboss.job_dependency (
    child_name text NOT NULL,
    child_id uuid NOT NULL,
    parent_name text NOT NULL,
    parent_id uuid NOT NULL
)
--
CREATE TABLE pgboss.queue (
    name text NOT NULL,
    policy text NOT NULL,
    retry_limit integer NOT NULL,
    retry_delay integer NOT NULL,
    retry_backoff boolean NOT NULL,
    retry_delay_max integer,
    expire_seconds integer NOT NULL,
    retention_seconds integer NOT NULL,
    deletion_seconds integer NOT NULL,
    dead_letter text,
    partition boolean NOT NULL,
    table_name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    warning_queued integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer DEFAULT 0 NOT NULL,
    completed_delta integer DEFAULT 0 NOT NULL,
    failed_delta integer DEFAULT 0 NOT NULL,
    delta_on timestamp with time zone,
    delta_seconds integer,
    ready_history integer[] DEFAULT '{}'::integer[] NOT NULL,
    heartbeat_seconds integer,
    notify boolean DEFAULT false NOT NULL,
    singletons_active text[],
    monitor_claim_on timestamp with time zone,
    monitor_on timestamp with time zone,
    maintain_on timestamp with time zone,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT queue_check CHECK ((dead_letter IS DISTINCT FROM name))
)
--
CREATE TABLE pgboss.queue_stats (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY RANGE (captured_on)
--
CREATE TABLE pgboss.queue_stats_20261123 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
)
--
CREATE TABLE pgboss.queue_stats_20261124 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
)
--
CREATE TABLE pgboss.schedule (
    name text NOT NULL,
    key text DEFAULT ''::text NOT NULL,
    kind text DEFAULT 'cron'::text NOT NULL,
    cron text NOT NULL,
    timezone text DEFAULT 'UTC'::text,
    data jsonb,
    options jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    last_job_id uuid,
    CONSTRAINT schedule_kind_check CHECK ((kind = ANY (ARRAY['cron'::text, 'rrule'::text])))
)
--
CREATE TABLE pgboss.subscription (
    event text NOT NULL,
    name text NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL
)
--
CREATE TABLE pgboss.version (
    version integer NOT NULL,
    cron_on timestamp with time zone,
    bam_on timestamp with time zone,
    flow_on timestamp with time zone,
    reindex_on timestamp with time zone,
    monitor_backoff_on timestamp with time zone
)
--
CREATE TABLE pgboss.warning (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    type text NOT NULL,
    message text NOT NULL,
    data jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL
)
--
CREATE TABLE public.access_tokens (
    hash text NOT NULL,
    task_result text NOT NULL
)
--
CREATE TABLE public.apply_log (
    number bigint NOT NULL,
    run text NOT NULL,
    line text NOT NULL
)
--
ALTER TABLE public.apply_log ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.apply_log_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
)
--
CREATE TABLE public.callbacks (
    id bigint NOT NULL,
    delivery uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    status text NOT NULL,
    http_status integer,
    error text
)
--
ALTER TABLE public.callbacks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.callbacks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
)
--
CREATE TABLE public.decisions (
    number bigint NOT NULL,
    run text NOT NULL,
    kind text NOT NULL,
    task text,
    by text NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    reason text,
    plan_digest text,
    CONSTRAINT decisions_kind_check CHECK ((kind = ANY (ARRAY['confirmed'::text, 'discarded'::text, 'accepted'::text, 'asked_again'::text, 'canceled'::text])))
)
--
ALTER TABLE public.decisions ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.decisions_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
)
--
CREATE TABLE public.deliveries (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    endpoint text NOT NULL,
    task_result_id text NOT NULL,
    stage text NOT NULL,
    run_id text,
    payload json NOT NULL,
    access_token text,
    plan_digest text,
    status text NOT NULL,
    reviews_begun integer DEFAULT 0 NOT NULL,
    result json,
    outcomes_sent integer DEFAULT 0 NOT NULL,
    error text,
    received_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT deliveries_check CHECK (((access_token IS NULL) = (ended_at IS NOT NULL))),
    CONSTRAINT deliveries_status_check CHECK ((status = ANY (ARRAY['received'::text, 'working'::text, 'reviewed'::text, 'delivered'::text, 'given_up'::text])))
)
--
CREATE TABLE public.migrations (
    name text NOT NULL,
    at timestamp with time zone DEFAULT now()
)
--
CREATE TABLE public.runs (
    id text NOT NULL,
    number bigint NOT NULL,
    stack text NOT NULL,
    status text NOT NULL,
    message text NOT NULL,
    is_speculative boolean NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    description json NOT NULL,
    plan json,
    changes json,
    has_changes boolean,
    plan_digest text,
    gains text,
    gained json,
    apply_begun_at timestamp with time zone,
    has_applied boolean DEFAULT false NOT NULL,
    reason text,
    ended_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL
)
--
ALTER TABLE public.runs ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.runs_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
)
--
CREATE TABLE public.task_results (
    id text NOT NULL,
    run text NOT NULL,
    stage text NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    request_url text NOT NULL,
    enforcement text NOT NULL,
    timing jsonb DEFAULT '{"retryForMs": 600000, "retryPauseMs": 1000, "finalStatusMs": 600000}'::jsonb NOT NULL,
    status text NOT NULL,
    message text,
    url text,
    outcomes json NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone,
    deadline timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    trouble text,
    ended_at timestamp with time zone,
    superseded_at timestamp with time zone
)
--
CREATE TABLE public.verifications (
    stack text NOT NULL,
    name text NOT NULL,
    fingerprint text NOT NULL,
    verified_at timestamp with time zone,
    trouble text
)
--
ALTER TABLE ONLY pgboss.job ATTACH PARTITION pgboss.job_common DEFAULT
--
ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261123 FOR VALUES FROM ('2026-11-23 00:00:00+00') TO ('2026-11-24 00:00:00+00')
--
ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261124 FOR VALUES FROM ('2026-11-24 00:00:00+00') TO ('2026-11-25 00:00:00+00')
--
INSERT INTO pgboss.job_common VALUES ('91660035-61b0-4ad9-8baa-b567f347cdfa', 'platform-start', 0, '{"run": "run-084396336c5353bc5e4e05f0"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.341711+00', '2026-11-23 23:48:55.341711+00', '2026-11-23 23:48:55.350498+00', '2026-11-23 23:48:55.373497+00', '2026-12-07 23:48:55.341711+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.350498+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('42701ae6-823e-453b-b2fa-9b26122b796d', 'platform-plan', 0, '{"run": "run-084396336c5353bc5e4e05f0"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.364325+00', '2026-11-23 23:48:55.364325+00', '2026-11-23 23:48:55.374022+00', '2026-11-23 23:48:55.3816+00', '2026-12-07 23:48:55.364325+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.374022+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('c521a98d-1748-4283-b948-fb3f19676be1', 'platform-start', 0, '{"run": "run-12a2c69b805c35787181e655"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.395331+00', '2026-11-23 23:48:55.395331+00', '2026-11-23 23:48:55.398397+00', '2026-11-23 23:48:55.4009+00', '2026-12-07 23:48:55.395331+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.398397+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('da0743d5-92cc-4c05-8c49-3c01f8299da3', 'platform-start', 0, '{"run": "run-cf2d13cdd27c2588e3aeea9e"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.398012+00', '2026-11-23 23:48:55.398012+00', '2026-11-23 23:48:55.402418+00', '2026-11-23 23:48:55.407377+00', '2026-12-07 23:48:55.398012+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.402418+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('f3e6546c-df52-4120-9d49-38cdb1d601c0', 'platform-start', 0, '{"run": "run-7166c9804ce86adc80194f29"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.402404+00', '2026-11-23 23:48:55.402404+00', '2026-11-23 23:48:55.40689+00', '2026-11-23 23:48:55.439099+00', '2026-12-07 23:48:55.402404+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.40689+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('aa63bbbb-9b01-4754-90d1-3145c9cf8d80', 'platform-plan', 0, '{"run": "run-7166c9804ce86adc80194f29"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.433674+00', '2026-11-23 23:48:55.433674+00', '2026-11-23 23:48:55.440001+00', '2026-11-23 23:48:55.449765+00', '2026-12-07 23:48:55.433674+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.440001+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('fb497434-76a8-4293-94f2-42f5d0b9b377', 'platform-send', 0, '{"task": "e294a0c8-1174-4960-bad6-401720c74548"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.442937+00', '2026-11-23 23:48:55.442937+00', '2026-11-23 23:48:55.447497+00', '2026-11-23 23:48:55.45718+00', '2026-12-07 23:48:55.442937+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.447497+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('2c04e08a-2bc4-49a8-b9f9-f79e9ef0523e', 'platform-start', 0, '{"run": "run-2da7e0491ab1d4433cb09f67"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.490252+00', '2026-11-23 23:48:55.490252+00', '2026-11-23 23:48:55.493363+00', '2026-11-23 23:48:55.517598+00', '2026-12-07 23:48:55.490252+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.493363+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('395f8a17-9dc3-4296-9e96-390c696dde3f', 'platform-plan', 0, '{"run": "run-2da7e0491ab1d4433cb09f67"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.505972+00', '2026-11-23 23:48:55.505972+00', '2026-11-23 23:48:55.510815+00', '2026-11-23 23:48:55.565002+00', '2026-12-07 23:48:55.505972+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.510815+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('1d63e876-ee2b-4d9c-96c0-77cde6f62f22', 'platform-send', 0, '{"task": "2a93cad7-7f24-4585-b602-730d95358c56"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.537625+00', '2026-11-23 23:48:55.537625+00', '2026-11-23 23:48:55.560717+00', '2026-11-23 23:48:55.598818+00', '2026-12-07 23:48:55.537625+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.560717+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('11d317a8-c140-4add-ae10-5dff0cb31c4f', 'platform-start', 0, '{"run": "run-1e314e1f32de85f7611c7747"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.631706+00', '2026-11-23 23:48:55.631706+00', '2026-11-23 23:48:55.642609+00', '2026-11-23 23:48:55.667753+00', '2026-12-07 23:48:55.631706+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.642609+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('d34b3cf0-7668-4602-b745-f6b9877f6da7', 'platform-plan', 0, '{"run": "run-1e314e1f32de85f7611c7747"}', 'completed', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.657259+00', '2026-11-23 23:48:55.657259+00', '2026-11-23 23:48:55.668686+00', '2026-11-23 23:48:55.675398+00', '2026-12-07 23:48:55.657259+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.668686+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('a9c59941-e0a7-4402-8cb7-1687bd0d950d', 'platform-send', 0, '{"task": "44825ca9-0913-4a07-a384-2302b4001db6"}', 'retry', 1000, 0, 1, true, 60, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:57.028051+00', '2026-11-23 23:48:55.671114+00', '2026-11-23 23:48:55.674531+00', NULL, '2026-12-07 23:48:55.671114+00', '{"message": "the run task review was not accepted: answered with 500 instead of 200"}', NULL, 'standard', NULL, 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('476df4bc-793c-4e37-b069-b50a514aaf7a', 'integrator-delivery', 0, '{"delivery": "5417c777-41c3-4991-97e9-3a60806ec594"}', 'completed', 1000, 0, 1, true, 15, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.815453+00', '2026-11-23 23:48:55.815453+00', '2026-11-23 23:48:55.828624+00', '2026-11-23 23:48:55.866767+00', '2026-12-07 23:48:55.815453+00', NULL, NULL, 'standard', '2026-11-23 23:48:55.828624+00', 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('3b4449d9-7c06-415e-8d5b-29d3845bb0c7', 'integrator-delivery', 0, '{"delivery": "9cc5fac8-4c5e-4f32-b4a8-67083980e2fa"}', 'retry', 1000, 0, 1, true, 15, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:57.462801+00', '2026-11-23 23:48:55.880364+00', '2026-11-23 23:48:55.883807+00', NULL, '2026-12-07 23:48:55.880364+00', '{"message": "the platform did not answer"}', NULL, 'standard', NULL, 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.job_common VALUES ('bb107619-61c3-42aa-9a19-2b16d739e3d6', 'integrator-delivery', 0, '{"delivery": "784c492d-3399-4c82-85ee-2296cbef448d"}', 'retry', 1000, 0, 1, true, 15, 3600, 86400, NULL, NULL, NULL, NULL, '2026-11-23 23:48:57.281808+00', '2026-11-23 23:48:55.928811+00', '2026-11-23 23:48:55.932551+00', NULL, '2026-12-07 23:48:55.928811+00', '{"message": "the integrator stops"}', NULL, 'standard', NULL, 10, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL)
--
INSERT INTO pgboss.queue VALUES ('platform-start', 'standard', 1000, 1, true, 60, 3600, 1209600, 86400, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', 10, true, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.216262+00', '2026-11-23 23:48:55.216262+00')
--
INSERT INTO pgboss.queue VALUES ('platform-plan', 'standard', 1000, 1, true, 60, 3600, 1209600, 86400, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', 10, true, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.224919+00', '2026-11-23 23:48:55.224919+00')
--
INSERT INTO pgboss.queue VALUES ('platform-apply', 'standard', 1000, 1, true, 60, 3600, 1209600, 86400, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', 10, true, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.234928+00', '2026-11-23 23:48:55.234928+00')
--
INSERT INTO pgboss.queue VALUES ('platform-send', 'standard', 1000, 1, true, 60, 3600, 1209600, 86400, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', 10, true, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.247578+00', '2026-11-23 23:48:55.247578+00')
--
INSERT INTO pgboss.queue VALUES ('integrator-delivery', 'standard', 1000, 1, true, 15, 3600, 1209600, 86400, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', 10, true, NULL, NULL, NULL, NULL, '2026-11-23 23:48:55.795867+00', '2026-11-23 23:48:55.795867+00')
--
INSERT INTO pgboss.version VALUES (43, NULL, '2026-11-23 23:48:55.231689+00', '2026-11-23 23:48:55.228377+00', NULL, NULL)
--
INSERT INTO public.access_tokens VALUES ('7e37f709eae71aca0a05a5b37319254dfe8ec7bfcfde8874ea30616b7fa32be4', 'e294a0c8-1174-4960-bad6-401720c74548')
--
INSERT INTO public.access_tokens VALUES ('d5abca4b8a0be4135dde436a2562d03e2e8442e10d1c69973b6a31c7152315c8', '2a93cad7-7f24-4585-b602-730d95358c56')
--
INSERT INTO public.access_tokens VALUES ('2991e907dbebc0ad3f065f86fbebf302dc4bbbcdc23b65377cfedd44f5ddb571', '44825ca9-0913-4a07-a384-2302b4001db6')
--
INSERT INTO public.callbacks OVERRIDING SYSTEM VALUE VALUES (1, '5417c777-41c3-4991-97e9-3a60806ec594', '2026-12-01 12:00:00+00', 'passed', 200, NULL)
--
INSERT INTO public.callbacks OVERRIDING SYSTEM VALUE VALUES (2, '9cc5fac8-4c5e-4f32-b4a8-67083980e2fa', '2026-12-01 12:00:00+00', 'passed', NULL, 'an address from outside cannot be reached: the connection was closed before the answer was complete
  given: http://platform.invalid')
--
INSERT INTO public.deliveries VALUES ('5417c777-41c3-4991-97e9-3a60806ec594', 'review', 'taskrs-e6764b1e1025eff4', 'post_plan', 'run-elsewhere', '{"payload_version":1,"stage":"post_plan","capabilities":{"outcomes":true},"configuration_version_download_url":null,"configuration_version_id":"","is_speculative":false,"organization_name":"gatehouse","run_app_url":"http://platform.invalid/runs/run-taskrs-e6764b1e1025eff4","run_created_at":"2026-11-23T23:48:55.804Z","run_created_by":"gatehouse","run_id":"run-elsewhere","run_message":"Sent by gatehouse run-task test","task_result_callback_url":"http://platform.invalid/api/v2/task-results/taskrs-e6764b1e1025eff4/callback","task_result_enforcement_level":"mandatory","task_result_id":"taskrs-e6764b1e1025eff4","vcs_branch":null,"vcs_commit_url":null,"vcs_pull_request_url":null,"vcs_repo_url":null,"workspace_app_url":"http://platform.invalid/workspaces/test","workspace_id":"ws-test","workspace_name":"test","workspace_working_directory":"","plan_json_api_url":"http://platform.invalid/api/v2/plans/taskrs-e6764b1e1025eff4/json-output"}', NULL, '12f4d07e0bee864732a9cbc2df912417218bff2155146e30481e95d2ebaa9f68', 'delivered', 1, '{"status":"passed","message":"fine","outcomes":[]}', 0, NULL, '2026-12-01 12:00:00+00', '2026-12-01 12:10:00+00', '2026-12-01 12:00:00+00')
--
INSERT INTO public.deliveries VALUES ('9cc5fac8-4c5e-4f32-b4a8-67083980e2fa', 'review', 'taskrs-c4496ea9aeadf06f', 'post_apply', 'run-taskrs-c4496ea9aeadf06f', '{"payload_version":1,"stage":"post_apply","capabilities":{"outcomes":true},"configuration_version_download_url":null,"configuration_version_id":"","is_speculative":false,"organization_name":"gatehouse","run_app_url":"http://platform.invalid/runs/run-taskrs-c4496ea9aeadf06f","run_created_at":"2026-11-23T23:48:55.876Z","run_created_by":"gatehouse","run_id":"run-taskrs-c4496ea9aeadf06f","run_message":"Sent by gatehouse run-task test","task_result_callback_url":"http://platform.invalid/api/v2/task-results/taskrs-c4496ea9aeadf06f/callback","task_result_enforcement_level":"mandatory","task_result_id":"taskrs-c4496ea9aeadf06f","vcs_branch":null,"vcs_commit_url":null,"vcs_pull_request_url":null,"vcs_repo_url":null,"workspace_app_url":"http://platform.invalid/workspaces/test","workspace_id":"ws-test","workspace_name":"test","workspace_working_directory":"","plan_json_api_url":"http://platform.invalid/api/v2/plans/taskrs-c4496ea9aeadf06f/json-output"}', 'h8VJNo5aNcXTvSTbxw0ZrGaVNNlr0FnL', '12f4d07e0bee864732a9cbc2df912417218bff2155146e30481e95d2ebaa9f68', 'reviewed', 1, '{"status":"passed","message":"fine","outcomes":[]}', 0, NULL, '2026-12-01 12:00:00+00', '2026-12-01 12:10:00+00', NULL)
--
INSERT INTO public.deliveries VALUES ('784c492d-3399-4c82-85ee-2296cbef448d', 'review', 'taskrs-4bee19a9a4bbecf4', 'pre_plan', 'run-taskrs-4bee19a9a4bbecf4', '{"payload_version":1,"stage":"pre_plan","capabilities":{"outcomes":true},"configuration_version_download_url":null,"configuration_version_id":"","is_speculative":false,"organization_name":"gatehouse","run_app_url":"http://platform.invalid/runs/run-taskrs-4bee19a9a4bbecf4","run_created_at":"2026-11-23T23:48:55.925Z","run_created_by":"gatehouse","run_id":"run-taskrs-4bee19a9a4bbecf4","run_message":"Sent by gatehouse run-task test","task_result_callback_url":"http://platform.invalid/api/v2/task-results/taskrs-4bee19a9a4bbecf4/callback","task_result_enforcement_level":"mandatory","task_result_id":"taskrs-4bee19a9a4bbecf4","vcs_branch":null,"vcs_commit_url":null,"vcs_pull_request_url":null,"vcs_repo_url":null,"workspace_app_url":"http://platform.invalid/workspaces/test","workspace_id":"ws-test","workspace_name":"test","workspace_working_directory":""}', 'dekZIuAJuddQcoHlUdws3GaIb5b7Mr7k', NULL, 'working', 1, NULL, 0, NULL, '2026-12-01 12:00:00+00', '2026-12-01 12:10:00+00', NULL)
--
INSERT INTO public.migrations VALUES ('0001-integrator', '2026-11-23 23:48:55.120846+00')
--
INSERT INTO public.migrations VALUES ('0002-platform', '2026-11-23 23:48:55.120846+00')
--
INSERT INTO public.migrations VALUES ('0003-indexes', '2026-11-23 23:48:55.120846+00')
--
INSERT INTO public.migrations VALUES ('0004-decisions', '2026-11-23 23:48:55.120846+00')
--
INSERT INTO public.migrations VALUES ('0005-changes', '2026-11-23 23:48:55.120846+00')
--
INSERT INTO public.migrations VALUES ('0006-apply-log', '2026-11-23 23:48:55.120846+00')
--
INSERT INTO public.migrations VALUES ('0007-any-name', '2026-11-23 23:48:55.120846+00')
--
INSERT INTO public.runs OVERRIDING SYSTEM VALUE VALUES ('run-084396336c5353bc5e4e05f0', 1, 'confirming', 'waiting_for_confirmation', 'a change', false, 'alice', '2026-12-01 12:00:00+00', '{"organizationName":"login","workspaceId":"login/confirming","workspaceName":"confirming","workspaceWorkingDirectory":"","configurationVersionId":"0f3c","vcsBranch":"main","vcsCommitUrl":"https://code.example.com/login/commit/0f3c","vcsPullRequestUrl":null,"vcsRepoUrl":"https://code.example.com/login","commit":null,"tasks":[],"decisions":{"confirm":"always","acceptWith":"accept-failures"}}', '{"steps":["a change"]}', NULL, true, '8a1253ddb4cfbb5c2370e4cba53c125bd76e6ab1e49196f469d32ed93fed99de', NULL, NULL, NULL, false, NULL, NULL, 3)
--
INSERT INTO public.runs OVERRIDING SYSTEM VALUE VALUES ('run-12a2c69b805c35787181e655', 2, 'confirming', 'pending', 'a change', false, 'alice', '2026-12-01 12:00:00+00', '{"organizationName":"login","workspaceId":"login/confirming","workspaceName":"confirming","workspaceWorkingDirectory":"","configurationVersionId":"0f3c","vcsBranch":"main","vcsCommitUrl":"https://code.example.com/login/commit/0f3c","vcsPullRequestUrl":null,"vcsRepoUrl":"https://code.example.com/login","commit":null,"tasks":[],"decisions":{"confirm":"always","acceptWith":"accept-failures"}}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, 1)
--
INSERT INTO public.runs OVERRIDING SYSTEM VALUE VALUES ('run-cf2d13cdd27c2588e3aeea9e', 3, 'confirming', 'pending', 'a change', true, 'alice', '2026-12-01 12:00:00+00', '{"organizationName":"login","workspaceId":"login/confirming","workspaceName":"confirming","workspaceWorkingDirectory":"","configurationVersionId":"0f3c","vcsBranch":"main","vcsCommitUrl":"https://code.example.com/login/commit/0f3c","vcsPullRequestUrl":null,"vcsRepoUrl":"https://code.example.com/login","commit":null,"tasks":[],"decisions":{"confirm":"always","acceptWith":"accept-failures"}}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, 1)
--
INSERT INTO public.runs OVERRIDING SYSTEM VALUE VALUES ('run-7166c9804ce86adc80194f29', 4, 'accepting', 'waiting_for_acceptance', 'a change', false, 'alice', '2026-12-01 12:00:00+00', '{"organizationName":"login","workspaceId":"login/accepting","workspaceName":"accepting","workspaceWorkingDirectory":"","configurationVersionId":"0f3c","vcsBranch":"main","vcsCommitUrl":"https://code.example.com/login/commit/0f3c","vcsPullRequestUrl":null,"vcsRepoUrl":"https://code.example.com/login","commit":null,"tasks":[{"name":"review","url":"http://integrator.invalid/review","stages":["post_plan"],"enforcement":"mandatory"}],"decisions":{"confirm":"always","acceptWith":"accept-failures"}}', '{"steps":["a change"]}', NULL, true, '8a1253ddb4cfbb5c2370e4cba53c125bd76e6ab1e49196f469d32ed93fed99de', NULL, NULL, NULL, false, NULL, NULL, 5)
--
INSERT INTO public.runs OVERRIDING SYSTEM VALUE VALUES ('run-2da7e0491ab1d4433cb09f67', 5, 'reviewing', 'post_plan', 'a change', false, 'alice', '2026-12-01 12:00:00+00', '{"organizationName":"login","workspaceId":"login/reviewing","workspaceName":"reviewing","workspaceWorkingDirectory":"","configurationVersionId":"0f3c","vcsBranch":"main","vcsCommitUrl":"https://code.example.com/login/commit/0f3c","vcsPullRequestUrl":null,"vcsRepoUrl":"https://code.example.com/login","commit":null,"tasks":[{"name":"review","url":"http://integrator.invalid/review","stages":["post_plan"],"enforcement":"mandatory"}],"decisions":{"confirm":"always","acceptWith":"accept-failures"}}', '{"steps":["a change"]}', NULL, true, '8a1253ddb4cfbb5c2370e4cba53c125bd76e6ab1e49196f469d32ed93fed99de', NULL, NULL, NULL, false, NULL, NULL, 5)
--
INSERT INTO public.runs OVERRIDING SYSTEM VALUE VALUES ('run-1e314e1f32de85f7611c7747', 6, 'sending', 'post_plan', 'a change', false, 'alice', '2026-12-01 12:00:00+00', '{"organizationName":"login","workspaceId":"login/sending","workspaceName":"sending","workspaceWorkingDirectory":"","configurationVersionId":"0f3c","vcsBranch":"main","vcsCommitUrl":"https://code.example.com/login/commit/0f3c","vcsPullRequestUrl":null,"vcsRepoUrl":"https://code.example.com/login","commit":null,"tasks":[{"name":"review","url":"http://integrator.invalid/review","stages":["post_plan"],"enforcement":"mandatory"}],"decisions":{"confirm":"always","acceptWith":"accept-failures"}}', '{"steps":["a change"]}', NULL, true, '8a1253ddb4cfbb5c2370e4cba53c125bd76e6ab1e49196f469d32ed93fed99de', NULL, NULL, NULL, false, NULL, NULL, 4)
--
INSERT INTO public.task_results VALUES ('e294a0c8-1174-4960-bad6-401720c74548', 'run-7166c9804ce86adc80194f29', 'post_plan', 0, 'review', 'http://integrator.invalid/review', 'mandatory', '{"retryForMs": 600000, "retryPauseMs": 1000, "finalStatusMs": 600000}', 'failed', 'no', NULL, '[]', '2026-12-01 12:00:00+00', NULL, '2026-12-01 12:10:00+00', '2026-12-01 12:00:00+00', 1, NULL, '2026-12-01 12:00:00+00', NULL)
--
INSERT INTO public.task_results VALUES ('2a93cad7-7f24-4585-b602-730d95358c56', 'run-2da7e0491ab1d4433cb09f67', 'post_plan', 0, 'review', 'http://integrator.invalid/review', 'mandatory', '{"retryForMs": 600000, "retryPauseMs": 1000, "finalStatusMs": 600000}', 'running', NULL, NULL, '[{"outcomeId":"first","description":"first"}]', '2026-12-01 12:00:00+00', '2026-12-01 12:00:00+00', '2026-12-01 12:10:00+00', '2026-12-01 12:00:00+00', 1, NULL, NULL, NULL)
--
INSERT INTO public.task_results VALUES ('44825ca9-0913-4a07-a384-2302b4001db6', 'run-1e314e1f32de85f7611c7747', 'post_plan', 0, 'review', 'http://integrator.invalid/review', 'mandatory', '{"retryForMs": 600000, "retryPauseMs": 1000, "finalStatusMs": 600000}', 'pending', NULL, NULL, '[]', '2026-12-01 12:00:00+00', NULL, '2026-12-01 12:10:00+00', NULL, 1, 'answered with 500 instead of 200', NULL, NULL)
--
INSERT INTO public.verifications VALUES ('accepting', 'review', 'c0c2a5afdf74d13be34cc657d395e35fc45a6fa4c1c9052c4c5c1fc0fdb2b70574d93651e3d3cbeb6473bd0697954c9e42fff7767102b346921619f5a06ad7a6', '2026-12-01 12:00:00+00', NULL)
--
INSERT INTO public.verifications VALUES ('reviewing', 'review', 'c0c2a5afdf74d13be34cc657d395e35fc45a6fa4c1c9052c4c5c1fc0fdb2b70574d93651e3d3cbeb6473bd0697954c9e42fff7767102b346921619f5a06ad7a6', '2026-12-01 12:00:00+00', NULL)
--
INSERT INTO public.verifications VALUES ('sending', 'review', 'c0c2a5afdf74d13be34cc657d395e35fc45a6fa4c1c9052c4c5c1fc0fdb2b70574d93651e3d3cbeb6473bd0697954c9e42fff7767102b346921619f5a06ad7a6', '2026-12-01 12:00:00+00', NULL)
--
SELECT pg_catalog.setval('public.apply_log_number_seq', 1, false)
--
SELECT pg_catalog.setval('public.callbacks_id_seq', 2, true)
--
SELECT pg_catalog.setval('public.decisions_number_seq', 1, false)
--
SELECT pg_catalog.setval('public.runs_number_seq', 6, true)
--
ALTER TABLE ONLY pgboss.bam
    ADD CONSTRAINT bam_pkey PRIMARY KEY (id)
--
ALTER TABLE ONLY pgboss.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (name, id)
--
ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT job_common_pkey PRIMARY KEY (name, id)
--
ALTER TABLE ONLY pgboss.job_dependency
    ADD CONSTRAINT job_dependency_pkey PRIMARY KEY (child_name, child_id, parent_name, parent_id)
--
ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (name)
--
ALTER TABLE ONLY pgboss.queue_stats
    ADD CONSTRAINT queue_stats_pkey PRIMARY KEY (id, captured_on)
--
ALTER TABLE ONLY pgboss.queue_stats_20261123
    ADD CONSTRAINT queue_stats_20261123_pkey PRIMARY KEY (id, captured_on)
--
ALTER TABLE ONLY pgboss.queue_stats_20261124
    ADD CONSTRAINT queue_stats_20261124_pkey PRIMARY KEY (id, captured_on)
--
ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (name, key)
--
ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (event, name)
--
ALTER TABLE ONLY pgboss.version
    ADD CONSTRAINT version_pkey PRIMARY KEY (version)
--
ALTER TABLE ONLY pgboss.warning
    ADD CONSTRAINT warning_pkey PRIMARY KEY (id)
--
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (hash)
--
ALTER TABLE ONLY public.apply_log
    ADD CONSTRAINT apply_log_pkey PRIMARY KEY (number)
--
ALTER TABLE ONLY public.callbacks
    ADD CONSTRAINT callbacks_pkey PRIMARY KEY (id)
--
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (number)
--
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_endpoint_task_result_id_stage_key UNIQUE (endpoint, task_result_id, stage)
--
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id)
--
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name)
--
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_number_key UNIQUE (number)
--
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id)
--
ALTER TABLE ONLY public.task_results
    ADD CONSTRAINT task_results_pkey PRIMARY KEY (id)
--
ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (stack, name)
--
CREATE UNIQUE INDEX job_common_i1 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'created'::pgboss.job_state) AND (policy = 'short'::text))
--
CREATE INDEX job_common_i10 ON pgboss.job_common USING btree (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked) AND (policy = 'key_strict_fifo'::text))
--
CREATE INDEX job_common_i11 ON pgboss.job_common USING btree (name, priority DESC, created_on, start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked))
--
CREATE INDEX job_common_i12 ON pgboss.job_common USING btree (source_root_id) WHERE (source_root_id IS NOT NULL)
--
CREATE UNIQUE INDEX job_common_i2 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss.job_state) AND (policy = 'singleton'::text))
--
CREATE UNIQUE INDEX job_common_i3 ON pgboss.job_common USING btree (name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'stately'::text))
--
CREATE UNIQUE INDEX job_common_i4 ON pgboss.job_common USING btree (name, singleton_on, COALESCE(singleton_key, ''::text)) WHERE ((state <> 'cancelled'::pgboss.job_state) AND (singleton_on IS NOT NULL))
--
CREATE UNIQUE INDEX job_common_i6 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'exclusive'::text))
--
CREATE INDEX job_common_i7 ON pgboss.job_common USING btree (name, group_id) WHERE ((state = 'active'::pgboss.job_state) AND (group_id IS NOT NULL))
--
CREATE UNIQUE INDEX job_common_i8 ON pgboss.job_common USING btree (name, singleton_key) WHERE ((state = ANY (ARRAY['active'::pgboss.job_state, 'retry'::pgboss.job_state, 'failed'::pgboss.job_state])) AND (policy = 'key_strict_fifo'::text))
--
CREATE INDEX job_common_i9 ON pgboss.job_common USING btree (name, id) WHERE (blocking AND (state = 'completed'::pgboss.job_state))
--
CREATE INDEX job_dep_parent_idx ON pgboss.job_dependency USING btree (parent_name, parent_id)
--
CREATE INDEX queue_stats_i1 ON ONLY pgboss.queue_stats USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count)
--
CREATE INDEX queue_stats_20261123_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261123 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count)
--
CREATE INDEX queue_stats_20261124_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261124 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count)
--
CREATE INDEX warning_i1 ON pgboss.warning USING btree (created_on DESC)
--
CREATE INDEX access_tokens_of_task ON public.access_tokens USING btree (task_result)
--
CREATE INDEX apply_log_run ON public.apply_log USING btree (run, number)
--
CREATE INDEX callbacks_delivery ON public.callbacks USING btree (delivery, at)
--
CREATE INDEX decisions_run ON public.decisions USING btree (run, number)
--
CREATE INDEX deliveries_ended ON public.deliveries USING btree (ended_at) WHERE (ended_at IS NOT NULL)
--
CREATE INDEX deliveries_open ON public.deliveries USING btree (status) WHERE (ended_at IS NULL)
--
CREATE INDEX deliveries_received ON public.deliveries USING btree (received_at DESC)
--
CREATE INDEX deliveries_run ON public.deliveries USING btree (endpoint, run_id) WHERE (plan_digest IS NOT NULL)
--
CREATE INDEX runs_ended ON public.runs USING btree (ended_at) WHERE (ended_at IS NOT NULL)
--
CREATE UNIQUE INDEX runs_one_at_work ON public.runs USING btree (stack) WHERE ((ended_at IS NULL) AND (status <> 'pending'::text))
--
CREATE INDEX runs_open ON public.runs USING btree (status) WHERE (ended_at IS NULL)
--
CREATE INDEX runs_waiting ON public.runs USING btree (stack, number) WHERE (status = 'pending'::text)
--
CREATE UNIQUE INDEX task_results_counting ON public.task_results USING btree (run, stage, name) WHERE (superseded_at IS NULL)
--
CREATE INDEX task_results_open ON public.task_results USING btree (deadline) WHERE (ended_at IS NULL)
--
ALTER INDEX pgboss.job_pkey ATTACH PARTITION pgboss.job_common_pkey
--
ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261123_name_captured_on_deferred_count_queued_idx
--
ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261123_pkey
--
ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261124_name_captured_on_deferred_count_queued_idx
--
ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261124_pkey
--
ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED
--
ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED
--
ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_dead_letter_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name)
--
ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE
--
ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE
--
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_task_result_fkey FOREIGN KEY (task_result) REFERENCES public.task_results(id)
--
ALTER TABLE ONLY public.apply_log
    ADD CONSTRAINT apply_log_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id) ON DELETE CASCADE
--
ALTER TABLE ONLY public.callbacks
    ADD CONSTRAINT callbacks_delivery_fkey FOREIGN KEY (delivery) REFERENCES public.deliveries(id) ON DELETE CASCADE
--
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id) ON DELETE CASCADE
--
ALTER TABLE ONLY public.task_results
    ADD CONSTRAINT task_results_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id)
