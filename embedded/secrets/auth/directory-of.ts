import type { Directory } from '../../../core/login/identify.ts';
import { CloudDirectory } from './cloud-directory.ts';
import type { Config } from './config.ts';
import { providerOf } from './provider-config.ts';
import { type DirectoryAddresses, WorkspaceSuite } from './workspace-suite.ts';

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
