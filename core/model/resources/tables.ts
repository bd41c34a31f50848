import { configFields } from './auth-method.ts';
import { messageFields } from './custom-message.ts';
import { aliasFields, groupFields } from './external-group.ts';
import type { Fields } from './field.ts';
import { policyFields } from './policy.ts';
import { roleFields } from './role.ts';

/** The fields of every type of resource. An auth method's are those of its configuration. */
export const tables = {
  method: configFields,
  role: roleFields,
  group: groupFields,
  alias: aliasFields,
  policy: policyFields,
  message: messageFields,
} as const satisfies Record<string, Fields>;
export type ResourceType = keyof typeof tables;

/** Whether a field is a duration, which people write as `10m`. A leeway is not: it has numbers with a meaning. */
export function isDuration(type: ResourceType, name: string): boolean {
  const table: Fields = tables[type];
  const field = Object.hasOwn(table, name) ? table[name] : undefined;
  return field?.type === 'seconds' && field.takes !== 'seconds';
}
