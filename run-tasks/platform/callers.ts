import { createHash } from 'node:crypto';
import type { ServiceClient } from '../../client/service-client.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type { Decider } from './decide.ts';

/** Milliseconds that an answer of the secrets service is cached: a revoked token works that much longer. */
const cachedMs = 3000;
const mostCached = 1000;
/** Principals with it may act. A root token may always act. */
export const actingPolicy = 'gatehouse-deploy';

/** A caller of the platform's API, according to the secrets service. */
export interface Caller extends Decider {
  /** Deploy, confirm, discard, ask again, cancel, run again. */
  mayAct: boolean;
}

interface CallersArgs {
  /** A client of the secrets service with this token; its owner closes the connections. */
  clientOf: (token: string) => ServiceClient;
  now?: () => number;
}

/** Identifies callers by their token: asks the secrets service (`auth/token/lookup-self`). */
export class Callers {
  readonly #args: Required<CallersArgs>;
  /** By the token's hash. */
  readonly #known = new Map<string, { until: number; caller: Promise<Caller | undefined> }>();

  constructor({ clientOf, now = Date.now }: CallersArgs) {
    this.#args = { clientOf, now };
  }

  /**
   * @param options.isFresh whether the service must be asked now: what a person decides stays decided
   * @returns undefined if the service does not know the token
   * @throws GatehouseError `service_unreachable` and the like, if it cannot be asked
   */
  async of(token: string, { isFresh = false } = {}): Promise<Caller | undefined> {
    const key = createHash('sha256').update(token).digest('hex');
    const now = this.#args.now();
    const known = this.#known.get(key);
    if (!isFresh && known !== undefined && now < known.until) return await known.caller;
    const caller = this.#ask(token);
    this.#known.delete(key);
    this.#known.set(key, { until: now + cachedMs, caller });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostCached && oldest !== undefined) this.#known.delete(oldest);
    // A failure to ask is not cached.
    caller.catch(() => this.#known.delete(key));
    return await caller;
  }

  async #ask(token: string): Promise<Caller | undefined> {
    let data: Record<string, unknown>;
    try {
      data = (await this.#args.clientOf(token).read('auth/token/lookup-self'))?.data ?? {};
    } catch (error) {
      if (error instanceof GatehouseError && ['permission_denied', 'token_invalid'].includes(error.code)) {
        return undefined;
      }
      throw error;
    }
    const policies = [...texts(data['policies']), ...texts(data['identity_policies'])];
    const name = data['display_name'];
    return callerOf(typeof name === 'string' && name !== '' ? name : 'token', policies);
  }
}

export function callerOf(name: string, policies: readonly string[]): Caller {
  return { name, policies, mayAct: policies.includes('root') || policies.includes(actingPolicy) };
}

function texts(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [];
}
