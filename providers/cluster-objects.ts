import { anyServiceAccount, textList } from '@gatehouse/core/graph';
import * as pulumi from '@pulumi/pulumi';
import { mapInput } from '../components/inputs.ts';
import type { ProviderAdditions } from './compose.ts';
import { kubernetesPackage } from './optional-packages.ts';
import { projectedToken, type TokenVolume } from './projected-token.ts';
import type { ProviderRole } from './provider-args.ts';

/** A role for the tokens of one service account. */
export interface ServiceAccountRole extends ProviderRole {
  /** Namespace of the service account in the cluster. */
  namespace: string;
  /** Name of the service account, or `*` for every service account of the namespace. */
  serviceAccount: string;
  /** Audience of the token. Defaults to the issuer. */
  audience?: pulumi.Input<string>;
}

/** What to create in the cluster itself, and how the cluster is reached for that. */
export interface Cluster {
  /** Path of the kubeconfig. Defaults to what the official `kubernetes` plugin takes: `KUBECONFIG`, then `~/.kube/config`. */
  kubeconfig?: pulumi.Input<string>;
  /** Context in the kubeconfig. Defaults to its current one. */
  context?: pulumi.Input<string>;
  /** Open the issuer's discovery documents to everyone, without signing in. Defaults to false. */
  openDiscovery?: boolean;
  /** Create the roles' service accounts. Defaults to false. */
  serviceAccounts?: boolean;
  /** Seconds that a mounted token lives; at least 600. Defaults to 3600. */
  tokenExpirationSeconds?: pulumi.Input<number>;
}

/** The arguments that objects in a cluster, and mounts in its pods, depend on. */
interface InCluster {
  issuer?: pulumi.Input<string>;
  roles?: ServiceAccountRole[];
  cluster?: Cluster;
}

/** Creates what is asked for in the cluster itself: opens discovery, makes service accounts. */
export function createInCluster(
  parent: pulumi.ComponentResource,
  name: string,
  { cluster = {}, roles = [] }: InCluster,
): ProviderAdditions {
  const dependsOn: pulumi.Resource[] = [];
  const { openDiscovery, serviceAccounts, kubeconfig, context } = cluster;
  const inCluster: pulumi.CustomResourceOptions = { parent };
  if ((openDiscovery || serviceAccounts) && (kubeconfig ?? context) !== undefined) {
    const { Provider } = kubernetesPackage();
    inCluster.provider = new Provider(`${name}-cluster`, { kubeconfig, context }, { parent });
  }
  if (openDiscovery === true) {
    const { rbac } = kubernetesPackage();
    const apiGroup = 'rbac.authorization.k8s.io';
    const binding = {
      metadata: { name: `${name}-service-account-issuer-discovery` },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'system:service-account-issuer-discovery' },
      subjects: [{ apiGroup, kind: 'Group', name: 'system:unauthenticated' }],
    };
    dependsOn.push(new rbac.v1.ClusterRoleBinding(`${name}-open-discovery`, binding, inCluster));
  }
  if (serviceAccounts === true) {
    const { core } = kubernetesPackage();
    const named = roles.filter((role) => role.serviceAccount !== anyServiceAccount);
    const accounts = new Map(named.map((role) => [`${role.namespace}/${role.serviceAccount}`, role]));
    for (const [key, { namespace, serviceAccount }] of accounts) {
      const metadata = { name: serviceAccount, namespace };
      new core.v1.ServiceAccount(`${name}-${key}`, { metadata }, inCluster);
    }
  }
  return { dependsOn };
}

/** Name of a role → pod volume with a token for it. */
export function tokenVolumes(args: InCluster): pulumi.Output<Record<string, TokenVolume>> {
  return pulumi.output(
    Object.fromEntries((args.roles ?? []).map((role) => [role.name.toLowerCase(), tokenVolume(role, args)])),
  );
}

/** A volume with a token whose audience the role accepts. */
function tokenVolume(
  { audience, boundAudiences }: ServiceAccountRole,
  { issuer, cluster = {} }: InCluster,
): pulumi.Input<TokenVolume> {
  const settings = { audience, boundAudiences, issuer, expirationSeconds: cluster.tokenExpirationSeconds };
  return mapInput(settings, (plain) =>
    projectedToken({
      // `packages/core/src/graph/kinds/container-orchestrator.ts` must choose the audience in this order, too.
      audience: textList.parse(plain.boundAudiences ?? [])[0] ?? plain.audience ?? plain.issuer ?? '',
      expirationSeconds: plain.expirationSeconds,
    }),
  );
}
