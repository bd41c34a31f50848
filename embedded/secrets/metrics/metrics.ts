import type { Reply, SecretsRequest } from '../protocol/path.ts';

/** Counts of one name, by their labels. */
class Counter {
  readonly #counts = new Map<string, number>();
  readonly #name: string;
  readonly #help: string;

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Record<string, string>): void {
    const text = Object.entries(labels)
      .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
      .join(',');
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  lines(): string[] {
    const counts = [...this.#counts].map(([labels, count]) => `${this.#name}{${labels}} ${count}`);
    return [...head(this.#name, 'counter', this.#help), ...counts];
  }
}

/**
 * What the service did since it started, in the text format of Prometheus 0.0.4. Labels are operations, statuses and
 * paths of mounts: nothing that a caller chooses, so their number has bounds and none holds a token.
 */
export class Metrics {
  readonly #requests = new Counter('gatehouse_requests_total', 'Requests by operation and status.');
  readonly #logins = new Counter('gatehouse_logins_total', 'Sign-ins by auth method and result.');
  readonly #tokens = new Counter('gatehouse_tokens_created_total', 'Tokens made, by type.');
  #inFlight = 0;

  begin(): void {
    this.#inFlight += 1;
  }

  /**
   * @param mount Path of the auth method where this was the end of a sign-in.
   */
  end({ operation, path }: SecretsRequest, status: number, reply?: Reply, mount?: string): void {
    this.#inFlight -= 1;
    this.#requests.add({ operation, status: String(status) });
    if (mount !== undefined)
      this.#logins.add({ mount, result: reply === undefined ? 'refused' : 'signed_in' });
    const type = reply?.auth?.['token_type'];
    if (typeof type === 'string' && !path.startsWith('auth/token/renew')) this.#tokens.add({ type });
  }

  text(): string {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const gauge = (name: string, value: number, help: string, type = 'gauge') => [
      ...head(name, type, help),
      `${name} ${value}`,
    ];
    const lines = [
      ...this.#requests.lines(),
      ...gauge('gatehouse_requests_in_flight', this.#inFlight, 'Requests that are being answered.'),
      ...this.#logins.lines(),
      ...this.#tokens.lines(),
      ...gauge('process_resident_memory_bytes', rss, 'Memory of the process.'),
      ...gauge('nodejs_heap_size_used_bytes', heapUsed, 'Memory of its JavaScript objects.'),
      ...gauge('process_cpu_seconds_total', (user + system) / 1e6, 'CPU time of the process.', 'counter'),
    ];
    return `${lines.join('\n')}\n`;
  }
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
