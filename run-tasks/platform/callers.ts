import { createHash } from 'node:crypto';
import type { ServiceClient } from '../../client/service-client.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { Recent, recentAnswer } from '../../web/recent.ts';
import type { Decider } from './decide.ts';

/** Milliseconds that an answer of the secrets service is kept: a revoked token works that much longer. */
const keptMs = 3000;
const mostKept = 1000;
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
  readonly #clientOf: CallersArgs['clientOf'];
  /** By the token's hash. */
  readonly #known: Recent<Promise<Caller | undefined>>;

  constructor({ clientOf, now = Date.now }: CallersArgs) {
    this.#clientOf = clientOf;
    this.#known = new Recent({ keptMs, most: mostKept, now });
  }

  /**
   * @param options.isFresh whether the service must be asked now: what a person decides stays decided
   * @returns undefined if the service does not know the token
   * @throws GatehouseError `service_unreachable` and the like, if it cannot be asked
   */
  async of(token: string, { isFresh = false } = {}): Promise<Caller | undefined> {
    const key = createHash('sha256').update(token).digest('hex');
    return await recentAnswer(this.#known, key, () => this.#ask(token), isFresh);
  }

  async #ask(token: string): Promise<Caller | undefined> {
    let data: Record<string, unknown>;
    try {
      data = (await this.#clientOf(token).read('auth/token/lookup-self'))?.data ?? {};
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
