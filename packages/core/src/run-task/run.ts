import { z } from 'zod';
import { EnforcementLevel } from '../graph/values/enforcement-level.ts';
import type { PolicyName } from '../graph/values/name-key.ts';
import { Stage } from '../graph/values/stage.ts';
import { limits } from './limits.ts';
import { outcome } from './outcome.ts';
import { TaskStatus } from './task-result.ts';

// Runs as the platform's API has them (docs/deploy.md): for the platform, its pages and its clients. Times are ISO 8601 in
// UTC. Nothing contains a secret.

/** The status of a run. In the four stages it waits for its run tasks. */
export const RunStatus = {
  /** Waiting for its turn: the runs of a stack take turns. */
  pending: 'pending',
  prePlan: 'pre_plan',
  planning: 'planning',
  postPlan: 'post_plan',
  /** A mandatory run task did not pass: a person accepts it, retries it, or discards the plan. */
  waitingForAcceptance: 'waiting_for_acceptance',
  /** Between `post_plan` and `pre_apply`: a person confirms the plan, or discards it. */
  waitingForConfirmation: 'waiting_for_confirmation',
  preApply: 'pre_apply',
  applying: 'applying',
  postApply: 'post_apply',
  /** There was nothing to apply, or the run only plans. */
  plannedAndFinished: 'planned_and_finished',
  applied: 'applied',
  /** A mandatory run task did not pass. */
  stopped: 'stopped',
  errored: 'errored',
  canceled: 'canceled',
  /** A person decided against the plan. */
  discarded: 'discarded',
} as const;
export type RunStatus = (typeof RunStatus)[keyof typeof RunStatus];

const ends: readonly string[] = [
  RunStatus.plannedAndFinished,
  RunStatus.applied,
  RunStatus.stopped,
  RunStatus.errored,
  RunStatus.canceled,
  RunStatus.discarded,
];

/** Whether a run in this status is over. */
export function isEnd(status: string): boolean {
  return ends.includes(status);
}

/** Whether it goes on only once a person decides. */
export function isWaiting(status: string): boolean {
  return status === RunStatus.waitingForAcceptance || status === RunStatus.waitingForConfirmation;
}

/** Until it starts to apply. */
export function isCancelable(status: string): boolean {
  return !isEnd(status) && status !== RunStatus.applying && status !== RunStatus.postApply;
}

/** A text that a person wrote, and a database can store. */
const written = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .refine((message) => !message.includes('\0') && message.isWellFormed(), 'must be text');

/** What a new run is asked for with. */
export const newRun = z.strictObject({
  stack: written(100).min(1),
  message: written(limits.message).default(''),
  /** Plan only. */
  speculative: z.boolean().default(false),
  /** Also with files that are not committed, which no run task can download. */
  allowUncommitted: z.boolean().default(false),
});

const why = {
  reason: written(limits.message)
    .transform((message) => message || undefined)
    .optional(),
};
const which = {
  /** The digest of the plan that the person looked at, if known: another one is refused. */
  planDigest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
};
/** By its name, or by its id. */
const task = written(100).min(1);

/** What people decide about a run: bodies by the last part of their path. */
export const runDecisions = {
  confirm: z.strictObject({ ...why, ...which }),
  discard: z.strictObject({ ...why, ...which }),
  /** A mandatory run task that did not pass counts as if it had. */
  accept: z.strictObject({ task, reason: written(limits.message).min(1), ...which }),
  retry: z.strictObject({ task, ...why, ...which }),
  cancel: z.strictObject(why),
};
type Verb = keyof typeof runDecisions;
/** What people can decide about a run. */
export const decisionVerbs = Object.keys(runDecisions) as Verb[];
/** What is sent to decide about a run. */
export type RunDecision = { [One in Verb]: { verb: One } & z.input<(typeof runDecisions)[One]> }[Verb];

