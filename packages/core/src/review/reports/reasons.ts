import type { ChangedPaths } from '../../access/access-change.ts';
import { plainName } from '../../graph/values/visible.ts';

/** Why other rules decide on these paths, a sentence each. @param isNamed whether the policy is named in it. Defaults to true. */
export function reasonsOf(paths: readonly ChangedPaths[], isNamed = true): string[] {
  return [...new Set(paths.flatMap((one) => reasonOf(one, isNamed) ?? []))];
}

/** Which rule goes or comes, where another decided or decides; undefined where that is not known, or shown. */
function reasonOf({ decides, cause }: ChangedPaths, isNamed: boolean): string | undefined {
  const { before, after } = decides ?? {};
  if (cause === undefined || before === undefined || after === undefined) return undefined;
  const policy = `policy ${plainName(cause.policy)}`;
  const [from, within] = isNamed ? [` from ${policy}`, ` in ${policy}`] : ['', ''];
  const [was, is] = [before, after].map((one) => (one.capabilities.includes('deny') ? 'denial' : 'rule'));
  const isDenied = was === 'denial';
  const gone = `The ${was} for ${before.path} is gone${from}`;
  const lost = isDenied
    ? `P${policy.slice(1)} no longer denies ${before.path}`
    : `P${policy.slice(1)} is lost`;
  if (before.path === after.path) {
    if (!isDenied || cause.kind === 'rule-changed') return undefined;
    return `${cause.kind === 'rule-gone' ? gone : lost}.`;
  }
  const now = `, so ${after.path} decides there.`;
  const instead = `decides there instead of ${before.path}.`;
  const words = {
    'rule-gone': `${gone}${now}`,
    'rule-new': `The new ${is} for ${after.path}${within} ${instead}`,
    'policy-lost': `${lost}${now}`,
    'policy-gained': `The ${is} for ${after.path} in ${policy}, which they gain, ${instead}`,
    'rule-changed': undefined,
  };
  return words[cause.kind];
}
