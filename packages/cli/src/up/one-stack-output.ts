import type { Review } from '@gatehouse/core/review';
import type { DeploymentEvent, DeploymentResult } from '@gatehouse/engine';
import type { OperationResult } from '../deployment/deployment.ts';
import { resultsOf } from '../open/stack-outcomes.ts';
import { jsonText, say } from '../terminal/command.ts';
import type { Progress } from '../terminal/progress.ts';
import { printable, styleFor } from '../terminal/style.ts';
import { type Terminal, widthOf } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import { type DeploymentOptions, deploymentJson, refusal } from './deployment-options.ts';
import type { DeploymentOutcomes, DeploymentOutput, StackDeployment } from './deployment-output.ts';
import { deploymentText, diagnosticsText, newDiagnostics, stepText } from './deployment-text.ts';

/** What a command says of one stack: its plan, the review, steps as they end, and how it ended. */
export class OneStackOutput implements DeploymentOutput {
  readonly #verb: OperationResult['verb'];
  readonly #question: string;
  readonly #options: DeploymentOptions;
  readonly #terminal: Terminal;
  readonly #progress: Progress;
  /** Whether each step has a line as it ends, as in a file or a pipe. A terminal shows progress; a refresh has no such steps. */
  readonly #hasSteps: boolean;
  #planned: DeploymentResult | undefined;

  /** @param question whether to apply a plan */
  constructor(
    verb: OperationResult['verb'],
    question: string,
    options: DeploymentOptions,
    terminal: Terminal,
    progress: Progress,
  ) {
    this.#verb = verb;
    this.#question = question;
    this.#options = options;
    this.#terminal = terminal;
    this.#progress = progress;
    const { stdout, stderr } = terminal;
    this.#hasSteps = !options.json && verb !== 'refresh' && !(stdout.isTTY && stderr.isTTY);
  }

  engineWarning(text: string): void {
    say(this.#terminal, 'warning', text);
  }

  warn(_stack: string, texts: readonly string[]): void {
    this.#progress.clear();
    for (const text of texts) say(this.#terminal, 'warning', text);
  }

  step(event: DeploymentEvent): void {
    if (!this.#hasSteps || (event.type !== 'step-done' && event.type !== 'step-failed')) return;
    const line = stepText(event.step);
    if (line === undefined) return;
    this.#progress.clear();
    this.#terminal.stdout.write(`${line}\n`);
  }

  async planned(plan: DeploymentResult, review: Review): Promise<void> {
    await this.#plan(plan, review, this.#options.verbose);
  }

  async allPlanned(outcomes: DeploymentOutcomes): Promise<boolean> {
    for (const { isWaiting, result, review } of resultsOf(outcomes)) {
      if (isWaiting && review === undefined)
        await this.#plan(result.deployment, review, this.#options.verbose);
    }
    return true;
  }

  question(): string {
    return this.#question;
  }

  async details(outcomes: DeploymentOutcomes): Promise<void> {
    for (const { result, review } of resultsOf(outcomes)) await this.#plan(result.deployment, review, true);
  }

  applying(): void {}

  applied(): void {}

  async ended(outcomes: DeploymentOutcomes): Promise<void> {
    this.#progress.clear();
    for (const deployment of resultsOf(outcomes)) await this.#ended(deployment);
  }

  async #ended({ opened, result, review, next }: StackDeployment): Promise<void> {
    const { stdout, env } = this.#terminal;
    if (this.#options.json) stdout.write(jsonText(await deploymentJson(opened.stack, result, review)));
    else if (result.outcome === 'refused') say(this.#terminal, 'error', refusal);
    else if (result.outcome !== 'declined') {
      this.#result(result, this.#options.verbose);
      if (this.#verb === 'preview' && review !== undefined) await this.#review(review, this.#options.verbose);
      if (next !== undefined) writeText(stdout, env, `\n${printable(next)}\n`);
    }
  }

  /** @param all with what `details` shows */
  async #plan(deployment: DeploymentResult, review: Review | undefined, all?: boolean): Promise<void> {
    if (this.#options.json) return;
    this.#result({ verb: this.#verb, outcome: 'succeeded', applied: false, deployment }, all);
    this.#planned = deployment;
    if (review !== undefined) await this.#review(review, all);
  }

  async #review(review: Review, all = false): Promise<void> {
    if (review.resources.changed === 0) return;
    const { stdout, env } = this.#terminal;
    const { reviewText } = await import('../review/review-text.ts');
    this.#progress.clear();
    const layout = { columns: widthOf(stdout, env), all };
    writeText(stdout, env, `\n${reviewText(review, styleFor(stdout, env), layout)}\n`);
  }

  #result(result: OperationResult, all = false): void {
    this.#progress.clear();
    const { stdout, stderr, env } = this.#terminal;
    const planned = result.applied ? this.#planned : undefined;
    const isNamed = result.applied && (planned !== undefined || this.#hasSteps);
    writeText(stdout, env, deploymentText(result, { style: styleFor(stdout, env), verbose: all, isNamed }));
    writeText(stderr, env, diagnosticsText(newDiagnostics(result, planned), styleFor(stderr, env), all));
  }
}
