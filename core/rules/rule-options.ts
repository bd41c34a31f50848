import type { Environment, Service } from '../model/environment.ts';
import type { ProviderKind } from '../model/kinds/kinds.ts';
import type { Promised } from '../model/promise-settings.ts';

export interface RuleOptions {
  /** Rules that are turned off: rule id → the reason. */
  off?: Record<string, string>;
  /** The service that the graph is for. Redirect URIs are compared with its addresses only where it is known. */
  service?: Pick<Service, 'address' | 'uiAddress' | 'platformAddress' | 'dialect' | 'namespace'>;
  /**
   * What an environment says of its providers, by paths of their methods: the kind, and seconds that a workload's
   * own token lives. The kind of any other is recognised by the method's issuer where that is possible.
   */
  providers?: Record<string, { kind: ProviderKind; tokenSeconds?: number }>;
  /** What must stay so. Defaults to nothing. */
  promises?: readonly Promised[];
  /** What else may give access and is not in the graph, in words. Defaults to nothing. */
  unseen?: readonly string[];
  /** An answer that leaves something open is an error. Defaults to false: only a denial that goes is. */
  complete?: boolean;
  /** Nanoseconds since 1970: rules of policies may expire. Defaults to none being over. */
  now?: bigint;
}

/** The options with which the rules judge what an environment declares. */
export function ruleOptions({ service, providers, rules, promises, deployments }: Environment): RuleOptions {
  return {
    ...(deployments.complete && { complete: true }),
    off: rules.off,
    service,
    promises,
    providers: Object.fromEntries(
      providers.map((provider) => {
        const seconds = 'cluster' in provider ? provider.cluster?.tokenExpirationSeconds : undefined;
        return [
          provider.path ?? provider.name,
          { kind: provider.kind, ...(seconds === undefined ? {} : { tokenSeconds: seconds }) },
        ];
      }),
    ),
  };
}
