import { type PathRule, parsePolicy } from './policies/parse-policy.ts';
import { type ByName, canonicalFields, sortedJson } from './resources/field.ts';
import type { Resource } from './resources/resource.ts';

/** What is compared of a part: its fields in one form for all spellings, without defaults, its name and secrets. */
export function canonicalOf<Part extends object>(resource: Resource<Part>, part: Part): ByName {
  if (resource.canonical !== undefined) return resource.canonical(part);
  const { name: _name, ...canonical } = canonicalFields(resource.fields, part);
  return Object.fromEntries(
    Object.entries(canonical).map(([field, value]) => [
      field,
      resource.fields[field]?.isPolicy ? canonicalPolicy(String(value)) : value,
    ]),
  );
}

/** What a policy says; its text where it cannot be read. */
function canonicalPolicy(text: string): unknown {
  try {
    // Comments, blanks, the order of paths and of what is in their lists mean nothing.
    return parsePolicy(text).map(ruleText).sort();
  } catch {
    return text.trim();
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
