import type { MethodConfig } from '../graph/resources/auth-method.ts';
import type { Role } from '../graph/resources/role.ts';

/** What a sign-in reads of a role. A role of a declared or a live graph is one. */
export type LoginRole = Omit<Role, 'method'>;

/** What a sign-in reads of the configuration of its auth method. */
export type LoginConfig = Pick<
  MethodConfig,
  'boundIssuer' | 'jwtSupportedAlgs' | 'oidcClientId' | 'oidcDiscoveryUrl'
>;
