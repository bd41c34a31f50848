import { type End, endsOf } from '../../environment/ends.ts';
import type { Environment, ServiceSettings } from '../../environment/environment.ts';
import { byNamespace, partsIn } from '../../environment/namespaces.ts';
import { rulePresets } from '../../environment/rule-presets.ts';
import type { ProviderKind } from '../../graph/kinds/kinds.ts';
import { type Promised, promiseText } from '../../graph/promise-settings.ts';
import type { Subject } from '../../graph/subject.ts';
import { trimmed } from '../../graph/values/loose-values.ts';
import type { Severity } from './finding.ts';
import type { Gate, GateOptions } from './gate.ts';

/** What rules judge by. */
export interface RuleOptions {
  /** Rules that are turned off: rule id → the reason. */
  disabled?: Record<string, string>;
  /** Severities of a preset, in place of the rules' own: rule id → severity. Defaults to none. */
  severities?: Readonly<Record<string, Severity>>;
  /** The service that the graph is for. Redirect URIs are compared with its addresses only where it is known. */
  service?: Pick<ServiceSettings, 'address' | 'uiAddress' | 'platformAddress' | 'dialect' | 'namespace'>;
  /**
   * What an environment says of its providers, by paths of their methods: the kind, and seconds that a workload's
   * own token lives. The kind of any other is recognized by the method's issuer where that is possible.
   */
  providers?: Record<string, { kind: ProviderKind; tokenSeconds?: number }>;
  /** What the environment accepts, and what it asked for before. Defaults to nothing. */
  gate?: GateOptions;
  /** What must stay so. Defaults to nothing. */
  promises?: readonly Promised[];
  /** What has a last day. Defaults to nothing. */
  ends?: readonly End[];
  /** What had one before a change. Defaults to not known. */
  endsBefore?: readonly End[];
  /** What else may give access and is not in the graph, in words. Defaults to nothing. */
  unseen?: readonly string[];
  /** An answer that leaves something open is an error. Defaults to false: only a denial that goes is. */
  complete?: boolean;
  /** Fields of the graph that are unknown until apply: no rule says anything by them. Defaults to none. */
  unknown?: readonly Subject[];
  /** Keys of policies that the change deletes: `policy-removed` says who still names them. Defaults to none. */
  deleted?: ReadonlySet<string>;
  /** Nanoseconds since 1970: rules of policies and what has a last day may be over. Defaults to none being so. */
  now?: bigint;
}

/** A rule that a change turns off still judges it. */
function disabledSince(disabled: Record<string, string>, base: GateOptions['was']): Record<string, string> {
  if (base === undefined || base === 'unknown') return disabled;
  return Object.fromEntries(
    Object.entries(disabled).filter(([id]) => Object.hasOwn(base.rules.disabled, id)),
  );
}

/** A preset that a change removes still judges it. */
function severitiesOf({ preset }: Gate['rules'], base: GateOptions['was']): RuleOptions['severities'] {
  const before = base === undefined || base === 'unknown' ? undefined : base.rules.preset;
  const name = preset ?? before;
  return name && rulePresets[name];
}

/** A promise that a change removes still judges it. */
function removedPromises(promises: RuleOptions['promises'] = [], base: GateOptions['was']): Promised[] {
  const kept = new Set(promises.map(promiseText));
  return base === undefined || base === 'unknown'
    ? []
    : base.promises.filter((promise) => !kept.has(promiseText(promise)));
}

/**
 * Plain data, which can be sent to a thread.
 *
 * @param path of a namespace, where the gate is the one of that: all but its exceptions is judged with the environment's own
 */
function gateOf(gate: Gate, path?: string): Gate {
  const { exceptions, known, promises, rules, deployments, runTasks, reviews } = gate;
  const own = exceptions.filter(({ namespace }) => namespace === path);
  if (path === undefined) return { exceptions: own, known, promises, rules, deployments, runTasks, reviews };
  return {
    exceptions: own,
    known: [],
    promises: [],
    rules: { disabled: {} },
    deployments,
    runTasks: [],
    reviews: undefined,
  };
}

/**
 * The options with which the rules judge what an environment declares.
 *
 * @param base what it was at the base revision. Defaults to the same.
 */
export function ruleOptions(environment: Environment, base?: GateOptions['was']): RuleOptions {
  const own = optionsOf(environment, base);
  return {
    ...own,
    promises: [...(own.promises ?? []), ...removedPromises(own.promises, base)],
    gate: {
      is: gateOf(environment),
      ...(base !== undefined && { was: base === 'unknown' ? base : gateOf(base) }),
    },
  };
}

/** The same for the other namespaces of an environment, by their paths from the root of the service. */
export function ruleOptionsElsewhere(
  environment: Environment,
  base?: GateOptions['was'],
): Record<string, RuleOptions> {
  const gateBefore = (path: string) => (base === undefined || base === 'unknown' ? base : gateOf(base, path));
  return Object.fromEntries(
    byNamespace(environment)
      .slice(1)
      .map(({ path, environment: other }) => [
        trimmed(other.service.namespace ?? ''),
        {
          ...optionsOf(other, base),
          gate: { is: gateOf(environment, path), ...(base !== undefined && { was: gateBefore(path) }) },
        } as RuleOptions,
      ]),
  );
}

function optionsOf(whole: Environment, base: GateOptions['was']): RuleOptions {
  const environment = { ...whole, ...partsIn(whole, undefined) };
  const { service, providers, rules, promises, deployments } = environment;
  const severities = severitiesOf(rules, base);
  return {
    ...(deployments.complete && { complete: true }),
    disabled: disabledSince(rules.disabled, base),
    ...(severities && { severities }),
    service,
    promises,
    ends: endsOf(environment),
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
