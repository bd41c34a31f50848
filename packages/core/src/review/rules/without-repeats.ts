import type { Change } from '../../graph/change.ts';
import { methodAt, roleNamed } from '../../graph/parts-by-name.ts';
import { method } from '../../graph/resources/auth-method.ts';
import { sortedJson } from '../../graph/resources/field.ts';
import { boundRemoved } from './access-changes.ts';
import type { Finding } from './finding.ts';
import { trustChanged } from './trust-changed.ts';

/**
 * Findings of a change without those that only repeat a sharper one. A method that checks less lets in more by each of its roles:
 * `trust-changed` says so once, and roles that stay as they are need not say it again.
 */
export function withoutRepeats(findings: Finding[], change: Change): Finding[] {
  const methods = new Set(
    findings.flatMap(({ rule, subject }) =>
      rule === trustChanged.id && subject.type === method.type ? subject.name : [],
    ),
  );
  return findings.filter((finding) => !methods.has(widenedMethod(finding, change) ?? ''));
}

/** The path of the method that alone lets in more by a role; undefined where the role changes itself. */
function widenedMethod(
  { rule, subject: { method = '', name } }: Finding,
  { before, after }: Change,
): string | undefined {
  if (rule !== boundRemoved.id) return undefined;
  const roleBefore = roleNamed(before.roles, { method, name });
  const roleAfter = roleNamed(after.roles, { method, name });
  const isKept = roleAfter !== undefined && sortedJson(roleBefore) === sortedJson(roleAfter);
  return isKept ? methodAt(after.methods, method)?.path : undefined;
}
