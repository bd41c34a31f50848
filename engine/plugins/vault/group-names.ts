import type { ServiceAnswer, ServiceClient } from '../../../client/service-client.ts';
import { GatehouseError } from '../../../core/model/values/errors.ts';

type Reader = Pick<ServiceClient, 'read' | 'list'>;

/** Names that are asked for one by one before all are listed: a list tells of every group that there is. */
const few = 8;

/** Milliseconds for which a list is believed. What somebody else makes meanwhile is not in it. */
const believedMs = 5000;

/**
 * Looks names of groups up before groups are made under them. Many are looked up in one list, which all creates of
 * a run share, rather than by a request each; where the token may not list, by a request each.
 */
export class GroupNames {
  readonly #client: Reader;
  readonly #now: () => number;
  #asked = 0;
  #mayList = true;
  #listed: { at: number; names: Promise<Set<string> | undefined> } | undefined;

  constructor(client: Reader, now: () => number = () => performance.now()) {
    this.#client = client;
    this.#now = now;
  }

  /** The group of that name; undefined when the name is free. Whoever asks is taken to be about to use the name. */
  async find(name: string): Promise<ServiceAnswer | undefined> {
    this.#asked++;
    if (this.#asked > few && this.#mayList) {
      const names = await this.#names();
      if (names !== undefined && !names.has(folded(name))) {
        names.add(folded(name));
        return undefined;
      }
    }
    return await this.#client.read(`identity/group/name/${name}`);
  }

  /** Undefined where the token may not list. */
  #names(): Promise<Set<string> | undefined> {
    const now = this.#now();
    if (this.#listed === undefined || now - this.#listed.at > believedMs) {
      const names = this.#list();
      this.#listed = { at: now, names };
      names.catch(() => {
        this.#listed = undefined;
      });
    }
    return this.#listed.names;
  }

  async #list(): Promise<Set<string> | undefined> {
    try {
      const keys = (await this.#client.list('identity/group/name'))?.data['keys'];
      return new Set(Array.isArray(keys) ? keys.map((key) => folded(String(key))) : []);
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'permission_denied') throw error;
      this.#mayList = false;
      return undefined;
    }
  }
}

const known = new WeakMap<ServiceClient, GroupNames>();

/** What is known of the names on a client's service, in its namespace. */
export function groupNames(client: ServiceClient): GroupNames {
  const names = known.get(client) ?? new GroupNames(client);
  known.set(client, names);
  return names;
}

/**
 * The service takes names that differ in case alone for one (openbao/openbao `vault/identity_store_schema.go`). It
 * folds each character by itself, which JavaScript does not where one becomes two, or where the end of a word counts.
 */
function folded(name: string): string {
  return Array.from(name, (character) => Array.from(character.toLowerCase())[0]).join('');
}
