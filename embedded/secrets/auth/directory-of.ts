import type { Directory } from '../../../core/login/identify.ts';
import { CloudDirectory } from './cloud-directory.ts';
import type { Config } from './config.ts';
import { providerOf } from './provider-config.ts';
import { WorkspaceSuite } from './workspace-suite.ts';

/**
 * Where the directories are that sign-ins are completed from. Nothing that a request says changes them: access tokens
 * go there and nowhere else.
 */
export interface DirectoryAddresses {
  /** Group API of the cloud directory, with its version. Defaults to the public ones. */
  cloudDirectory?: string;
  /** Directory API of the workspace suite. Defaults to the public one. */
  workspaceSuite?: string;
  /** Where the suite gives access tokens to service accounts. Defaults to the public one. */
  workspaceSuiteTokens?: string;
}

/**
 * The directory that the provider config of a method names; undefined for a method without one.
 *
 * @param accessToken What the provider gave at a sign-in by OIDC; none at one with a JWT.
 */
export function directoryOf(
  config: Config,
  addresses: DirectoryAddresses,
  now: bigint,
  accessToken?: string,
): Directory | undefined {
  switch (providerOf(config.provider_config)) {
    case 'cloud_directory':
      return new CloudDirectory({
        groupApi: addresses.cloudDirectory,
        issuer: config.oidc_discovery_url,
        caPem: config.oidc_discovery_ca_pem,
        accessToken,
      });
    case 'workspace_suite':
      return new WorkspaceSuite({ config: config.provider_config, addresses, now });
    default:
      return undefined;
  }
}
