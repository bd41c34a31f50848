import * as pulumi from '@pulumi/pulumi';
import { type TextsInput, withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { PipelineArgs, ProviderRole } from './provider-args.ts';

export type { HcpTerraformRole as HcpTerraformRoleArgs };

/** A role for runs of HCP Terraform or Terraform Enterprise: for those with all that it says. */
interface HcpTerraformRole extends ProviderRole {
  /** Id of the workspace; binds the claim `terraform_workspace_id`. Defaults to any. */
  workspaceId?: TextsInput;
  /** Id of the project; binds the claim `terraform_project_id`. Defaults to any. */
  projectId?: TextsInput;
  /** Id of the organization; binds the claim `terraform_organization_id`. Defaults to any. */
  organizationId?: TextsInput;
  /** Name of the organization; binds the claim `terraform_organization_name`. Defaults to any. */
  organizationName?: TextsInput;
  /** The run phase; binds the claim `terraform_run_phase`. Defaults to any. */
  runPhase?: TextsInput;
}

/** Arguments: the issuer, and the audience of its tokens. */
export interface HcpTerraformArgs extends PipelineArgs {
  /** Exact issuer of the tokens. Defaults to `https://app.terraform.io`. */
  issuer?: pulumi.Input<string>;
  /** Defaults to none. */
  roles?: HcpTerraformRole[];
}

/** Runs of HCP Terraform or Terraform Enterprise, set up as a JWT auth method with its roles. */
export class HcpTerraform extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: HcpTerraformArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:HcpTerraform', name, withSecrets(args), opts);
    this.registerOutputs(setOutputs(this, compose(this, name, 'hcp_terraform', args)));
  }
}
