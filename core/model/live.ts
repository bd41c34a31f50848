import { type AuthMethod, configFields, type MethodConfig, tuneFields } from './resources/auth-method.ts';
import { type CustomMessage, decodeMessage, MessageType, messageFields } from './resources/custom-message.ts';
import { type ExternalGroup, groupFields } from './resources/external-group.ts';
import { type ByName, readFields } from './resources/field.ts';
import { providerConfigFromWire } from './resources/provider-config.ts';
import { type Role, roleFields } from './resources/role.ts';
import { canonicalInstant } from './values/instant.ts';

/** Reads the body of `auth/<path>/config` (interface.md B1), in either dialect. */
export function methodConfigFromWire({ provider_config: given, ...wire }: ByName): MethodConfig {
  const config: MethodConfig = readFields(configFields, wire);
  const known = providerConfigFromWire((given ?? {}) as ByName);
  return known === undefined ? config : { ...config, providerConfig: known };
}

/** Reads an auth method from its entry in `sys/auth` and its config. */
export function methodFromWire(path: string, mount: ByName, config: ByName): AuthMethod {
  const tuned = readFields(tuneFields, (mount['config'] ?? {}) as ByName);
  const tune = Object.entries(tuned).filter(
    ([name, value]) =>
      value !== (tuneFields[name as keyof typeof tuneFields] as { default?: unknown }).default,
  );
  return {
    path: path.replace(/^\/+|\/+$/g, ''),
    // The type of a mount says which plugin serves it; both types are one plugin in OpenBao and Vault.
    type: mount['type'] === 'oidc' ? 'oidc' : 'jwt',
    ...(mount['description'] ? { description: String(mount['description']) } : {}),
    config: methodConfigFromWire(config),
    ...(tune.length === 0 ? {} : { tune: Object.fromEntries(tune) }),
  };
}

/** Reads an external group, as `identity/group/id/<id>` answers it. */
export function groupFromWire(wire: ByName): ExternalGroup {
  return { name: '', policies: [], ...readFields(groupFields, wire) };
}

/**
 * Reads a role (interface.md B2), in either spelling: lists may be one text with commas, `policies` and `ttl`
 * may stand for `token_policies` and `token_ttl`, which take precedence.
 */
export function roleFromWire(method: string, name: string, wire: ByName): Role {
  const { roleType = 'oidc', userClaim = '', ...fields } = readFields(roleFields, wire);
  return { ...fields, method, name, roleType, userClaim };
}

/** Reads a custom message (interface.md C1). */
export function messageFromWire(wire: ByName): CustomMessage {
  const { title = '', message = '', startTime, endTime, ...fields } = readFields(messageFields, wire);
  return {
    ...fields,
    title,
    message: decodeMessage(message) ?? '',
    type: fields.type ?? MessageType.banner,
    authenticated: fields.authenticated ?? true,
    startTime: canonicalInstant(startTime ?? ''),
    ...(endTime === undefined ? {} : { endTime: canonicalInstant(endTime) }),
  };
}
