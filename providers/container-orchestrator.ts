import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { type Cluster, createInCluster, type ServiceAccountRole, tokenVolumes } from './cluster-objects.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { TokenVolume } from './projected-token.ts';
import type { ProviderArgs } from './provider-args.ts';

export type { Cluster as ClusterArgs, ServiceAccountRole as ServiceAccountRoleArgs };

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
 * Container orchestrator (docs/inside/specification.md B-4): a JWT auth method for the service account tokens of one
 * cluster. Each cluster has its own, as a method's keys are not bound to issuers
 * (docs/adr/0012-one-auth-method-a-cluster.md).
 */
export class ContainerOrchestrator extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;
  /** Name of a role → pod volume with a token for it, from `projectedToken`. */
  declare readonly tokenVolumes: pulumi.Output<Record<string, TokenVolume>>;

  constructor(name: string, args: ContainerOrchestratorArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:ContainerOrchestrator', name, withSecrets(args), opts);
    // Discovery must be open before: the service contacts the issuer when the method's configuration is written.
    const outputs = compose(this, name, 'container_orchestrator', args, createInCluster(this, name, args));
    this.registerOutputs(setOutputs(this, { ...outputs, tokenVolumes: tokenVolumes(args) }));
  }
}
