import type { Confirm } from '@gatehouse/core/environment';
import type {
  ListedRun,
  PlannedChanges,
  RunStatus,
  Stored,
  TaskStatus,
  Timing,
} from '@gatehouse/core/run-task';
import type { EnforcementLevel, PolicyName, Stage } from '@gatehouse/core/values';
import type { Log } from '../log.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';

/** A run task as a stack declares it. */
export interface DeclaredRunTask {
  /** Unique in its stack. */
  name: string;
  url: string;
  stages: Stage[];
  enforcement: EnforcementLevel;
  /** Defaults to `defaultTiming`. */
  timing?: Timing;
}

/** Which decisions of people a run waits for. */
export interface DecisionSettings {
  confirm: Confirm;
  /** Policy that accepts a mandatory task that did not pass. Defaults to none: it stops the run. */
  acceptWith?: PolicyName;
}

/** A run as the payload of its tasks describes it (docs/inside/specification.md A1). */
export interface RunDescription {
  organizationName: string;
  workspaceId: string;
  workspaceName: string;
  /** Empty for the repository's root. */
  workspaceWorkingDirectory: string;
  /** Empty without one. */
  configurationVersionId: string;
  vcsBranch: string | null;
  vcsCommitUrl: string | null;
  vcsPullRequestUrl: string | null;
  vcsRepoUrl: string | null;
  /** Defaults to none. */
  commit?: string | null;
  /** SHA-256 of the list of files that are planned, and that integrators may download. Defaults to none. */
  filesDigest?: string;
  /** The first paths of files that differ from the commit, relative to the repository. Defaults to none. */
  uncommitted?: string[];
  commitMessage?: string | null;
  tasks: DeclaredRunTask[];
  /** Namespace of the stack's service. Defaults to its root. */
  namespace?: string;
  /** Defaults to none. */
  decisions?: DecisionSettings;
}

/** A signed review. */
export interface StatedReview {
  /** SHA-256 of the plan that it is about, in hex. */
  digest: string;
  statement: string;
}

/** A token that signed reviews were exchanged for. It is a secret. */
export interface GivenToken {
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** The reviews that it was made for, each of another signer. */
  reviews: StatedReview[];
  /** Digest of the change that all of them are about. */
  change: string;
  /** Revokes it, as far as the service can be asked. */
  revoke(): Promise<void>;
}

/** A plan, as the platform stores it. */
export interface Planned {
  /** Served at `plan_json_api_url`. It contains no secret. */
  json: unknown;
  /** As in `RunDescription`, for the files that the plan read. */
  filesDigest?: string;
  hasChanges: boolean;
  /** Defaults to none: the page of the run does not show the plan then. */
  changes?: PlannedChanges;
  /** Whether principals gain access. Like the next two, it is undefined, and so unknown, if no review judged it. */
  gains?: Stored<ListedRun>['gains'];
  life?: Stored<ListedRun>['life'];
  gate?: Stored<ListedRun>['gate'];
  /** The headline of the review, then who gains what, or why that is not known. */
  gained?: string[];
  lost?: string[];
  /** Changes of the plan, such as `1 to update: role web`. */
  summary?: string;
  /** Its signed review. Defaults to none, as for a platform without a key. */
  review?: StatedReview;
}

/** The work that a run needs. The platform itself knows neither engines nor stack files. */
export interface Work {
  /**
   * @param options.withFiles whether the files are read for their digest. Defaults to true.
   * @throws GatehouseError if the stack cannot be read
   */
  describe(stack: string, options?: { withFiles?: boolean }): Promise<RunDescription>;
  /**
   * The key that signs the requests of one of the stack's run tasks, if one is set. Called for each request; the key is
   * never stored.
   *
   * @throws GatehouseError if the stack no longer declares the task, or cannot be read
   */
  signingKey(stack: string, task: string): Promise<string | undefined>;
  /** A `tar.gz` of the project's files; undefined if they no longer have this digest, or are too large. */
  archive(filesDigest: string): Promise<Buffer | undefined>;
  /** @throws GatehouseError if it cannot be planned */
  plan(stack: string, options: { isSpeculative: boolean }): Promise<Planned>;
  /**
   * Applies this plan, or refuses if planning again gives a different one. It is called again after a crash, but never
   * twice at a time for one run.
   *
   * @param options.isResumed whether part of the plan may be applied already
   * @param options.onProgress takes one line about each thing that was done, without secrets. Defaults to nothing.
   */
  apply(
    stack: string,
    plan: unknown,
    options: { isResumed: boolean; onProgress?: (line: string) => void },
  ): Promise<{ succeeded: boolean; message: string }>;
  /**
   * The signed review of a plan, signed again with the acceptance of a task that did not pass. If it cannot be signed again,
   * it is returned unchanged.
   */
  acceptedReview(
    statement: string,
    accepted: { by: string; task: string; because: string; at: string },
  ): Promise<string>;
  /**
   * Makes a token that applies a reviewed change.
   *
   * @param request.file digest of the file to apply. Defaults to what the stack plans now.
   * @param spentAt returns when a change of the stack was last let in, by its digest
   * @throws GatehouseError `review_missing`, `deploying_token_undeclared`, and what planning throws
   */
  deployingToken(
    stack: string,
    request: { statements: readonly string[]; file?: string | undefined },
    spentAt: (digest: string) => Promise<number | undefined>,
  ): Promise<GivenToken>;
}

export interface PlatformParts {
  database: Database;
  /** Started. Its owner stops it before the database is closed. */
  queue: Queue;
  outbound: Pick<Outbound, 'request'>;
  work: Work;
  /** Public address of this platform, without a trailing slash; known once its server listens. */
  address: () => string;
  /** Version of Gatehouse, for the `User-Agent`. */
  version: string;
  now: () => number;
  log: Log;
  /** Aborted when this process stops. */
  stopping: AbortSignal;
  /** Called with the status that answered each request, or `none`. */
  onAnswer: (answer: string) => void;
  /** Called for each end of a run or task once it is stored. */
  onEnd: (ended: { run: RunStatus } | { task: TaskStatus }) => void;
}
