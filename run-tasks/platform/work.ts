import type { EnforcementLevel } from '../../core/model/values/enforcement-level.ts';
import type { Stage } from '../../core/run-task/stage.ts';

/** A run task as a stack declares it. */
export interface DeclaredRunTask {
  /** Unique in its stack. */
  name: string;
  url: string;
  stages: Stage[];
  enforcement: EnforcementLevel;
}

/** What a run is about: what the payload of its run tasks tells (interface.md A1). */
export interface RunDescription {
  organizationName: string;
  workspaceId: string;
  workspaceName: string;
  workspaceWorkingDirectory: string | null;
  configurationVersionId: string | null;
  vcsBranch: string | null;
  vcsCommitUrl: string | null;
  vcsPullRequestUrl: string | null;
  vcsRepoUrl: string | null;
  tasks: DeclaredRunTask[];
}

export interface Planned {
  /** What `plan_json_api_url` serves. Holds no secret. */
  json: unknown;
  hasChanges: boolean;
}

/** What the platform has done for a run. It knows neither engines nor stack files. */
export interface Work {
  /** @throws GatehouseError where the stack cannot be read */
  describe(stack: string): Promise<RunDescription>;
  /**
   * The key that signs the requests of one of the stack's run tasks; undefined where none is set. It is asked for anew
   * for each request, and never stored.
   *
   * @throws GatehouseError where the stack declares no such task any more, or cannot be read
   */
  signingKey(stack: string, task: string): Promise<string | undefined>;
  /** @throws GatehouseError where it cannot be planned */
  plan(stack: string, options: { isSpeculative: boolean }): Promise<Planned>;
  /**
   * Applies this plan, or refuses: where another one has come of it meanwhile. Called again after a crash in its
   * midst, and never while a call for the same run is under way.
   *
   * @param options.isResumed part of the plan may be applied already
   */
  apply(
    stack: string,
    plan: unknown,
    options: { isResumed: boolean },
  ): Promise<{ succeeded: boolean; message: string }>;
}
