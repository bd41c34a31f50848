import { addAll, objectIn } from '@gatehouse/core/values';

/** A code host answered with an error. The message holds neither the token nor the request's body. */
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

  /** Downloads a file. The host may redirect to another host, which does not get the token. @throws HostError, as `send` */
  async download(path: string): Promise<Buffer> {
    const signal = AbortSignal.timeout(120_000);
    const answer = await fetch(`${this.#base}${path}`, {
      headers: this.#headers,
      redirect: 'manual',
      signal,
    });
    const location = answer.headers.get('location');
    const response = location === null ? answer : await fetch(location, { signal });
    if (!response.ok) throw new HostError(response.status, 'GET', path, '');
    return Buffer.from(await response.arrayBuffer());
  }

  /** All entries of a list, from every page. @param path with its query */
  async list<Listed>(path: string): Promise<Listed[]> {
    const entries: Listed[] = [];
    for (let page = 1; ; page += 1) {
      const listed = (await this.send('GET', `${path}&per_page=${pageSize}&page=${page}`)) as Listed[];
      addAll(entries, listed);
      if (listed.length < pageSize) return entries;
    }
  }
}

/** @returns undefined if the host answers that the resource does not exist, or no longer */
export async function ifThere<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error) => {
    if (error instanceof HostError && [404, 410].includes(error.status)) return undefined;
    throw error;
  });
}

/** Entries per page: the most that GitHub and GitLab allow. */
const pageSize = 100;

function messageIn(text: string): string {
  const message = objectIn(text)?.['message'] ?? '';
  return (typeof message === 'string' ? message : JSON.stringify(message)).slice(0, 200);
}
