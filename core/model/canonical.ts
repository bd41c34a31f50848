import { type PathRule, parsePolicy } from './policies/parse-policy.ts';
import { type AuthMethod, configFields } from './resources/auth-method.ts';
import { type CustomMessage, messageFields } from './resources/custom-message.ts';
import { type ExternalGroup, groupFields } from './resources/external-group.ts';
import { type ByName, canonicalFields, sortedJson } from './resources/field.ts';
import type { Policy } from './resources/policy.ts';
import { type Role, roleFields } from './resources/role.ts';
import type { Holder } from './state.ts';

/** Fields of something, each in the one form in which it is compared; what is a default is not there. */
export type Canonical = ByName;

/** A role's fields, but for its place and name. */
export function canonicalRole(role: Role): Canonical {
  return canonicalFields(roleFields, role);
}

/** An auth method's type, description and configuration. Secrets are left out: no read returns them. */
export function canonicalMethod({ type, description, config }: AuthMethod): Canonical {
  const { providerConfig } = config;
  const lookUp = providerConfig?.provider === 'workspace_suite' ? providerConfig : undefined;
  return {
    type,
    ...(description ? { description } : {}),
    ...canonicalFields(configFields, {
      ...config,
      providerConfig: lookUp === undefined ? providerConfig : { ...lookUp, suiteServiceAccount: undefined },
    }),
  };
}

/** An external group's policies and metadata. */
export function canonicalGroup({ name: _name, ...group }: ExternalGroup): Canonical {
  return canonicalFields(groupFields, group);
}

/** A group of groups: its policies, and who is in it. */
export function canonicalHolder({ policies, members = [] }: Holder): Canonical {
  const names = members.map(({ kind, name }) => `${kind} ${kind === 'group' ? name.toLowerCase() : name}`);
  return { ...canonicalFields(groupFields, { policies }), members: [...new Set(names)].sort() };
}

/** What a policy says; its text where it cannot be read. */
export function canonicalPolicy({ text }: Policy): Canonical {
  try {
    // Comments, blanks, the order of paths and of what is in their lists mean nothing.
    return { text: parsePolicy(text).map(ruleText).sort() };
  } catch {
    return { text: text.trim() };
  }
}

function ruleText(rule: PathRule): string {
  const sorted = (values: unknown[]) => [...new Set(values.map(sortedJson))].sort();
  const byName = (lists: Record<string, unknown[]> = {}) =>
    Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, sorted(values)]));
  return sortedJson({
    ...rule,
    capabilities: sorted(rule.capabilities),
    requiredParameters: sorted(rule.requiredParameters ?? []),
    allowedParameters: byName(rule.allowedParameters),
    deniedParameters: byName(rule.deniedParameters),
    expires: rule.expires?.toString(),
  });
}

/** A message's fields, but for its title. */
export function canonicalMessage({ title: _title, ...message }: CustomMessage): Canonical {
  const { type, authenticated } = message;
  return { ...canonicalFields(messageFields, message), type, authenticated };
}
