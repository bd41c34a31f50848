import * as pulumi from '@pulumi/pulumi';
import { compose } from './compose.ts';
import type { BoundInput, PipelineArgs, ProviderRoleArgs } from './provider-args.ts';

/** A role for runs of HCP Terraform or Terraform Enterprise: for those with all that it says. */
export interface HcpTerraformRoleArgs extends ProviderRoleArgs {
  /** Id of the workspace; binds the claim `terraform_workspace_id`. Defaults to any. */
  workspaceId?: BoundInput;
  /** Id of the project; binds the claim `terraform_project_id`. Defaults to any. */
  projectId?: BoundInput;
  /** Id of the organization; binds the claim `terraform_organization_id`. Defaults to any. */
  organizationId?: BoundInput;
  /** Name of the organization; binds the claim `terraform_organization_name`. Defaults to any. */
  organizationName?: BoundInput;
  /** The run phase; binds the claim `terraform_run_phase`. Defaults to any. */
  runPhase?: BoundInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface HcpTerraformArgs extends PipelineArgs {
  /** Exact issuer of the tokens. Defaults to `https://app.terraform.io`. */
  issuer?: pulumi.Input<string>;
  roles?: HcpTerraformRoleArgs[];
}

/** Runs of HCP Terraform or Terraform Enterprise, set up as a JWT auth method with its roles. */
export class HcpTerraform extends pulumi.ComponentResource {
  /** Mount path of the auth method. */
  readonly path: pulumi.Output<string>;
  /** Accessor of the auth method. */
  readonly accessor: pulumi.Output<string>;

  constructor(name: string, args: HcpTerraformArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:HcpTerraform', name, {}, opts);
    const method = compose(this, name, 'hcp_terraform', args);
    this.path = method.path;
    this.accessor = method.accessor;
    this.registerOutputs({ path: this.path, accessor: this.accessor });
  }
}
