import { jsonReport } from '@gatehouse/core/review';
import { shortened } from '@gatehouse/core/values';
import { changeOf, changeTree } from '../deployment/change-tree.ts';
import type { OperationResult } from '../deployment/deployment.ts';
import { shownProperties } from '../deployment/shown-value.ts';
import { type OfStack, resultsOf } from '../open/stack-outcomes.ts';
import { reviewText } from '../review/review-text.ts';
import { jsonText, say } from '../terminal/command.ts';
import { ofStacks } from '../terminal/each-stack.ts';
import { type FoldedForms, manyStacksText, problemLines } from '../terminal/many-stacks-text.ts';
import type { Progress } from '../terminal/progress.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import { type Terminal, widthOf } from '../terminal/terminal.ts';
import { writeText } from '../terminal/wrap.ts';
import { type DeploymentOptions, deploymentJson, exitCodes, refusal } from './deployment-options.ts';
import type { DeploymentOutcomes, DeploymentOutput, StackDeployment } from './deployment-output.ts';
import { deploymentText, diagnosticsText, summaryText } from './deployment-text.ts';

/** What a command says of several stacks: their plans once all are made, and what became of each. */
export class SeveralStacksOutput implements DeploymentOutput {
  readonly #verb: OperationResult['verb'];
  readonly #options: DeploymentOptions;
  readonly #terminal: Terminal;
  readonly #progress: Progress;
  readonly #style: Style;
  readonly #warnings = new Set<string>();

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
    this.#style = styleFor(terminal.stdout, terminal.env);
  }

  engineWarning(text: string): void {
    this.#warnings.add(text);
  }

  warn(stack: string, texts: readonly string[]): void {
    for (const text of texts) this.#warnings.add(`${stack}: ${text}`);
  }

  step(): void {}

  async planned(): Promise<void> {}

  async allPlanned(outcomes: DeploymentOutcomes): Promise<boolean> {
    this.#progress.clear();
    for (const warning of this.#warnings) say(this.#terminal, 'warning', warning);
    if (this.#verb === 'preview') return true;
    this.#show(outcomes);
    const isPlanned = (outcome: DeploymentOutcomes[number]) =>
      'result' in outcome && outcome.result.result.outcome !== 'failed';
    if (!outcomes.every(isPlanned)) {
      say(this.#terminal, 'error', 'Not every stack could be planned, so nothing was changed.');
      return false;
    }
    if (!resultsOf(outcomes).some(({ result }) => result.outcome === 'refused')) return true;
    say(this.#terminal, 'error', refusal);
    return false;
  }

  question(waiting: readonly string[]): string {
    const order = waiting.length > 1 ? `, ${waiting[0]} first` : '';
    return `Make these changes in ${shortened(waiting, 8)}${order}?`;
  }

  async details(outcomes: DeploymentOutcomes): Promise<void> {
    this.#show(outcomes, true);
  }

  applying(stack: string): void {
    this.#progress.say(`Applying ${stack} …`);
  }

  applied(stack: string, result: OperationResult): void {
    // The other stacks may take long.
    if (!this.#options.json) this.#write(`${this.#style.strong(stack)}: ${summaryText(result)}\n`);
  }

  async ended(outcomes: DeploymentOutcomes, isApplied: boolean): Promise<void> {
    if (this.#options.json) {
      const printed = ofStacks(await Promise.all(outcomes.map(withJson)), ({ json }) => json);
      this.#terminal.stdout.write(jsonText(printed));
    } else if (this.#verb === 'preview') this.#show(outcomes);
    else if (isApplied) this.#write(endsText(outcomes, this.#style, this.#options.verbose));
  }

  /** @param all with what `details` shows. Defaults to what `--verbose` says. */
  #show(outcomes: DeploymentOutcomes, all = this.#options.verbose): void {
    if (this.#options.json) return;
    const { stdout, env } = this.#terminal;
    this.#write(manyStacksText(outcomes, formsOf(all), this.#style, widthOf(stdout, env)));
  }

  #write(text: string): void {
    const { stdout, env } = this.#terminal;
    this.#progress.clear();
    writeText(stdout, env, text);
  }
}

/** @param all with what `details` shows. Defaults to false. */
function formsOf(all = false): FoldedForms<StackDeployment> {
  return {
    content: ({ result: { outcome, deployment }, review }) => [
      outcome,
      deployment.changes,
      changeTree(deployment.steps),
      shownProperties(deployment.outputs),
      // The rest of a list whose entries change is in no line of the tree.
      deployment.steps
        .filter((step) => changeOf(step) !== 'same')
        .map(({ oldState, newState }) =>
          [oldState, newState].map((state) => state && shownProperties(state.inputs)),
        ),
      deployment.diagnostics.filter(({ severity }) => severity !== 'debug'),
      review && [jsonReport(review, 'error'), review.older, review.notes, review.passedOver],
    ],
    text: ({ result, review }, heading = '', style, columns) => {
      const isReviewed = review !== undefined && review.resources.changed > 0;
      return [
        `${style.strong(heading)}\n`,
        deploymentText(result, { style, verbose: all, isTimed: false }),
        diagnosticsText(result.deployment.diagnostics, style, all),
        isReviewed ? `\n${reviewText(review, style, { columns, all })}` : '',
      ].join('');
    },
    exitCode: ({ result }) => exitCodes[result.outcome],
  };
}

/** An outcome as `--json` prints it. */
async function withJson(outcome: DeploymentOutcomes[number]): Promise<OfStack<{ json: object }>> {
  if ('problem' in outcome) return outcome;
  const { opened, result, review, isWaiting } = outcome.result;
  const printed = await deploymentJson(opened.stack, result, review);
  return { ...outcome, result: { json: isWaiting ? { ...printed, result: 'not_started' } : printed } };
}

/** Stacks that were applied, that failed and why, and that were not started. */
function endsText(outcomes: DeploymentOutcomes, style: Style, verbose = false): string {
  const namesWhere = (matches: (result: OperationResult) => boolean) =>
    outcomes.flatMap((outcome) =>
      'result' in outcome && matches(outcome.result.result) ? outcome.stack : [],
    );
  const groups = {
    applied: namesWhere(({ outcome, applied }) => outcome === 'succeeded' && applied),
    unchanged: namesWhere(({ outcome, applied }) => outcome === 'succeeded' && !applied),
    failed: outcomes.flatMap((outcome) =>
      'problem' in outcome || outcome.result.result.outcome === 'failed' ? outcome.stack : [],
    ),
    'not started': namesWhere(({ outcome }) => outcome === 'declined'),
  };
  const failures = outcomes.flatMap((outcome) => {
    if ('problem' in outcome || outcome.result.result.outcome !== 'failed') return [];
    const { diagnostics } = outcome.result.result.deployment;
    return `${style.strong(outcome.stack)}\n${diagnosticsText(diagnostics, style, verbose)}`;
  });
  return [
    '',
    ...failures,
    ...problemLines(outcomes),
    ...Object.entries(groups).flatMap(([what, names]) =>
      names.length === 0 ? [] : `${style.strong(`${names.length} ${what}`)}: ${shortened(names, 40)}`,
    ),
    '',
  ].join('\n');
}
