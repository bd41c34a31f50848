import { createHash } from 'node:crypto';
import { GatehouseError, type PolicyName, policyKey } from '@gatehouse/core/values';
import { Recent, recentAnswer } from '@gatehouse/host';
import { namespaceOf, readOwnToken, type ServiceClient } from '@gatehouse/service-client';

/** Milliseconds that an answer of the secrets service is kept: a revoked token works that much longer. */
const keptMs = 3000;
const mostKept = 1000;
/** Principals with this policy may act, if it is of the namespace where people are identified. */
export const actingPolicy = 'gatehouse-deploy';

/** A person or program that the gate knows. */
export interface Caller {
  /** Identifies the caller, even among callers of the same name. Holds no token. */
  id: string;
  /** Such as `staff-alice`. Decisions are recorded under it. */
  name: string;
  /** Id of the entity at the secrets service. Undefined for a token without one, and for people of the pages' own issuer. */
  entity?: string | undefined;
  /** Policies of the token and its entity. */
  policies: readonly PolicyName[];
  /** Whether the caller may deploy, confirm, discard, retry, cancel and run again. */
  mayAct: boolean;
}

interface CallersArgs {
  /** A client of the secrets service with this token; its owner closes the connections. */
  clientOf: (token: string) => Pick<ServiceClient, 'read'>;
  /** Where people are identified: tokens of any other namespace are refused. Defaults to the root namespace. */
  namespace?: string | undefined;
  now?: () => number;
}

/** A caller, and the namespace of the token. */
interface TokenHolder {
  caller: Caller;
  namespace: string;
}

/**
 * Identifies callers by their token, at the secrets service. It answers for a token of any namespace, and policies of the
 * same name are others there: the owner of a namespace can write `gatehouse-deploy` in it.
 */
export class Callers {
  readonly #clientOf: CallersArgs['clientOf'];
  readonly #namespace: string;
  /** Recent answers, by the token's hash. */
  readonly #recent: Recent<Promise<TokenHolder | undefined>>;

  constructor({ clientOf, namespace = '', now = Date.now }: CallersArgs) {
    this.#clientOf = clientOf;
    this.#namespace = namespaceOf(namespace);
    this.#recent = new Recent({ keptMs, most: mostKept, now });
  }

  /**
   * @param options.isFresh whether the service must be asked now: what a person decides stays decided
   * @returns undefined if the service does not know the token
   * @throws GatehouseError `caller_of_other_namespace`; `service_unreachable` and the like, if it cannot be asked
   */
  async of(token: string, { isFresh = false } = {}): Promise<Caller | undefined> {
    const key = createHash('sha256').update(token).digest('hex');
    const holder = await recentAnswer(this.#recent, key, () => this.#ask(token, key), isFresh);
    if (holder === undefined || holder.namespace === this.#namespace) return holder?.caller;
    throw new GatehouseError('caller_of_other_namespace', {
      given: namespaceText(holder.namespace),
      allowed: namespaceText(this.#namespace),
    });
  }

  async #ask(token: string, hash: string): Promise<TokenHolder | undefined> {
    try {
      const { namespace, entity, name = 'token', policies } = await readOwnToken(this.#clientOf(token));
      const id = entity === undefined ? `token ${hash}` : `entity ${entity}`;
      return { namespace, caller: callerOf({ id, name, entity, policies }, this.#namespace) };
    } catch (error) {
      if (error instanceof GatehouseError && ['permission_denied', 'token_invalid'].includes(error.code)) {
        return undefined;
      }
      throw error;
    }
  }
}

function namespaceText(namespace: string): string {
  return namespace || 'the root namespace';
}

/** @param namespace where people are identified */
export function callerOf(person: Omit<Caller, 'mayAct'>, namespace: string): Caller {
  return { ...person, mayAct: holds(person, { namespace, name: actingPolicy }) };
}

/** Whether a caller has a policy, or `root`, which may do everything in its namespace. */
export function holds({ policies }: Pick<Caller, 'policies'>, policy: PolicyName): boolean {
  return policies.some(
    ({ namespace, name }) =>
      namespace === policy.namespace && ['root', policyKey(policy.name)].includes(policyKey(name)),
  );
}