/** How a decision is called once it is taken. */
export const decisionKinds = {
  confirm: 'confirmed',
  discard: 'discarded',
  accept: 'accepted',
  retry: 'retried',
  cancel: 'canceled',
} as const satisfies Record<Verb, string>;
/** What a decision is recorded as. */
export type DecisionKind = (typeof decisionKinds)[Verb];

/** A resource that a plan changes. */
export interface PlannedChange {
  /** `same` for one that is listed only because something below it changes. */
  kind: 'create' | 'update' | 'replace' | 'delete' | 'read' | 'import' | 'discard' | 'same';
  /** As people say it, such as `role web`. */
  title: string;
  /** Property differences in lines, such as `ttl: 10m → 15m`. Defaults to none. */
  differences?: string[];
  children: PlannedChange[];
}

/** A file that a plan read, and that integrators may download. */
export interface PlannedFile {
  /** Below the project's folder. */
  path: string;
  /** SHA-256 of its content, in hex; of a link, that of its target. */
  digest: string;
  /** As git has it: `100644`, `100755` for one that can be run, `120000` for a link. */
  mode: string;
}

/** What a plan changes, for people. */
export interface PlannedChanges {
  /** Resources by kind of change. */
  counts: Partial<Record<PlannedChange['kind'], number>>;
  /** Those that change, each under its parent. */
  resources: PlannedChange[];
  /** How many more change than are listed. */
  unlisted: number;
  /** The files that were planned. Defaults to none: the project is in no repository. */
  files?: PlannedFile[];
  /** What it was planned without, in sentences. Defaults to nothing. */
  limits?: string[];
}

const text = z.string().nullable();
const policyName: z.ZodType<PolicyName> = z.object({ namespace: z.string(), name: z.string() });

/** A run as lists have it. */
export const listedRun = z.object({
  id: z.string(),
  stack: z.string(),
  /** May be unknown to this version. */
  status: z.string(),
  message: z.string(),
  /** Plan only. */
  isSpeculative: z.boolean(),
  createdBy: z.string(),
  createdAt: z.string(),
  /** Whether the plan changes anything. This and the next three are null before there is a plan. */
  hasChanges: z.boolean().nullable(),
  /** SHA-256 of its canonical JSON. A decision holds for this plan only. */
  planDigest: text,
  /** Whether access is gained by it. */
  gains: z.enum(['none', 'some', 'unknown']).nullable(),
  /** What becomes of how long tokens live, and how often they can be used. */
  life: z.enum(['longer', 'shorter', 'same', 'unknown']).nullable(),
  /** Whether deployments of the stack are asked for less from now on. */
  gate: z.enum(['same', 'weaker']).nullable(),
  /** What the review says in a sentence, then who gains what, or what is missing to judge it. */
  gained: z.array(z.string()).nullable(),
  /** Who loses what. */
  lost: z.array(z.string()).nullable(),
  /** What the plan changes, such as `1 to update: role web`. */
  summary: text,
  /** First line of the commit's message; null for files that are not those of a commit. */
  commitMessage: text,
  /** Namespace of the stack's service; null for its root. */
  namespace: text,
  /** Whether the plan was applied, whatever happened afterwards. */
  hasApplied: z.boolean(),
  /** Why it ended as it did, if that is not obvious. */
  reason: text,
  endedAt: text,
  /** Grows with every change of the run or one of its tasks. */
  version: z.number(),
});
/** A run, as a list has it. */
export type ListedRun = z.output<typeof listedRun>;

/** The schema of a `TaskView`. */
export const taskView = z.object({
  id: z.string(),
  stage: z.enum(Stage),
  name: z.string(),
  enforcement: z.enum(EnforcementLevel),
  status: z.enum(TaskStatus),
  message: text,
  url: text,
  outcomes: z.array(outcome),
  requestedAt: z.string(),
  acceptedAt: text,
  attempts: z.number(),
  trouble: text,
  endedAt: text,
  /** When it was retried, as another task: its own result no longer counts. */
  supersededAt: text,
  /** When its time is over, while it is open. */
  deadlineAt: text,
});
/** A task of a run, as the API answers it. */
export type TaskView = z.output<typeof taskView>;

