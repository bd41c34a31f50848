import { GatehouseError } from '@gatehouse/core/values';
import type { ServiceAnswer, ServiceClient } from '@gatehouse/service-client';

type GroupReader = Pick<ServiceClient, 'read' | 'list'>;

/** Names that are looked up one by one before all groups are listed. */
const few = 8;

/** Milliseconds that a list is used for, because it misses groups that others create. */
const believedMs = 5000;

/**
 * Looks up names before groups are created. Many lookups share one list, unless the token may not list; then each is a
 * request.
 */
export class GroupNames {
  readonly #client: GroupReader;
  readonly #now: () => number;
  #asked = 0;
  #mayList = true;
  #listed: { at: number; names: Promise<Set<string> | undefined> } | undefined;

  constructor(client: GroupReader, now: () => number = () => performance.now()) {
    this.#client = client;
    this.#now = now;
  }

  /** The group of that name; undefined if the name is free. The caller is assumed to use the name. */
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

  /** The names of all groups; undefined if the token may not list them. */
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

/** The names in a client's namespace. */
export function groupNames(client: ServiceClient): GroupNames {
  const names = known.get(client) ?? new GroupNames(client);
  known.set(client, names);
  return names;
}

/**
 * The service ignores case in names (openbao/openbao `vault/identity_store_schema.go`). It folds each character alone,
 * unlike JavaScript, where one may become two or depend on the end of a word.
 */
function folded(name: string): string {
  return Array.from(name, (character) => Array.from(character.toLowerCase())[0]).join('');
}
