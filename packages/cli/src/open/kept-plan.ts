import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { unknownText } from '@gatehouse/core/values';
import {
  type DeploymentRequest,
  type DeploymentResult,
  type Engine,
  maskedProperties,
  plannedPreview,
  type ResourceState,
  type Stack,
} from '@gatehouse/engine';
import { KeptOutcome } from './kept-outcome.ts';
import { openEnvironment } from './open-environment.ts';

/**
 * The local engine for a preview. A plan is made from the program and the state alone, as the engine answers no question of a
 * program about the service: one that changes nothing is kept, without secrets, and stands while neither changes. All else, such
 * as checks and the review, is done each time.
 */
export class PreviewEngine implements Engine {
  readonly #env: NodeJS.ProcessEnv;
  readonly #open: () => Promise<Engine>;
  readonly #ownFolder: string;
  readonly #now: (() => number) | undefined;

  /**
   * @param open loads the engine, which takes longer than all else
   * @param options.ownFolder Gatehouse's own folder. Defaults to where this file is.
   * @param options.now milliseconds since 1970. Defaults to the system's clock.
   */
  constructor(
    env: NodeJS.ProcessEnv,
    open: () => Promise<Engine>,
    {
      ownFolder = join(import.meta.dirname, '../../../..'),
      now,
    }: { ownFolder?: string; now?: () => number } = {},
  ) {
    this.#env = env;
    this.#open = open;
    this.#ownFolder = ownFolder;
    this.#now = now;
  }

  async run(request: DeploymentRequest): Promise<DeploymentResult> {
    const startedAt = Date.now();
    const kept = isPlain(request) ? this.#keptPlan(request.stack) : undefined;
    const unchanged = await kept?.unchanged();
    if (unchanged !== undefined) return { ...unchanged, durationMs: Date.now() - startedAt };
    const plan = await (await this.#open()).run(request);
    const printed = keepable(plan);
    await (printed === undefined ? kept?.forget() : kept?.keep(printed));
    return plan;
  }

  async exportState(stack: Stack): Promise<unknown> {
    return (await this.#open()).exportState(stack);
  }

  /** Kept for this project's own program alone, and only where nothing outside of it has a part in the plan. */
  #keptPlan(stack: Stack): KeptOutcome<DeploymentResult> | undefined {
    const isOwn = stack.directory === this.#ownFolder && stack.importsAt === undefined;
    if (!isOwn || this.#env['PULUMI_CONFIG_PASSPHRASE_FILE'] || readsCluster(stack, this.#env))
      return undefined;
    return new KeptOutcome({
      stack,
      env: this.#env,
      path: join(stack.home, 'previews', stack.project, `${stack.name}.json`),
      dependsOn: async () => ({ config: [...stack.config] }),
      ownFolder: this.#ownFolder,
      now: this.#now,
    });
  }
}

/** Whether a program reads the keys or the issuer of a cluster, or what its stack declares is not known. */
function readsCluster(stack: Stack, env: NodeJS.ProcessEnv): boolean {
  const environment = openEnvironment(stack, env);
  return environment === undefined || JSON.stringify(environment).includes('"apiServer"');
}

/** Whether all of a stack is planned, from its program and state alone. */
function isPlain({ verb, refresh, targets, excludes = [], imports, policyPacks = [] }: DeploymentRequest) {
  const isWhole = targets.length === 0 && excludes.length === 0;
  return verb === 'preview' && !refresh && isWhole && imports === undefined && policyPacks.length === 0;
}

/** A plan that changes nothing, without secrets, if every reader takes it for the plan itself. */
function keepable(plan: DeploymentResult): DeploymentResult | undefined {
  const isUnchanged = plan.succeeded && plan.steps.every(({ op }) => op === 'same');
  if (!isUnchanged || plan.diagnostics.length > 0) return undefined;
  const text = JSON.stringify({
    ...plan,
    outputs: maskedProperties(plan.outputs),
    steps: plan.steps.map(({ oldState, newState, ...step }) => ({
      ...step,
      ...(oldState && { oldState: maskedState(oldState) }),
      ...(newState && { newState: maskedState(newState) }),
    })),
  });
  if (text.includes(unknownText)) return undefined;
  const printed: DeploymentResult = JSON.parse(text);
  return isDeepStrictEqual(readerViewOf(printed), readerViewOf(plan)) ? printed : undefined;
}

function maskedState({ inputs, outputs, ...state }: ResourceState): ResourceState {
  return { ...state, inputs: maskedProperties(inputs), outputs: maskedProperties(outputs) };
}

function readerViewOf(plan: DeploymentResult): unknown {
  return JSON.parse(JSON.stringify([plannedPreview(plan), maskedProperties(plan.outputs), plan.changes]));
}
