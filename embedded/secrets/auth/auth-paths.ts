import { mountPaths } from '../mounts/mount-paths.ts';
import { remountPaths } from '../mounts/remount-paths.ts';
import type { SecretsPath } from '../protocol/path.ts';
import { configPath } from './config-path.ts';
import { Issuers } from './issuers.ts';
import { loginPath } from './login-path.ts';
import { oidcPaths } from './oidc-paths.ts';
import { PendingLogins } from './pending-logins.ts';
import { rolePaths } from './role-paths.ts';
import type { DirectoryAddresses } from './workspace-suite.ts';

export interface AuthPathsArgs {
  /** Told what callers are not, never a secret. Defaults to telling nobody. */
  log?: (message: string) => void;
  /** Where sign-ins look groups and attributes up. Defaults to the public addresses of each directory. */
  directories?: DirectoryAddresses;
}

/** Everything about auth methods: one call a service, which keeps logins under way and issuers' keys in memory. */
export function authPaths({ log = () => {}, directories = {} }: AuthPathsArgs = {}): SecretsPath[] {
  const issuers = new Issuers();
  return [
    ...mountPaths,
    ...remountPaths,
    ...rolePaths,
    configPath(issuers),
    loginPath(issuers, directories),
    ...oidcPaths({ issuers, directories, pending: new PendingLogins(), log }),
  ];
}
