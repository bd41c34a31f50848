import type { DeclaredProvider, Provider, ServiceSettings } from '@gatehouse/core/environment';
import * as pulumi from '@pulumi/pulumi';
import { createInCluster, tokenVolumes } from './cluster-objects.ts';
import { composeDeclared, type ProviderAdditions } from './compose.ts';
import { createApplication } from './directory-application.ts';
import type { TokenVolume } from './projected-token.ts';
import { componentName } from './providers.ts';

/** What a stack has for its provider in addition to the settings. */
interface StackArgs {
  /** What the rules judged. */
  declared: DeclaredProvider;
  service: ServiceSettings;
  additions: Pick<ProviderAdditions, 'clientSecret' | 'serviceAccountKey' | 'namespace'>;
}

/**
 * A provider of a stack. It makes what the component of its kind makes, but is built from the graph that the rules
 * judged: nothing is made that they have not seen. Its own inputs are in the stack's file, and are not in its state.
 */
export class StackProvider extends pulumi.ComponentResource {
  readonly accessor: pulumi.Output<string>;
  /** Ids of the external groups, by their names. */
  readonly groupIds: ReadonlyMap<string, pulumi.Output<string>>;
  /** Only for a container orchestrator: name of a role → pod volume with a token for it. */
  readonly tokenVolumes?: pulumi.Output<Record<string, TokenVolume>>;

  constructor(
    settings: Provider,
    { declared, service, additions: configured }: StackArgs,
    opts: pulumi.ComponentResourceOptions,
  ) {
    const { kind, name } = settings;
    super(`gatehouse:index:${componentName(kind)}`, name, {}, opts);
    const additions = { ...configured, ...createdFor(this, settings, service) };
    const graph = { ...declared, dialect: service.dialect };
    const { method, groupIds } = composeDeclared(this, settings, graph, additions);
    this.accessor = method.accessor;
    this.groupIds = groupIds;
    if (kind === 'container_orchestrator') this.tokenVolumes = tokenVolumes(settings);
    // Token volumes would be in the state a second time: the stack has them among its outputs.
    this.registerOutputs({ path: method.path, accessor: this.accessor });
  }
}

/** What the program creates outside the secrets service. */
function createdFor(parent: StackProvider, settings: Provider, service: ServiceSettings): ProviderAdditions {
  if (settings.kind === 'cloud_directory')
    return createApplication(parent, settings.name, { ...settings, service });
  if (settings.kind === 'container_orchestrator') return createInCluster(parent, settings.name, settings);
  return {};
}
