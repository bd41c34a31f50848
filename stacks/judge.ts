import type { Environment } from '@gatehouse/core/environment';
import { type Graph, subjectName } from '@gatehouse/core/graph';
import { type Finding, judgeGraph, ruleOptions } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';

/** Subjects that one message names. */
const mostNamed = 5;

/**
 * Judges the declared graph by the rules, so that a plain `pulumi up` stops, too. The findings of one rule are one
 * warning; infos are left to reviews.
 *
 * @throws GatehouseError `rules_object`, with every error at once
 */
export function judge(environment: Environment, declared: Graph, warn: (message: string) => void): void {
  const findings = judgeGraph(declared, {
    ...ruleOptions(environment),
    now: BigInt(Date.now()) * 1_000_000n,
  });
  for (const text of byRule(findings.filter(({ severity }) => severity === 'warning'))) warn(text);
  const errors = byRule(findings.filter(({ severity }) => severity === 'error'));
  if (errors.length === 0) return;
  throw new GatehouseError('rules_object', { values: { problems: errors.join('\n  ') } });
}

/** One text for all findings of a rule with the same fix. */
function byRule(findings: Finding[]): string[] {
  const groups = Map.groupBy(findings, ({ rule, fix }) => `${rule} ${fix}`);
  return [...groups.values()].map((group) => {
    const [{ rule, message, fix }] = group as [Finding];
    const named = group.slice(0, mostNamed).map(({ subject }) => subjectName(subject));
    const left = group.length - named.length;
    const where = `${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
    return `${where}: ${message} ${fix} (${rule})`;
  });
}
