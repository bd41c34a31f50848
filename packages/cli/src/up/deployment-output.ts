import type { Review } from '@gatehouse/core/review';
import type { DeploymentEvent, DeploymentResult } from '@gatehouse/engine';
import type { OperationResult } from '../deployment/deployment.ts';
import type { Progress } from '../terminal/progress.ts';
import { styleFor } from '../terminal/style.ts';
import { type Terminal, widthOf } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import type { DeploymentOptions } from './deployment-options.ts';
import { deploymentText, diagnosticsText, newDiagnostics, stepText } from './deployment-text.ts';

/** What a command says of a deployment: its plan, the review, steps as they end, and how it ended. */
export class DeploymentOutput {
  readonly #verb: OperationResult['verb'];
  readonly #options: DeploymentOptions;
  readonly #terminal: Terminal;
  readonly #progress: Progress;
  /** Whether each step has a line as it ends, as in a file or a pipe. A terminal shows progress; a refresh has no such steps. */
  readonly #hasSteps: boolean;
  #planned: DeploymentResult | undefined;

  /** @param terminal with the environment of the stack */
  constructor(
    verb: OperationResult['verb'],
    options: DeploymentOptions,
    terminal: Terminal,
    progress: Progress,
  ) {
    this.#verb = verb;
    this.#options = options;
    this.#terminal = terminal;
    this.#progress = progress;
    const { stdout, stderr } = terminal;
    this.#hasSteps = !options.json && verb !== 'refresh' && !(stdout.isTTY && stderr.isTTY);
  }

  step(event: DeploymentEvent): void {
    if (!this.#hasSteps || (event.type !== 'step-done' && event.type !== 'step-failed')) return;
    const line = stepText(event.step);
    if (line === undefined) return;
    this.#progress.clear();
    this.#terminal.stdout.write(`${line}\n`);
  }

  /** @param all with what `details` shows. Defaults to what `--verbose` says. */
  async plan(deployment: DeploymentResult, review?: Review, all = this.#options.verbose): Promise<void> {
    if (this.#options.json) return;
    this.result({ verb: this.#verb, outcome: 'succeeded', applied: false, deployment }, all);
    this.#planned = deployment;
    if (review !== undefined) await this.review(review, all);
  }

  async review(review: Review, all = this.#options.verbose): Promise<void> {
    if (this.#options.json || review.resources.changed === 0) return;
    const { stdout, env } = this.#terminal;
    const { reviewText } = await import('../review/review-text.ts');
    this.#progress.clear();
    const layout = { columns: widthOf(stdout, env), all };
    writeText(stdout, env, `\n${reviewText(review, styleFor(stdout, env), layout)}\n`);
  }

  result(result: OperationResult, all = this.#options.verbose ?? false): void {
    this.#progress.clear();
    const { stdout, stderr, env } = this.#terminal;
    const planned = result.applied ? this.#planned : undefined;
    const isNamed = result.applied && (planned !== undefined || this.#hasSteps);
    writeText(stdout, env, deploymentText(result, { style: styleFor(stdout, env), verbose: all, isNamed }));
    writeText(stderr, env, diagnosticsText(newDiagnostics(result, planned), styleFor(stderr, env), all));
  }
}
