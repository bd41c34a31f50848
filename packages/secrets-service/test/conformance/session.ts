import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from './step.ts';

/** What a server answered: its status, and its body as JSON, or as text where it is none. */
export interface Answer {
  status: number;
  body: any;
}

/** One of the two servers, and what the steps so far kept of its answers. */
export class Session {
  readonly #address: string;
  readonly kept = new Map<string, string>();

  /** @param known What steps can name from the beginning: `root`, the root token, and whatever tests have running. */
  constructor(address: string, known: Record<string, string>) {
    this.#address = address;
    for (const [name, value] of Object.entries(known)) this.kept.set(name, value);
  }

  async send(step: Step): Promise<Answer> {
    const { until: [place, value = ''] = [] } = step;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#sendOnce(step);
      if (place === undefined || valueAt(answer.body, place) === this.#filled(value) || attempt === 100)
        return answer;
      await sleep(20);
    }
  }

  async #sendOnce(step: Step): Promise<Answer> {
    const { method, path, body, token = '{root}', namespace, headers, keep = {} } = step;
    const sent = typeof body === 'object' ? JSON.stringify(body) : body;
    const response = await fetch(`${this.#address}/v1/${this.#filled(path, encodeURIComponent)}`, {
      method,
      headers: {
        ...(token === '' ? {} : { 'X-Vault-Token': this.#filled(token) }),
        ...(namespace === undefined ? {} : { 'X-Vault-Namespace': namespace }),
        ...headers,
      },
      body: sent === undefined ? undefined : this.#filled(sent, asJson),
      redirect: 'manual',
    });
    const answer = { status: response.status, body: readable(await response.text()) };
    if (!response.ok) return answer;
    for (const [name, place] of Object.entries(keep)) this.kept.set(name, valueAt(answer.body, place));
    return answer;
  }

  #filled(text: string, as = (value: string) => value): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = this.kept.get(name);
      return value === undefined ? whole : as(value);
    });
  }
}

function asJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function readable(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function valueAt(body: unknown, place: string): string {
  const [path = '', query] = place.split('?');
  let value: any = body;
  for (const part of path.split('.')) value = value?.[part];
  const text = typeof value === 'string' ? value : '';
  return query === undefined ? text : (URL.parse(text)?.searchParams.get(query) ?? '');
}
