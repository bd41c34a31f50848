import { Metrics } from '@gatehouse/host';
import { z } from 'zod';
import { type Reply, readOnly, type SecretsPath, type SecretsRequest } from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';

export class RequestMetrics {
  readonly #metrics = new Metrics();
  readonly #requests = this.#metrics.counter(
    'gatehouse_requests_total',
    'Requests by operation and status.',
    ['operation', 'status'],
  );
  readonly #inFlight = this.#metrics.gauge('gatehouse_requests_in_flight', 'Requests in progress.');
  readonly #logins = this.#metrics.counter('gatehouse_logins_total', 'Sign-ins by auth method and result.', [
    'mount',
    'result',
  ]);
  readonly #tokens = this.#metrics.counter('gatehouse_tokens_created_total', 'Tokens created, by type.', [
    'type',
  ]);

  constructor() {
    this.#metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', [], function () {
      this.set(process.memoryUsage.rss());
    });
    this.#metrics.gauge('nodejs_heap_size_used_bytes', 'Memory of its JavaScript objects.', [], function () {
      this.set(process.memoryUsage().heapUsed);
    });
    this.#metrics.counter('process_cpu_seconds_total', 'CPU time of the process.', [], function () {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    });
  }

  begin(): void {
    this.#inFlight.inc();
  }

  /** @param mount Path of the auth method if the request completed a sign-in. */
  end({ operation, path }: SecretsRequest, status: number, reply?: Reply, mount?: string): void {
    this.#inFlight.dec();
    this.#requests.inc({ operation, status });
    const result = reply === undefined ? 'refused' : 'signed_in';
    if (mount !== undefined) this.#logins.inc({ mount, result });
    const type = reply?.auth?.['token_type'];
    if (typeof type === 'string' && !path.startsWith('auth/token/renew')) this.#tokens.inc({ type });
  }

  async text(): Promise<string> {
    return await this.#metrics.text();
  }
}

export function metricsPath(metrics: RequestMetrics): SecretsPath {
  async function read({ query }: SecretsRequest): Promise<Reply> {
    const format = query['format'] ?? '';
    if (format === 'prometheus') return { text: await metrics.text() };
    throw new RequestRefusal(400, `metric response format ${JSON.stringify(format)} unknown`);
  }
  return readOnly('sys/metrics', 'Metrics for Prometheus', read, { query: ['format'], text: z.string() });
}
