import { createHash } from 'node:crypto';
import { trimmed } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import { Recent, recentAnswer } from '@gatehouse/host';
import type { ServiceClient } from '@gatehouse/service-client';
import type { Decider } from './decide.ts';

/** Milliseconds that an answer of the secrets service is kept: a revoked token works that much longer. */
const keptMs = 3000;
const mostKept = 1000;
/** Principals with it may act. A root token may always act. */
export const actingPolicy = 'gatehouse-deploy';

/** A caller of the platform's API, according to the secrets service. */
export interface Caller extends Decider {
  /** Deploy, confirm, discard, retry, cancel, run again. */
  mayAct: boolean;
}

interface CallersArgs {
  /** A client of the secrets service with this token; its owner closes the connections. */
  clientOf: (token: string) => ServiceClient;
  /** Where people are identified: tokens of any other namespace are refused. Defaults to the root namespace. */
  namespace?: string | undefined;
  now?: () => number;
}

/** A caller, and the namespace of the token. */
interface Known {
  caller: Caller;
  namespace: string;
}

/**
 * Identifies callers by their token: asks the secrets service (`auth/token/lookup-self`). It answers for a token of any
 * namespace, and policies of the same name are others there: the owner of a namespace can write `gatehouse-deploy` in it.
 */
export class Callers {
  readonly #clientOf: CallersArgs['clientOf'];
  readonly #namespace: string;
  /** By the token's hash. */
  readonly #known: Recent<Promise<Known | undefined>>;

  constructor({ clientOf, namespace = '', now = Date.now }: CallersArgs) {
    this.#clientOf = clientOf;
    this.#namespace = namespaceOf(namespace);
    this.#known = new Recent({ keptMs, most: mostKept, now });
  }

  /**
   * @param options.isFresh whether the service must be asked now: what a person decides stays decided
   * @returns undefined if the service does not know the token
   * @throws GatehouseError `caller_of_other_namespace`; `service_unreachable` and the like, if it cannot be asked
   */
  async of(token: string, { isFresh = false } = {}): Promise<Caller | undefined> {
    const key = createHash('sha256').update(token).digest('hex');
    const known = await recentAnswer(this.#known, key, () => this.#ask(token), isFresh);
    if (known === undefined || known.namespace === this.#namespace) return known?.caller;
    const [given, allowed] = [known.namespace, this.#namespace].map((one) => one || 'the root namespace');
    throw new GatehouseError('caller_of_other_namespace', { given, allowed });
  }

  async #ask(token: string): Promise<Known | undefined> {
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
    const path = data['namespace_path'];
    return {
      caller: callerOf(typeof name === 'string' && name !== '' ? name : 'token', policies),
      namespace: namespaceOf(typeof path === 'string' ? path : ''),
    };
  }
}

/** Services take `root` for the root namespace, which they do not name. */
function namespaceOf(path: string): string {
  const name = trimmed(path);
  return name === 'root' ? '' : name;
}

export function callerOf(name: string, policies: readonly string[]): Caller {
  return { name, policies, mayAct: policies.includes('root') || policies.includes(actingPolicy) };
}

function texts(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [];
}
