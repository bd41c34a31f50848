-- A store as Gatehouse made it in seven steps, up to 0007-any-name: pg_dump --inserts, without settings.
CREATE TABLE public.access_tokens (
    hash text NOT NULL,
    task_result text NOT NULL
);
CREATE TABLE public.apply_log (
    number bigint NOT NULL,
    run text NOT NULL,
    line text NOT NULL
);
ALTER TABLE public.apply_log ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.apply_log_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.callbacks (
    id bigint NOT NULL,
    delivery uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    status text NOT NULL,
    http_status integer,
    error text
);
ALTER TABLE public.callbacks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.callbacks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
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
);
ALTER TABLE public.decisions ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.decisions_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
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
);
CREATE TABLE public.migrations (
    name text NOT NULL,
    at timestamp with time zone DEFAULT now()
);
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
    has_changes boolean,
    apply_begun_at timestamp with time zone,
    has_applied boolean DEFAULT false NOT NULL,
    reason text,
    ended_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    plan_digest text,
    gains text,
    gained json,
    changes json
);
ALTER TABLE public.runs ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.runs_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.task_results (
    id text NOT NULL,
    run text NOT NULL,
    stage text NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    request_url text NOT NULL,
    enforcement text NOT NULL,
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
    timing jsonb DEFAULT '{"retryForMs": 600000, "retryPauseMs": 1000, "finalStatusMs": 600000}'::jsonb NOT NULL,
    superseded_at timestamp with time zone
);
CREATE TABLE public.verifications (
    stack text NOT NULL,
    name text NOT NULL,
    fingerprint text NOT NULL,
    verified_at timestamp with time zone,
    trouble text
);
INSERT INTO public.access_tokens VALUES ('a hash', 'task-1');
INSERT INTO public.apply_log OVERRIDING SYSTEM VALUE VALUES (1, 'run-1', 'created Role web');
INSERT INTO public.callbacks OVERRIDING SYSTEM VALUE VALUES (1, '0b7e2c1e-0000-4000-8000-000000000001', '2026-11-20 10:00:00+00', 'failed', 503, NULL);
INSERT INTO public.decisions OVERRIDING SYSTEM VALUE VALUES (1, 'run-1', 'accepted', 'task-1', 'carol', '2026-11-20 10:00:00+00', 'known', 'a');
INSERT INTO public.deliveries VALUES ('0b7e2c1e-0000-4000-8000-000000000001', 'review', 'task-1', 'post_plan', 'run-1', '{"workspace_name":"dev"}', 'a token', NULL, 'reviewed', 0, '{"status":"failed","outcomes":[]}', 0, NULL, '2026-11-20 10:00:00+00', '2026-11-20 10:00:00+00', NULL);
INSERT INTO public.migrations VALUES ('0001-integrator', '2026-11-23 12:36:25.949581+00');
INSERT INTO public.migrations VALUES ('0002-platform', '2026-11-23 12:36:25.949581+00');
INSERT INTO public.migrations VALUES ('0003-indexes', '2026-11-23 12:36:25.949581+00');
INSERT INTO public.migrations VALUES ('0004-decisions', '2026-11-23 12:36:25.949581+00');
INSERT INTO public.migrations VALUES ('0005-changes', '2026-11-23 12:36:25.949581+00');
INSERT INTO public.migrations VALUES ('0006-apply-log', '2026-11-23 12:36:25.949581+00');
INSERT INTO public.migrations VALUES ('0007-any-name', '2026-11-23 12:36:25.949581+00');
INSERT INTO public.runs OVERRIDING SYSTEM VALUE VALUES ('run-1', 1, 'dev', 'applied', 'a change', false, 'alice', '2026-11-20 10:00:00+00', '{"tasks":[{"name":"review","url":"https://review.example.com","stages":["post_plan"],"enforcement":"mandatory"}]}', '{"steps":["a change"]}', true, '2026-11-20 10:00:00+00', true, NULL, '2026-11-20 10:00:00+00', 9, 'a', 'some', '["role reader"]', '{"counts":{"create":1},"resources":[],"unlisted":0}');
INSERT INTO public.runs OVERRIDING SYSTEM VALUE VALUES ('run-2', 2, 'dev', 'pending', 'the next one', false, 'bob', '2026-11-20 10:00:00+00', '{"tasks":[]}', NULL, NULL, NULL, false, NULL, NULL, 1, NULL, NULL, NULL, NULL);
INSERT INTO public.task_results VALUES ('task-1', 'run-1', 'post_plan', 0, 'review', 'https://review.example.com', 'mandatory', 'failed', 'no', NULL, '[{"outcomeId":"a","description":"b"}]', '2026-11-20 10:00:00+00', NULL, '2026-11-20 10:00:00+00', '2026-11-20 10:00:00+00', 1, NULL, '2026-11-20 10:00:00+00', '{"retryForMs": 600000, "retryPauseMs": 1000, "finalStatusMs": 600000}', NULL);
INSERT INTO public.verifications VALUES ('dev', 'review', 'f', '2026-11-20 10:00:00+00', NULL);
SELECT pg_catalog.setval('public.apply_log_number_seq', 1, true);
SELECT pg_catalog.setval('public.callbacks_id_seq', 1, true);
SELECT pg_catalog.setval('public.decisions_number_seq', 1, true);
SELECT pg_catalog.setval('public.runs_number_seq', 2, true);
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.apply_log
    ADD CONSTRAINT apply_log_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.callbacks
    ADD CONSTRAINT callbacks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_endpoint_task_result_id_stage_key UNIQUE (endpoint, task_result_id, stage);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_number_key UNIQUE (number);
ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.task_results
    ADD CONSTRAINT task_results_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (stack, name);
CREATE INDEX access_tokens_of_task ON public.access_tokens USING btree (task_result);
CREATE INDEX apply_log_run ON public.apply_log USING btree (run, number);
CREATE INDEX callbacks_delivery ON public.callbacks USING btree (delivery, at);
CREATE INDEX decisions_run ON public.decisions USING btree (run, number);
CREATE INDEX deliveries_ended ON public.deliveries USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX deliveries_open ON public.deliveries USING btree (status) WHERE (ended_at IS NULL);
CREATE INDEX deliveries_received ON public.deliveries USING btree (received_at DESC);
CREATE INDEX deliveries_run ON public.deliveries USING btree (endpoint, run_id) WHERE (plan_digest IS NOT NULL);
CREATE INDEX runs_ended ON public.runs USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE UNIQUE INDEX runs_one_at_work ON public.runs USING btree (stack) WHERE ((ended_at IS NULL) AND (status <> 'pending'::text));
CREATE INDEX runs_open ON public.runs USING btree (status) WHERE (ended_at IS NULL);
CREATE INDEX runs_waiting ON public.runs USING btree (stack, number) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX task_results_counting ON public.task_results USING btree (run, stage, name) WHERE (superseded_at IS NULL);
CREATE INDEX task_results_open ON public.task_results USING btree (deadline) WHERE (ended_at IS NULL);
ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_task_result_fkey FOREIGN KEY (task_result) REFERENCES public.task_results(id);
ALTER TABLE ONLY public.apply_log
    ADD CONSTRAINT apply_log_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.callbacks
    ADD CONSTRAINT callbacks_delivery_fkey FOREIGN KEY (delivery) REFERENCES public.deliveries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.task_results
    ADD CONSTRAINT task_results_run_fkey FOREIGN KEY (run) REFERENCES public.runs(id);
