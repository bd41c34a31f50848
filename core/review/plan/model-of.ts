import { type AuthMethod, methodFromWire, type Tune, tuneFields } from '../../model/resources/auth-method.ts';
import { type CustomMessage, messageFromWire } from '../../model/resources/custom-message.ts';
import { canonicalPolicyNames } from '../../model/resources/policy.ts';
import { type Role, roleFromWire } from '../../model/resources/role.ts';
import { splitTextList } from '../../model/values/text-list.ts';
import { toCamelCase } from '../../model/values/wire.ts';
import type { Fields } from './planned-resource.ts';

/** What the official plugins' fields come to in the model. */
export function methodOf(path: string, fields: Fields): AuthMethod {
  const method = methodFromWire(path, fields, {
    ...fields,
    provider_config: textMap(fields['provider_config']),
  });
  const { providerConfig } = method.config;
  if (providerConfig?.provider === 'workspace_suite') {
    // A path to a key file, or the key itself: never kept.
    method.config.providerConfig = { ...providerConfig, suiteServiceAccount: '[secret]' };
  }
  const given = blockOf(fields['tune']);
  if (given === undefined) return method;
  const read = Object.entries(knownTune(given)).flatMap(([name, value]) => {
    const { success, data } = tuneFields[name as keyof Tune].schema.safeParse(value);
    return success ? [[name, data]] : [];
  });
  return read.length > 0 ? { ...method, tune: Object.fromEntries(read) } : method;
}

/** What is set of a mount's tuning, by the names of the model. */
export function knownTune(block: Fields): Fields {
  return Object.fromEntries(
    Object.entries(block)
      .map(([name, value]) => [toCamelCase(name), value] as const)
      .filter(([name, value]) => Object.hasOwn(tuneFields, name) && !isEmpty(value)),
  );
}

export function roleOf(method: string, name: string, fields: Fields): Role {
  const splits = fields['disable_bound_claims_parsing'] !== true;
  const bound = Object.entries(objectOf(fields['bound_claims']) ?? {}).map(([claim, value]) => [
    claim,
    // An empty one between commas is bound as well.
    splits && typeof value === 'string' && value.includes(',')
      ? value.split(',').map((one) => one.trim())
      : value,
  ]);
  const role = roleFromWire(method, name, { ...fields, bound_claims: Object.fromEntries(bound) });
  return role.policies === undefined ? role : { ...role, policies: canonicalPolicyNames(role.policies) };
}

export function messageOf(fields: Fields): CustomMessage {
  const link = blockOf(fields['link']);
  return messageFromWire({
    ...fields,
    message: fields['message_base64'],
    link: link === undefined ? undefined : { [textOf(link['title']) ?? '']: textOf(link['href']) ?? '' },
  });
}

export function policyTextOf(fields: Fields): string {
  return textOf(fields['policy']) ?? '';
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return splitTextList(value);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** A map of texts; other values as text. Undefined where there is none. */
export function textMap(value: unknown): Record<string, string> | undefined {
  const object = objectOf(value);
  if (object === undefined || Object.keys(object).length === 0) return undefined;
  return Object.fromEntries(Object.entries(object).map(([name, one]) => [name, String(one)]));
}

/** A block: Terraform has a list of one, Pulumi the one itself. */
export function blockOf(value: unknown): Fields | undefined {
  return objectOf(Array.isArray(value) ? value[0] : value);
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0);
}

function objectOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
