import { addAll, objectIn } from '@gatehouse/core/values';

/** An answer of a code host that is no success. Shows neither the token nor what was sent. */
export class HostError extends Error {
  readonly status: number;

  constructor(status: number, method: string, path: string, text: string) {
    super(`${method} ${path}: ${status} ${text}`.trim());
    this.name = 'HostError';
    this.status = status;
  }
}

/** The REST API of a code host: JSON both ways. */
export class CodeHost {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  /** @param base address of the API, for example `https://api.github.com` */
  constructor(base: string, headers: Record<string, string>) {
    this.#base = base.replace(/\/+$/, '');
    this.#headers = { 'user-agent': 'gatehouse', ...headers };
  }

  /** @throws HostError; Error if the host does not answer in half a minute */
  async send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      headers: { ...this.#headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      // The token is for this host alone.
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (!response.ok) throw new HostError(response.status, method, path.replace(/\?.*/, ''), messageIn(text));
    return text === '' ? undefined : JSON.parse(text);
  }

  /** A file. The host may lead to another, which does not get the token. @throws HostError, as `send` */
  async download(path: string): Promise<Buffer> {
    const signal = AbortSignal.timeout(120_000);
    const asked = { headers: this.#headers, redirect: 'manual', signal } as const;
    const answer = await fetch(`${this.#base}${path}`, asked);
    const elsewhere = answer.headers.get('location');
    const response = elsewhere === null ? answer : await fetch(elsewhere, { signal });
    if (!response.ok) throw new HostError(response.status, 'GET', path, '');
    return Buffer.from(await response.arrayBuffer());
  }

  /** What a list has on all of its pages. @param path with its query */
  async list<Entry>(path: string): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let page = 1; ; page += 1) {
      const found = (await this.send('GET', `${path}&per_page=${pageSize}&page=${page}`)) as Entry[];
      addAll(entries, found);
      if (found.length < pageSize) return entries;
    }
  }
}

/** @returns undefined for what is gone, or was never there */
export async function ifThere<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  return asked.catch((error) => {
    if (error instanceof HostError && [404, 410].includes(error.status)) return undefined;
    throw error;
  });
}

/** The most that GitHub and GitLab have. */
const pageSize = 100;

function messageIn(text: string): string {
  const message = objectIn(text)?.['message'] ?? '';
  return (typeof message === 'string' ? message : JSON.stringify(message)).slice(0, 200);
}
