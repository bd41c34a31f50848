import { isAddressIn } from '@gatehouse/core/access';
import { type Directory, LoginRefused, LoginStep, signIn } from '@gatehouse/core/login';
import { z } from 'zod';
import { mountOf } from '../mounts/mount.ts';
import { textField } from '../protocol/fields.ts';
import {
  type Reply,
  type RequestContext,
  type SecretsPath,
  withoutToken,
  writeOnly,
} from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { cloudDirectory } from './cloud-directory.ts';
import { type Config, getConfig } from './config.ts';
import { type Issuers, methodKeys } from './issuers.ts';
import { providerOf } from './provider-config.ts';
import { loginRole, rolesOf, type StoredRole } from './role.ts';
import { authSchema as auth, openSession } from './session.ts';
import { type DirectoryAddresses, workspaceSuite } from './workspace-suite.ts';

/** Sign-in with a JWT (docs/inside/specification.md B-1). */
export function loginPath(issuers: Issuers, directories: DirectoryAddresses): SecretsPath {
  async function login(context: RequestContext): Promise<Reply> {
    const { now, body } = context;
    const mount = mountOf(context);
    const config = getConfig(context, mount);
    let judged: { roleName: string; role: StoredRole } | undefined;
    const signedIn = await signIn({
      config: config && loginConfig(config),
      roleName: (textField(body, 'role') ?? '').toLowerCase(),
      role(roleName) {
        const role = rolesOf(mount).get(context, roleName);
        judged = role && { roleName, role };
        return role && loginRole(roleName, role);
      },
      token: textField(body, 'jwt') ?? '',
      keys: config === undefined ? noKeys : methodKeys(config, issuers, now),
      directory: config && directoryOf(config, directories, now),
      addressAllowed: (cidrs) => isAddressIn(context.remoteAddress, cidrs),
      now,
    });
    if (signedIn instanceof LoginRefused) throw asRefusal(signedIn);
    if (judged === undefined) throw new Error('signed in without a role');
    return openSession(context, { mount, ...judged, signedIn });
  }
  const body = z.object({ jwt: z.string(), role: z.string().optional() });
  return withoutToken(writeOnly('auth/{mount}/login', 'Sign in with a JWT', login, { body, auth }));
}

const noKeys = () => ({ source: 'configured' as const, keys: [] });

function loginConfig(config: Config) {
  return {
    boundIssuer: config.bound_issuer,
    jwtSupportedAlgs: config.jwt_supported_algs,
    defaultRole: config.default_role,
  };
}

/**
 * The directory that a method's provider config names; undefined for none.
 *
 * @param accessToken From an OIDC sign-in; none for a JWT.
 */
export function directoryOf(
  config: Config,
  addresses: DirectoryAddresses,
  now: bigint,
  accessToken?: string,
): Directory | undefined {
  switch (providerOf(config.provider_config)) {
    case 'cloud_directory':
      return cloudDirectory({
        groupApi: addresses.cloudDirectory,
        issuer: config.oidc_discovery_url,
        caPem: config.oidc_discovery_ca_pem,
        accessToken,
      });
    case 'workspace_suite':
      return workspaceSuite({ config: config.provider_config, addresses, now });
    default:
      return undefined;
  }
}

export function asRefusal({ step, message }: LoginRefused): RequestRefusal {
  return new RequestRefusal(step === LoginStep.sourceAddress ? 403 : 400, message);
}
