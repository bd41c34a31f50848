import { LoginRefused, LoginStep } from '../../../core/login/login-refused.ts';
import { signIn } from '../../../core/login/sign-in.ts';
import { textField } from '../fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../path.ts';
import { Refusal } from '../refusal.ts';
import { isAddressIn } from './address-range.ts';
import { type Config, getConfig } from './config.ts';
import type { Issuers } from './issuers.ts';
import { methodKeys } from './method-keys.ts';
import { mountOf } from './mount-of.ts';
import { openSession } from './open-session.ts';
import { refuseSuiteLookups } from './provider-lookup.ts';
import { getRole, loginRole } from './role.ts';

/** Signing in with a JWT (interface.md B-1). */
export function loginPath(issuers: Issuers): SecretsPath {
  async function login(context: RequestContext): Promise<Reply> {
    const { storage, request, now } = context;
    const { namespace, body } = request;
    const mount = mountOf(context);
    const config = getConfig(storage, namespace, mount);
    const role = (name: string) => {
      const found = getRole(storage, namespace, mount, name);
      return found === undefined ? undefined : loginRole(name, found);
    };
    const signedIn = await signIn({
      config: config && loginConfig(config),
      roleName: (textField(body, 'role') ?? '').toLowerCase(),
      role,
      token: textField(body, 'jwt') ?? '',
      keys: config === undefined ? noKeys : methodKeys(config, issuers, now),
      addressAllowed: (cidrs) => isAddressIn(request.remoteAddress, cidrs),
      now,
    });
    if (signedIn instanceof LoginRefused) throw asRefusal(signedIn);
    // An issuer may have taken its time: what was judged must still be what is there.
    const current = getRole(storage, namespace, mountOf(context), signedIn.metadata['role'] ?? '');
    if (current === undefined) throw new Refusal(400, 'the role is gone');
    try {
      if (config !== undefined) refuseSuiteLookups(config, loginRole('', current));
    } catch (error) {
      throw error instanceof LoginRefused ? asRefusal(error) : error;
    }
    return openSession(context, mount, current, signedIn);
  }
  return { pattern: 'auth/{mount}/login', unauthenticated: true, operations: { update: login } };
}

const noKeys = () => ({ source: 'configured' as const, keys: [] });

function loginConfig(config: Config) {
  return {
    boundIssuer: config.bound_issuer,
    jwtSupportedAlgs: config.jwt_supported_algs,
    defaultRole: config.default_role,
  };
}

export function asRefusal({ step, message }: LoginRefused): Refusal {
  return new Refusal(step === LoginStep.sourceAddress ? 403 : 400, message);
}
