import type { SecretsPath } from '../path.ts';
import { configPath } from './config-path.ts';
import { Issuers } from './issuers.ts';
import { loginPath } from './login-path.ts';
import { mountPaths } from './mount-paths.ts';
import { oidcPaths } from './oidc-paths.ts';
import { PendingLogins } from './pending-logins.ts';
import { remountPaths } from './remount-paths.ts';
import { rolePaths } from './role-paths.ts';

export interface AuthPathsArgs {
  /** Told what callers are not, never a secret. Defaults to telling nobody. */
  log?: (message: string) => void;
}

/** Everything about auth methods: one call a service, which keeps logins under way and issuers' keys in memory. */
export function authPaths({ log = () => {} }: AuthPathsArgs = {}): SecretsPath[] {
  const issuers = new Issuers();
  return [
    ...mountPaths,
    ...remountPaths,
    ...rolePaths,
    configPath(issuers),
    loginPath(issuers),
    ...oidcPaths({ issuers, pending: new PendingLogins(), log }),
  ];
}