/** A decision, as the API answers it. */
export const decisionView = z.object({
  kind: z.string(),
  /** Id of the task, of those that concern one. */
  task: text,
  by: z.string(),
  /** Entity of that person at the secrets service: names may be given twice. Null for one without. */
  entity: text,
  decidedAt: z.string(),
  reason: text,
  /** The digest of the plan that it is about; null before there is one. */
  planDigest: text,
});

/** Whether the address of a run task answered the last verification request, and why not. */
export const verificationView = z.object({ name: z.string(), verifiedAt: text, trouble: text });

/** A run, with all there is about it. */
export const runView = listedRun.extend({
  /** What the plan changes; null before there is one. */
  changes: z.custom<PlannedChanges>().nullable(),
  /** What the apply has done so far, in lines. */
  applyLog: z.array(z.string()),
  /** In the order in which they were asked. */
  tasks: z.array(taskView),
  decisions: z.array(decisionView),
  verifications: z.array(verificationView),
  /** Ids of the tasks whose failure a person has to accept for the run to go on. */
  toAccept: z.array(z.string()),
  /** Names of the run tasks that the stack declares. */
  declaredTasks: z.array(z.string()),
  /** When it entered each status after `pending`, the oldest first. A retry may lead to a status again. */
  statusTimes: z.array(z.object({ status: z.string(), at: z.string() })),
  /** The run of the stack that this one waits behind; null once its turn came. */
  ahead: z.object({ id: z.string(), status: z.string() }).nullable(),
  /** Whether the stack's files differ from those of the commit. */
  hasUncommittedChanges: z.boolean(),
  /** Commit of the stack's files, and its page; null where git knows none. */
  commit: text,
  commitUrl: text,
  /** Policy of the people who may accept a mandatory task that did not pass. */
  acceptWith: policyName.nullable(),
});
/** A run, as the API answers it. */
export type RunView = z.output<typeof runView>;

/** The tasks of a run whose failure someone may accept. */
export function tasksToAccept({ tasks, toAccept }: RunView): TaskView[] {
  return tasks.filter(({ id }) => toAccept.includes(id));
}

/** What of it a store has: times are milliseconds since 1970, and what would be null is left out. */
export type Stored<View> = StoredFields<View, NeverNull<View>> & Partial<StoredFields<View, keyof View>>;
type NeverNull<View> = { [Name in keyof View]: null extends View[Name] ? never : Name }[keyof View];
type StoredFields<View, Names extends keyof View> = {
  [Name in Names]: Name extends `${string}At` ? number : NonNullable<View[Name]>;
};

/** Exchanging signed reviews for a deploying token. */
export const tokenExchange = {
  asked: z.strictObject({
    stack: written(100).min(1),
    /** As `gatehouse review --sign` writes them. */
    statements: z.array(z.string()).min(1).max(20),
    /** SHA-256 of the plan file that is applied with it. Defaults to what the platform itself plans for the stack. */
    file: which.planDigest,
  }),
  /** The token is one of the stack's service, and a secret. */
  given: z.object({ token: z.string(), expiresAt: z.string() }),
};

/** A signed review that is kept, and what became of it. */
export const listedReview = z.object({
  /** Grows with each. */
  number: z.number(),
  /** A Sigstore bundle, as JSON. */
  statement: z.string(),
  /** Of a review by the platform itself; null once the run is deleted, too. */
  run: text,
  /** When a token was given for it, or its run began to apply, and to whom. */
  takenAt: text,
  takenBy: text,
  /** When its run had applied it. */
  appliedAt: text,
});
/** Any other answer. */
export const refusedRequest = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
