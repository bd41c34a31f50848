import { lineage, namespaceBelow } from '../graph/values/namespace-path.ts';
import type { Environment } from './environment.ts';

/** What an environment declares for one namespace. */
export interface NamespaceEnvironment {
  /** Path below the environment's own namespace; empty for that itself. */
  path: string;
  /** The environment creates it. Before that it is empty. */
  isMade: boolean;
  environment: Environment;
}

/**
 * The environment of each namespace: the environment's own first, then one for each that it makes or uses, and for
 * those that they lie in. A service treats each as a service of its own: nothing in one refers to anything in another.
 * There a provider is called `shop/staff`, and the path of its auth method stays `staff`. Promises, messages, run tasks
 * and what is known are those of the environment's own namespace.
 */
export function byNamespace(environment: Environment): NamespaceEnvironment[] {
  const { namespaces, service } = environment;
  const paths = new Set(namespaces.flatMap(({ path }) => lineage(path)));
  const none = { messages: [], promises: [], known: [], runTasks: [], namespaces: [] };
  return [
    { path: '', isMade: false, environment: { ...environment, ...partsIn(environment, undefined) } },
    ...[...paths].sort().map((path) => {
      const parts = partsIn(environment, path);
      return {
        path,
        isMade: namespaces.some((namespace) => namespace.path === path && !namespace.exists),
        environment: {
          ...environment,
          ...none,
          ...parts,
          service: { ...service, namespace: namespaceBelow(service.namespace, path) },
          providers: parts.providers.map((provider) => ({
            ...provider,
            name: namespaceBelow(path, provider.name),
            path: provider.path ?? provider.name,
          })),
        },
      };
    }),
  ];
}

/** The parts of a namespace, without its name. With an undefined path: the parts that name no namespace. */
export function partsIn(environment: Environment, path: string | undefined): NamespaceParts {
  const within = <Part extends { namespace?: string | undefined }>(parts: readonly Part[]): Part[] =>
    parts.flatMap(({ namespace, ...part }) => (namespace === path ? [part as Part] : []));
  return {
    providers: within(environment.providers),
    groups: within(environment.groups),
    policies: within(environment.policies),
    exceptions: within(environment.exceptions),
  };
}

type NamespaceParts = Pick<Environment, 'providers' | 'groups' | 'policies' | 'exceptions'>;
