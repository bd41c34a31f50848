import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentRequest, DeploymentResult } from '../engine.ts';
import { EventRecord, parseEngineEvent } from './event-record.ts';
import type { CliResult } from './pulumi-cli.ts';
import { reworded } from './reworded.ts';
import { StepAlarm } from './step-alarm.ts';

/**
 * Reads what a run of the CLI prints, and stops the run at a step that was not reviewed, at an event that it cannot read,
 * and when the CLI waits for ever.
 */
export class WatchedRun {
  /** Aborts when the run must stop. */
  readonly signal: AbortSignal;
  readonly #record: EventRecord;
  readonly #alarm: StepAlarm | undefined;
  readonly #continueOnError: boolean;
  readonly #patience: number;
  readonly #stuck = new AbortController();
  readonly #refused = new AbortController();
  readonly #started = performance.now();
  #patienceTimer: NodeJS.Timeout | undefined;
  #isUnreadable = false;

  /** @param patience in milliseconds: how long the CLI may do nothing after a failure with `continueOnError` */
  constructor(request: DeploymentRequest, patience: number) {
    const { reviewed, onEvent = () => {}, continueOnError } = request;
    const alarm = reviewed && new StepAlarm(reviewed.steps);
    this.#alarm = alarm;
    this.#continueOnError = continueOnError === true;
    this.#patience = patience;
    this.#record = new EventRecord((event) => {
      if (alarm?.see(event)) this.#refused.abort();
      onEvent(event);
    }, reworded);
    this.signal = AbortSignal.any([this.#stuck.signal, this.#refused.signal]);
  }

  readLine(line: string): void {
    try {
      const event = parseEngineEvent(line);
      if (event) this.#record.add(event);
      else this.#record.diagnose({ severity: 'info', message: line.trim() });
    } catch (error) {
      // An event that cannot be read cannot be compared with the review.
      this.#isUnreadable = true;
      this.#refused.abort();
      const { message, code } = error as Partial<GatehouseError> & Error;
      this.#record.diagnose({ severity: 'error', message, code });
    }
    this.#waitAfterFailure();
  }

  #waitAfterFailure(): void {
    this.stopWaiting();
    if (!this.#continueOnError || !this.#record.waitsAfterFailure) return;
    this.#patienceTimer = setTimeout(() => this.#stuck.abort(), this.#patience);
  }

  stopWaiting(): void {
    clearTimeout(this.#patienceTimer);
  }

  /** The result of a run that ended, with a diagnostic for each reason why it failed. */
  result({ code, stderr, canceled }: CliResult): DeploymentResult {
    if (this.#stuck.signal.aborted) this.#diagnose(new GatehouseError('pulumi_cli_stuck'));
    const alarms = this.#alarm?.diagnostics(code === 0) ?? [];
    for (const diagnostic of alarms) this.#record.diagnose(diagnostic);
    const succeeded = code === 0 && alarms.length === 0 && !this.#isUnreadable;
    if (canceled === true && !succeeded) {
      this.#diagnose(new GatehouseError('deployment_cancelled'));
      return { ...this.#record.canceledResult(this.#durationMs()), canceled: true };
    }
    if (!succeeded && !this.#record.hasErrors) {
      // The CLI failed before it streamed an event: not logged in, no such stack, no passphrase.
      const message = stderr || `pulumi ended with ${code ?? 'a signal'}`;
      this.#record.diagnose({ severity: 'error', message });
    }
    return this.#record.result(succeeded, this.#durationMs());
  }

  #diagnose({ code, message }: GatehouseError): void {
    this.#record.diagnose({ severity: 'error', code, message });
  }

  #durationMs(): number {
    return performance.now() - this.#started;
  }
}
