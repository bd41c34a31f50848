import { createRequire } from 'node:module';
import type * as prometheus from 'prom-client';

// The package's index also loads default metrics and OpenTelemetry: 15 MB of memory instead of 3.
const load = createRequire(import.meta.url);
const Counter: typeof prometheus.Counter = load('prom-client/lib/counter');
const Gauge: typeof prometheus.Gauge = load('prom-client/lib/gauge');
const Registry: typeof prometheus.Registry = load('prom-client/lib/registry');

/** The metrics of one listener, for Prometheus. Labels never hold text that a caller chooses. */
export class Metrics {
  readonly #registry = new Registry();

  /** @param collect Sets the value whenever the metrics are read. */
  counter<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    collect?: (this: prometheus.Counter<Label>) => void | Promise<void>,
  ): prometheus.Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry], ...(collect && { collect }) });
  }

  /** @param collect Sets the value whenever the metrics are read. */
  gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    collect?: (this: prometheus.Gauge<Label>) => void | Promise<void>,
  ): prometheus.Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry], ...(collect && { collect }) });
  }

  /** All metrics in Prometheus text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
