import type { Subject, Unreadable } from '@gatehouse/core/graph';
import { GatehouseError, isObject } from '@gatehouse/core/values';
import type { JsonObject, ServiceAnswer, ServiceClient } from './service-client.ts';

/** Called with how many parts are read, out of those that the lists so far have. */
export type OnRead = (done: number, of: number) => void;

/** Errors about one part; others are about the service. */
const partial = ['permission_denied', 'service_refused', 'path_invalid', 'not_found'];
export const refused = Symbol('refused');
type Data = JsonObject | undefined;

/** Reads parts of a service; one that cannot be read is `unreadable`, not absent. The client's connections limit how many at a time. */
export class Reading {
  readonly unreadable: Unreadable[] = [];
  readonly #client: ServiceClient;
  readonly #budget: number;
  readonly #onRead: OnRead | undefined;
  #left: number;
  #done = 0;
  #known = 0;

  /** @param budget the most requests that it makes. Defaults to no limit. */
  constructor(client: ServiceClient, budget = Number.POSITIVE_INFINITY, onRead?: OnRead) {
    this.#client = client;
    this.#budget = budget;
    this.#onRead = onRead;
    this.#left = budget;
  }

  /**
   * The data at a path; undefined if there is none.
   *
   * @param isRefusedIfNone whether a service refuses a path at which nothing is
   */
  data(subject: Subject, path: string, isRefusedIfNone = false): Promise<Data | typeof refused> {
    return this.#try(subject, () => this.#client.read(path), isRefusedIfNone);
  }

  /** The answer to a body; undefined if the service does not know the path, or refuses. */
  async ask(subject: Subject, path: string, body: JsonObject): Promise<Data> {
    return unlessRefused(await this.#try(subject, () => this.#client.put(path, body), true));
  }

  /** The data at a path; undefined if there is none or it cannot be read. */
  async read(subject: Subject, path: string, isRefusedIfNone = false): Promise<Data> {
    return unlessRefused(await this.data(subject, path, isRefusedIfNone));
  }

  /** What the service says of itself. @throws GatehouseError `not_a_service` */
  status(): Promise<JsonObject> {
    this.#left -= 1;
    return this.#client.status();
  }

  /** Data that only adds words to an answer, so it is not noted if it cannot be read. */
  async words(path: string): Promise<JsonObject | undefined> {
    if (this.#left <= 0) return undefined;
    this.#left -= 1;
    const answer = await this.#client.read(path).catch((error: unknown) => void rethrown(error));
    return answer?.data;
  }

  /**
   * The list at a path; undefined if it is empty.
   *
   * @param isUnknownPath whether a service that refuses does not know the path: then the list is empty
   */
  list(
    { type, method, name = '*' }: Omit<Subject, 'name'> & { name?: string },
    path: string,
    isUnknownPath = false,
  ): Promise<Data | typeof refused> {
    const subject: Subject = { type, name, ...(method !== undefined && { method }) };
    return this.#try(subject, () => this.#client.list(path), isUnknownPath);
  }

  /** Reads each part; the answers are in the order of the parts. At most 64 reads run at a time: each takes memory. */
  async each<From, To>(parts: readonly From[], read: (part: From) => Promise<To | undefined>): Promise<To[]> {
    const all = new Array<To | undefined>(parts.length);
    const waiting = parts.entries();
    this.#known += parts.length;
    const work = async () => {
      for (const [index, part] of waiting) {
        all[index] = await read(part);
        this.#done += 1;
        this.#onRead?.(this.#done, this.#known);
      }
    };
    await Promise.all(Array.from({ length: Math.min(64, parts.length) }, work));
    return all.filter((answer) => answer !== undefined);
  }

  async #try(
    subject: Subject,
    ask: () => Promise<ServiceAnswer | undefined>,
    isRefusedIfNone: boolean,
  ): Promise<Data | typeof refused> {
    if (this.#left <= 0) {
      this.#note(subject, `the read budget of ${this.#budget} requests is spent`);
      return refused;
    }
    this.#left -= 1;
    try {
      return (await ask())?.data;
    } catch (error) {
      const { code, parts } = rethrown(error);
      if (isRefusedIfNone && ['service_refused', 'not_found'].includes(code)) return undefined;
      this.unreadable.push({ subject, why: parts.what });
      return refused;
    }
  }

  /** Once for all of a kind: a hundred thousand of them say no more. */
  #note({ type, method, name: partName }: Subject, why: string): void {
    const isNoted = this.unreadable.some(
      (noted) => noted.why === why && noted.subject.type === type && noted.subject.method === method,
    );
    const name = type !== 'other' ? '*' : method === undefined ? partName : `auth/${method}`;
    if (!isNoted) this.unreadable.push({ subject: { type, name, ...(method && { method }) }, why });
  }
}

/** An error about one part; throws others. */
function rethrown(error: unknown): GatehouseError {
  if (!(error instanceof GatehouseError) || !partial.includes(error.code)) throw error;
  return error;
}

function unlessRefused(data: Data | typeof refused): Data {
  return data === refused ? undefined : data;
}

export function keysOf(data: JsonObject | undefined): string[] {
  const keys = data?.['keys'];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}

/** What a list says of one of its keys, without a read of it. */
export function infoOf(data: JsonObject | undefined, key: string): JsonObject {
  const all = data?.['key_info'];
  const info = isObject(all) ? all[key] : undefined;
  return isObject(info) ? info : {};
}

export function nameOf(data: JsonObject | undefined, key: string, field = 'name'): string {
  const name = infoOf(data, key)[field];
  return typeof name === 'string' ? name : key;
}
