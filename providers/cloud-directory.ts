import * as pulumi from '@pulumi/pulumi';
import { withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import { createApplication, type DirectoryApplication } from './directory-application.ts';
import type { ProviderArgs } from './provider-args.ts';

export type { DirectoryApplication as DirectoryApplicationArgs };

/** Arguments of a cloud directory: the tenant, and an application that exists or is created. */
export interface CloudDirectoryArgs extends ProviderArgs {
  /** The directory: its tenant id, a GUID. */
  tenantId: pulumi.Input<string>;
  /** Base URL of the directory's sign-in service. Defaults to `https://login.microsoftonline.com`. */
  authority?: pulumi.Input<string>;
  /** Client (application) id of an existing application. Exactly one of `clientId` and `application` is required. */
  clientId?: pulumi.Input<string>;
  /** Client secret of an existing application. Kept secret in state. */
  clientSecret?: pulumi.Input<string>;
  /** An application to create, with its client secret. */
  application?: DirectoryApplication;
  /** Default scope of the graph API. Defaults to that of the authority's cloud, or else the public one. */
  graphScope?: pulumi.Input<string>;
  /** True if people may be in more than 200 groups: the service then asks the directory. Defaults to false. */
  manyGroups?: boolean;
  /** CA certificate to trust when contacting the directory. Defaults to the host's own. */
  caPem?: pulumi.Input<string>;
  /** `query` or `form_post`. Defaults to `query`. */
  oidcResponseMode?: pulumi.Input<string>;
}

/**
 * Cloud directory provider (docs/inside/specification.md B-2), set up as an OIDC auth method with its roles and groups.
 */
export class CloudDirectory extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;
  /** Client (application) id: the one that was given, or that of the created application. */
  declare readonly clientId: pulumi.Output<string>;

  constructor(name: string, args: CloudDirectoryArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:CloudDirectory', name, withSecrets(args), opts);
    const application = createApplication(this, name, args);
    const outputs = compose(this, name, 'cloud_directory', args, application);
    const clientId = pulumi.output(application.createdClientId ?? args.clientId) as pulumi.Output<string>;
    this.registerOutputs(setOutputs(this, { ...outputs, clientId }));
  }
}
