import type { AuthMethod, MethodConfig } from './resources/auth-method.ts';
import { methodConfig, type Tune, tune } from './resources/auth-method.ts';
import { type CustomMessage, decodeMessage, type MessageType } from './resources/custom-message.ts';
import type { ExternalGroup } from './resources/external-group.ts';
import { providerConfigFromWire } from './resources/provider-config.ts';
import { type Role, type RoleFields, roleFields } from './resources/role.ts';
import { canonicalInstant } from './values/instant.ts';
import { modelName } from './values/wire.ts';

type Wire = Record<string, unknown>;

/** A service answers unset fields with null, "", 0, false, [] or {}: all of them read as absent. */
function isUnset(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Reads the body of `auth/<path>/config` (interface.md B1), in either dialect. */
export function methodConfigFromWire(wire: Wire): MethodConfig {
  const config: Wire = {};
  for (const [key, value] of Object.entries(wire)) {
    const field = modelName(key);
    // The one field whose default is true: its false is an answer, but for servers that do not know it.
    if (isUnset(value) && !(field === 'namespaceInState' && value === false)) continue;
    if (field === 'providerConfig') {
      const known = providerConfigFromWire(value as Wire);
      if (known !== undefined) config[field] = known;
    } else if (field in methodConfig.shape) {
      config[field] = lenient(methodConfig.shape[field as keyof typeof methodConfig.shape], value);
    }
  }
  return config;
}

/** Reads an auth method from its entry in `sys/auth` and its config. */
export function methodFromWire(path: string, mount: Wire, config: Wire): AuthMethod {
  return {
    path: path.replace(/^\/+|\/+$/g, ''),
    // The type of a mount says which plugin serves it; both types are one plugin in OpenBao and Vault.
    type: mount['type'] === 'oidc' ? 'oidc' : 'jwt',
    ...(isUnset(mount['description']) ? {} : { description: String(mount['description']) }),
    config: methodConfigFromWire(config),
    ...tuneFromWire((mount['config'] ?? {}) as Wire),
  };
}

/** How a mount is tuned, as its entry in `sys/auth` says; what is the service's own default reads as absent. */
function tuneFromWire(wire: Wire): Pick<AuthMethod, 'tune'> {
  const defaults: Wire = { listing_visibility: 'hidden', token_type: 'default-service' };
  const tuned = Object.entries(wire).flatMap(([key, value]) => {
    const field = modelName(key) as keyof Tune;
    if (!(field in tune.shape) || isUnset(value) || value === defaults[key]) return [];
    return [[field, lenient(tune.shape[field], value)]];
  });
  return tuned.length === 0 ? {} : { tune: Object.fromEntries(tuned) };
}

/** Reads an external group, as `identity/group/id/<id>` answers it. */
export function groupFromWire(wire: Wire): ExternalGroup {
  const policies = Array.isArray(wire['policies']) ? wire['policies'].map(String) : [];
  const metadata = wire['metadata'];
  return {
    name: String(wire['name'] ?? ''),
    policies,
    ...(isUnset(metadata) ? {} : { metadata: metadata as Record<string, string> }),
  };
}

/**
 * Reads a role (interface.md B2), in either spelling: lists may be one text with commas, `policies` and `ttl`
 * may stand for `token_policies` and `token_ttl`, which go before them. A value that no declaration could hold
 * (a boolean in bound_claims) is kept as it was read.
 */
export function roleFromWire(method: string, name: string, wire: Wire): Role {
  const fields: Wire = {};
  const entries = Object.entries(wire).sort(([a], [b]) => Number(isToken(a)) - Number(isToken(b)));
  for (const [key, value] of entries) {
    const field = modelName(key);
    if (field in roleFields && !isUnset(value)) {
      fields[field] = lenient(roleFields[field as keyof RoleFields], value);
    }
  }
  const role = fields as RoleFields;
  const { callback_mode: callbackMode } = wire;
  return {
    ...role,
    method,
    name,
    roleType: role.roleType ?? 'oidc',
    userClaim: role.userClaim ?? '',
    ...(typeof callbackMode === 'string' && !isUnset(callbackMode) ? { callbackMode } : {}),
  };
}

function isToken(key: string): boolean {
  return key.startsWith('token_');
}

function lenient(
  schema: { safeParse(value: unknown): { success: boolean; data?: unknown } },
  value: unknown,
): unknown {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : value;
}

/** Reads a custom message (interface.md C1). */
export function messageFromWire(wire: Wire): CustomMessage {
  const link = wire['link'];
  const options = wire['options'];
  return {
    title: String(wire['title'] ?? ''),
    message: decodeMessage(String(wire['message'] ?? '')) ?? '',
    type: (wire['type'] ?? 'banner') as MessageType,
    authenticated: wire['authenticated'] !== false,
    startTime: canonicalInstant(String(wire['start_time'] ?? '')),
    ...(isUnset(wire['end_time']) ? {} : { endTime: canonicalInstant(String(wire['end_time'])) }),
    ...(isUnset(link) ? {} : { link: link as Record<string, string> }),
    ...(isUnset(options) ? {} : { options: options as Record<string, string> }),
  };
}
