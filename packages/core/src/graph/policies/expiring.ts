import { expirationOf } from '../values/day.ts';
import { didYouMean } from '../values/problem.ts';
import { pathBlocks, readPolicy } from './parse-policy.ts';

/** What cannot be given an end, by pattern: a rule that is not there, or has one already. */
export function expiringProblems(text: string, patterns: string[]): { pattern: string; message: string }[] {
  if (patterns.length === 0) return [];
  const isRead = readPolicy(text) !== undefined;
  const written = isRead ? pathBlocks(text).filter(({ start }) => start !== undefined) : [];
  const labels = written.map(({ label }) => label);
  return patterns.flatMap((pattern) => {
    const own = written.filter(({ label }) => label === pattern);
    if (own.some(({ items }) => items.some(({ name }) => name === 'expiration')))
      return { pattern, message: 'the rule has an `expiration` already; keep one of the two' };
    if (own.length > 0) return [];
    const missing = `has no rule path ${JSON.stringify(pattern)} { … }${didYouMean(pattern, labels)}`;
    return { pattern, message: `the policy ${isRead ? missing : 'cannot be read'}` };
  });
}

/** The text of a policy with an `expiration` in the rules that have a last day, by pattern. */
export function withExpiration(text: string, until: Record<string, string>): string {
  if (Object.keys(until).length === 0) return text;
  return pathBlocks(text).reduceRight((whole, { label, start }) => {
    const day = Object.hasOwn(until, label) ? until[label] : undefined;
    if (day === undefined || start === undefined) return whole;
    return `${whole.slice(0, start)}\n  expiration = "${expirationOf(day)}"${whole.slice(start)}`;
  }, text);
}
