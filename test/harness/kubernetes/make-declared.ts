import type { Stack } from '../../../packages/engine/src/stack.ts';
import { registerConfig } from '../../stacks/register-stack.ts';
import type { Cluster } from './cluster.ts';

/** Where lists of objects of each type are. */
const paths: Record<string, (namespace: string) => string> = {
  'kubernetes:core/v1:ServiceAccount': (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  'kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding': () =>
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
};

/**
 * Makes in real clusters what a stack declares in them, which under the real engine the official plugin does.
 *
 * @param clusterOf by the arguments of a cluster's plugin resource
 * @returns how to delete it again
 */
export async function makeDeclared(
  { config }: Stack,
  clusterOf: (access: { kubeconfig?: string; context?: string }) => Cluster,
): Promise<() => Promise<void>> {
  const { registered } = await registerConfig(
    Object.fromEntries([...config].map(([key, { value }]) => [key, value])),
  );
  const applied: { cluster: Cluster; path: string }[] = [];
  for (const { type, inputs, provider } of registered) {
    const path = paths[type]?.(inputs['metadata'].namespace);
    if (path === undefined) continue;
    const plugin = registered.find(({ urn }) => provider.startsWith(`${urn}::`));
    const cluster = clusterOf(plugin?.inputs ?? {});
    await cluster.api('POST', `${path}?fieldValidation=Strict`, inputs);
    applied.push({ cluster, path: `${path}/${inputs['metadata'].name}` });
  }
  return async () => {
    for (const { cluster, path } of applied) await cluster.api('DELETE', path);
  };
}
