import { isObject } from '../../../core/src/graph/values/json.ts';
import { unknownText } from '../../../core/src/graph/values/unknown-text.ts';
import type { Json } from './calls.ts';

/** What differs between the service that was recorded and this one: addresses, and what a service makes up. */
export class Names {
  readonly #now = new Map<string, string>();
  readonly #then = new Map<string, string>();
  readonly #addresses: [string, string][];

  /** @param addresses recorded address → address now */
  constructor(addresses: Record<string, string>) {
    this.#addresses = Object.entries(addresses);
  }

  /** Learns ids and accessors from a recorded value and the same value now. */
  learn(recorded: Json | undefined, actual: Json | undefined): void {
    if (typeof recorded === 'string' && typeof actual === 'string') {
      if (!isMade(recorded) || !isMade(actual) || recorded === unknownText) return;
      this.#now.set(recorded, actual);
      if (!actual.includes(unknownText)) this.#then.set(actual, recorded);
    } else if (isObject(recorded) && isObject(actual)) {
      for (const key of Object.keys(recorded)) this.learn(recorded[key], actual[key]);
    }
  }

  /** As it is now. */
  renewed<T extends Json>(value: T): T {
    return this.#map(value, this.#now, this.#addresses) as T;
  }

  /** As it was recorded. */
  original<T extends Json>(value: T): T {
    return this.#map(
      value,
      this.#then,
      this.#addresses.map(([from, to]) => [to, from]),
    ) as T;
  }

  #map(value: Json, names: Map<string, string>, addresses: [string, string][]): Json {
    if (typeof value === 'string') {
      const named = value.replace(generated, (name) => names.get(name) ?? name);
      return addresses.reduce((text, [from, to]) => text.replaceAll(from, to), named);
    }
    if (Array.isArray(value)) return value.map((each) => this.#map(each, names, addresses));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, this.#map(each, names, addresses)]),
    );
  }
}

/** A UUID or an accessor of an auth method, alone or in a reference. */
const generated = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|auth_[a-z]+_[0-9a-f]{8}/g;

function isMade(text: string): boolean {
  return text.replace(generated, '') === '' && text !== '';
}
