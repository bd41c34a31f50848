import type { Environment } from '@gatehouse/core/environment';
import { anyServiceAccount, namespaceClaim, type Role } from '@gatehouse/core/graph';
import { GatehouseError, isObject, limits } from '@gatehouse/core/values';
import { postToCluster, readKubeconfig } from '@gatehouse/service-client';

/** A service account whose token its cluster can be asked for. */
export interface ServiceAccount {
  namespace: string;
  name: string;
  audience: string;
  cluster: Parameters<typeof readKubeconfig>[0];
}

/**
 * The service account that a role lets in, if its cluster's own provider is what declares it; a text where no token can be
 * asked for that would show whether it can sign in, with the reason.
 */
export function serviceAccountOf(
  role: Role,
  { providers }: Environment,
): ServiceAccount | string | undefined {
  const provider = providers.find(({ path, name }) => (path ?? name) === role.method);
  if (provider?.kind !== 'container_orchestrator') return undefined;
  const given = provider.roles.find(({ name }) => name === role.name);
  if (given === undefined) return undefined;
  const { kubeconfig, context } = provider.cluster ?? {};
  // The current context may be another cluster's, whose tokens are refused with good reason.
  if ((kubeconfig ?? context) === undefined)
    return 'its provider gives no cluster.context or cluster.kubeconfig';
  const otherClaims = Object.keys(role.boundClaims ?? {}).filter((claim) => claim !== namespaceClaim);
  if (otherClaims.length > 0)
    return `a token without a pod may lack what it binds: ${otherClaims.join(', ')}`;
  // Without one, the token would be for the cluster's own API.
  const [audience] = role.boundAudiences ?? [];
  if (audience === undefined) return 'it binds no audience to ask a token for';
  const { namespace, serviceAccount } = given;
  // Each namespace has this one.
  const name = serviceAccount === anyServiceAccount ? 'default' : serviceAccount;
  return {
    ...{ namespace, name, audience },
    cluster: { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) },
  };
}

/**
 * A token of a service account, made by its cluster (TokenRequest) for as short as a cluster makes them.
 *
 * @throws GatehouseError `service_account_missing`, and what the kubeconfig and the client throw
 */
export async function requestToken(account: ServiceAccount, env: NodeJS.ProcessEnv): Promise<string> {
  const { namespace, name, audience, cluster } = account;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const answer = await postToCluster(readKubeconfig(cluster, env), path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [audience], expirationSeconds: limits.serviceAccountTokenSeconds },
  });
  if (answer === undefined) {
    throw new GatehouseError('service_account_missing', { values: { namespace, name } });
  }
  const { status } = answer;
  const token = isObject(status) ? status['token'] : undefined;
  if (typeof token === 'string') return token;
  throw new GatehouseError('cluster_refused.answer');
}
