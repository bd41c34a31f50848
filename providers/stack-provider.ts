import * as pulumi from '@pulumi/pulumi';
import type { DeclaredProvider } from '../core/model/declared.ts';
import type { Environment, Provider } from '../core/model/environment.ts';
import { createInCluster, tokenVolumes } from './cluster-objects.ts';
import { type Additions, composeDeclared } from './compose.ts';
import { createApplication } from './directory-application.ts';
import type { TokenVolume } from './projected-token.ts';
import { componentName } from './providers.ts';

/**
 * A provider of a stack. It registers what the component of its kind does, but is built from the graph that the rules
 * judged: nothing is made that they have not seen.
 */
export class StackProvider extends pulumi.ComponentResource {
  readonly accessor: pulumi.Output<string>;
  /** Ids of the external groups, by their names in lower case. */
  readonly groupIds: ReadonlyMap<string, pulumi.Output<string>>;
  /** Of a container orchestrator. */
  readonly tokenVolumes?: pulumi.Output<Record<string, TokenVolume>>;

  constructor(
    settings: Provider,
    {
      declared,
      service,
      secrets,
    }: {
      declared: DeclaredProvider;
      service: Environment['service'];
      secrets: Pick<Additions, 'clientSecret' | 'serviceAccountKey'>;
    },
    opts: pulumi.ComponentResourceOptions,
  ) {
    const { kind, name } = settings;
    super(`gatehouse:index:${componentName(kind)}`, name, {}, opts);
    const additions = { ...secrets, ...createdFor(this, settings, service) };
    const { dialect } = service;
    const { method, groupIds } = composeDeclared(this, name, kind, { ...declared, dialect }, additions);
    this.accessor = method.accessor;
    this.groupIds = groupIds;
    if (kind === 'container_orchestrator') this.tokenVolumes = tokenVolumes(settings);
    this.registerOutputs({
      path: method.path,
      accessor: this.accessor,
      ...(this.tokenVolumes && { tokenVolumes: this.tokenVolumes }),
    });
  }
}

/** What the program creates outside the secrets service. */
function createdFor(
  parent: pulumi.ComponentResource,
  settings: Provider,
  service: Environment['service'],
): Additions {
  if (settings.kind === 'cloud_directory')
    return createApplication(parent, settings.name, { ...settings, service });
  if (settings.kind === 'container_orchestrator') return createInCluster(parent, settings.name, settings);
  return {};
}
