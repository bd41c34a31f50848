import * as pulumi from '@pulumi/pulumi';
import { mapInput } from '../components/map-input.ts';
import { anyServiceAccount } from '../core/model/kinds/container-orchestrator.ts';
import { textList } from '../core/model/values/text-list.ts';
import { compose } from './compose.ts';
import { kubernetesPackage } from './optional-packages.ts';
import { projectedToken, type TokenVolume } from './projected-token.ts';
import type { ProviderArgs, ProviderRole } from './provider-args.ts';

export type { Cluster as ClusterArgs, ServiceAccountRole as ServiceAccountRoleArgs };

/** A role for the tokens of one service account. */
interface ServiceAccountRole extends ProviderRole {
  /** Namespace of the service account in the cluster. */
  namespace: string;
  /** Name of the service account, or `*` for every service account of the namespace. */
  serviceAccount: string;
  /** Audience of the token. Defaults to the issuer. */
  audience?: pulumi.Input<string>;
}

/** What to create in the cluster itself, and how the cluster is reached for that. */
interface Cluster {
  /** Path of the kubeconfig. Defaults to what the `kubernetes` plugin takes: `KUBECONFIG`, then `~/.kube/config`. */
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

/**
 * Arguments of a container orchestrator: the cluster's issuer (discovery; `readIssuer` finds it) or its public keys
 * as PEM (`publicKeysFromJwks` converts them). Both are inputs, so either may be a promise.
 */
export interface ContainerOrchestratorArgs extends ProviderArgs {
  /** Issuer of the cluster's service account tokens. Required unless every role names an audience. */
  issuer?: pulumi.Input<string>;
  /** Where the secrets service finds the discovery document, for example in the cluster. Defaults to the issuer. */
  discoveryUrl?: pulumi.Input<string>;
  /** CA certificate to trust when contacting the discovery URL. Defaults to the service's own. */
  caPem?: pulumi.Input<string>;
  /** PEM public keys, where the secrets service cannot reach the cluster. Defaults to none: discovery. */
  publicKeys?: pulumi.Input<pulumi.Input<string>[]>;
  /** Defaults to none. */
  roles?: ServiceAccountRole[];
  /** Defaults to none: nothing is created in the cluster. */
  cluster?: Cluster;
}

/**
 * Container orchestrator (interface.md B-4): a JWT auth method for the service account tokens of one cluster. Each cluster
 * has its own, as a method's keys are not bound to issuers (docs/adr/0012-one-auth-method-a-cluster.md).
 */
export class ContainerOrchestrator extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  readonly accessor: pulumi.Output<string>;
  /** Name of a role → pod volume with a token for it, from `projectedToken`. */
  readonly tokenVolumes: pulumi.Output<Record<string, TokenVolume>>;

  constructor(name: string, args: ContainerOrchestratorArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:ContainerOrchestrator', name, {}, opts);
    const { cluster = {}, roles = [] } = args;
    const dependsOn: pulumi.Resource[] = [];
    const { openDiscovery, serviceAccounts, kubeconfig, context } = cluster;
    const inCluster: pulumi.CustomResourceOptions = { parent: this };
    if ((openDiscovery || serviceAccounts) && (kubeconfig ?? context) !== undefined) {
      const { Provider } = kubernetesPackage();
      inCluster.provider = new Provider(`${name}-cluster`, { kubeconfig, context }, { parent: this });
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
    // Discovery must be open before: the service contacts the issuer when the method's configuration is written.
    const method = compose(this, name, 'container_orchestrator', args, dependsOn);
    this.path = method.path;
    this.accessor = method.accessor;
    this.tokenVolumes = pulumi.output(
      Object.fromEntries(roles.map((role) => [role.name.toLowerCase(), tokenVolume(role, args)])),
    );
    this.registerOutputs({ path: this.path, accessor: this.accessor, tokenVolumes: this.tokenVolumes });
  }
}

/** A volume with a token whose audience the role accepts. */
function tokenVolume(
  { audience, boundAudiences }: ServiceAccountRole,
  { issuer, cluster = {} }: ContainerOrchestratorArgs,
): pulumi.Input<TokenVolume> {
  const given = { audience, boundAudiences, issuer, expirationSeconds: cluster.tokenExpirationSeconds };
  return mapInput(given as unknown as TokenOf, (plain) =>
    projectedToken({
      // The same order as in `core/model/kinds/container-orchestrator.ts`.
      audience: textList.parse(plain.boundAudiences ?? [])[0] ?? plain.audience ?? plain.issuer ?? '',
      expirationSeconds: plain.expirationSeconds,
    }),
  );
}

interface TokenOf {
  audience?: string;
  boundAudiences?: string | string[];
  issuer?: string;
  expirationSeconds?: number;
}
