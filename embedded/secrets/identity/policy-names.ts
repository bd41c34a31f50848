import { Refusal } from '../protocol/refusal.ts';

/**
 * The policies of a group or an entity: in lower case, each once. Never root, in whatever case or blanks
 * (CVE-2025-54996, CVE-2025-64761).
 *
 * @throws {Refusal} 400
 */
export function policyNames(given: string[]): string[] {
  const names = [...new Set(given.map((name) => name.trim().toLowerCase()))].filter((name) => name !== '');
  if (names.includes('root')) throw new Refusal(400, 'policies cannot contain root');
  return names;
}
