import { Counter, Gauge, Registry } from 'prom-client';

/** The metrics of one listener, for Prometheus. The value of a label is never text that a caller chooses. */
export class Metrics {
  readonly #registry = new Registry();

  /** @param collect sets the value whenever the metrics are read */
  counter<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    collect?: (this: Counter<Label>) => void | Promise<void>,
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry], ...(collect && { collect }) });
  }

  /** @param collect sets the value whenever the metrics are read */
  gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    collect?: (this: Gauge<Label>) => void | Promise<void>,
  ): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry], ...(collect && { collect }) });
  }

  /** All of them in the text format of Prometheus 0.0.4. */
  async text(): Promise<string> {
    return await this.#registry.metrics();
  }
}
