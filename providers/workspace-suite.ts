import { serviceAccountKeyProblem } from '@gatehouse/core/environment';
import { GatehouseError } from '@gatehouse/core/values';
import * as pulumi from '@pulumi/pulumi';
import { mapInput, type TextsInput, withSecrets } from '../components/inputs.ts';
import { compose, type ProviderOutputs, setOutputs } from './compose.ts';
import type { OidcProviderArgs } from './provider-args.ts';

export type { WorkspaceDirectory as WorkspaceDirectoryArgs };

/** Group and user lookup in the suite's directory (docs/inside/specification.md B3, B-3). */
interface WorkspaceDirectory {
  /**
   * Path of the service account key file on the secrets service's host. Defaults to none: `serviceAccountKey` has the
   * key.
   */
  serviceAccountFile?: pulumi.Input<string>;
  /** Email address of the administrator to impersonate. */
  adminImpersonate: pulumi.Input<string>;
  /** Whether groups are looked up. Defaults to true. */
  fetchGroups?: pulumi.Input<boolean>;
  /** Whether user info is looked up, by `userCustomSchemas`. Defaults to false. */
  fetchUserInfo?: pulumi.Input<boolean>;
  /** Depth to which groups of groups are followed. Defaults to 0: not at all. */
  groupsRecurseMaxDepth?: pulumi.Input<number>;
  /** Custom schemas whose values become claims. Required if `fetchUserInfo`. */
  userCustomSchemas?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Arguments of a workspace suite. Groups need a service account. */
export interface WorkspaceSuiteArgs extends OidcProviderArgs {
  /** Base URL of the suite's sign-in service. Defaults to `https://accounts.google.com`. */
  authority?: pulumi.Input<string>;
  /**
   * The domain of the organization, or several: people of others cannot sign in. Defaults to any, personal accounts
   * included, where the consent screen is for external users.
   */
  hostedDomain?: TextsInput;
  /** Group and user lookup. Defaults to none: people sign in without groups. */
  directory?: pulumi.Input<WorkspaceDirectory>;
  /**
   * The service account's key as JSON. Kept secret in state. Required with `directory`, unless that names a key file.
   */
  serviceAccountKey?: pulumi.Input<string>;
}

/**
 * Workspace suite provider (docs/inside/specification.md B-2), set up as an OIDC auth method with its roles and groups.
 */
export class WorkspaceSuite extends pulumi.ComponentResource implements ProviderOutputs {
  declare readonly path: pulumi.Output<string>;
  declare readonly accessor: pulumi.Output<string>;
  declare readonly roles: pulumi.Output<Record<string, string>>;
  declare readonly groups: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: WorkspaceSuiteArgs, opts?: pulumi.ComponentResourceOptions) {
    super('gatehouse:index:WorkspaceSuite', name, withSecrets(args), opts);
    const hasKey = args.serviceAccountKey !== undefined;
    const checked = {
      ...args,
      serviceAccountKey: mapInput(args.serviceAccountKey, (key) => usableKey(name, key)),
      directory: mapInput(args.directory, (directory) => withOneKey(name, directory, hasKey)),
    };
    this.registerOutputs(setOutputs(this, compose(this, name, 'workspace_suite', checked)));
  }
}

/** Checks that a directory has exactly one key, and returns it. */
function withOneKey<Directory extends WorkspaceDirectory | undefined>(
  name: string,
  directory: Directory,
  hasKey: boolean,
): Directory {
  const keys = Number(hasKey) + Number(directory?.serviceAccountFile !== undefined);
  if (keys === (directory === undefined ? 0 : 1)) return directory;
  const text = directory === undefined ? 'provider_invalid.key_unused' : 'provider_invalid.keys';
  throw new GatehouseError(text, { where: `workspace_suite ${JSON.stringify(name)}` });
}

/** Checks the key of a service account, and returns it. */
function usableKey(name: string, key: string | undefined): string | undefined {
  const problem = key === undefined ? undefined : serviceAccountKeyProblem(key);
  if (problem === undefined) return key;
  const where = `workspace_suite ${JSON.stringify(name)}, serviceAccountKey`;
  throw new GatehouseError('provider_invalid.key', { where, values: { problem } });
}
