import type { ChangedPaths, PathCause } from '../access/access-change.ts';
import { shortened } from '../graph/values/cut.ts';
import { partName } from '../graph/values/visible.ts';
import { nodeWords } from './reason-words.ts';

/** Why other rules decide on a path, in a sentence. Those with the same key are one, with the paths of all. */
interface CauseSentence {
  key: string;
  path: string;
  sentence(paths: string, isOne: boolean): string;
}

/** Why other rules decide on these paths, a sentence each. @param isNamed whether the policy is named in it. Defaults to true. */
export function causeWords(paths: readonly ChangedPaths[], isNamed = true): string[] {
  const causes = paths.flatMap((path) => sentenceOf(path, isNamed) ?? []);
  return [...Map.groupBy(causes, ({ key }) => key).values()].map((same) => {
    const [{ sentence }] = same as [CauseSentence];
    const named = [...new Set(same.map(({ path }) => path))];
    return sentence(shortened(named, 3), named.length === 1);
  });
}

/** A text that fills in a template, with the patterns that it makes of it. */
function textSentence({ kind, policy, by, what }: PathCause, path: string): CauseSentence | undefined {
  if (by === undefined) return undefined;
  const words = nodeWords(by);
  const text = what === undefined ? `${words[0]?.toUpperCase()}${words.slice(1)}` : `The ${what} of ${words}`;
  const verb = kind === 'text-new' ? 'fills in' : 'no longer fills in';
  const sentence = (paths: string) => `${text} ${verb} ${partName('policy', policy)}: ${paths}.`;
  return { key: JSON.stringify([kind, policy, text]), path, sentence };
}

/** The rule that goes or comes while another decided or decides. Undefined if that is unknown, or shown. */
function sentenceOf({ path, decides, cause }: ChangedPaths, isNamed: boolean): CauseSentence | undefined {
  if (cause?.kind === 'text-new' || cause?.kind === 'text-gone') return textSentence(cause, path);
  const { before, after } = decides ?? {};
  if (cause === undefined || before === undefined || after === undefined) return undefined;
  const policy = partName('policy', cause.policy);
  const fromPolicy = isNamed ? ` from ${policy}` : '';
  const withinPolicy = isNamed ? ` in ${policy}` : '';
  const nounBefore = nounOf(before);
  const nounAfter = nounOf(after);
  const isDenied = nounBefore === 'denial';
  const isSame = before.path === after.path;
  if (isSame && (!isDenied || cause.kind === 'rule-changed')) return undefined;
  const whatDecides = isSame ? '.' : `, so ${after.path} decides there.`;
  const lost = `P${policy.slice(1)} ${isDenied ? 'no longer denies' : 'is lost'}`;
  const instead = (isOne: boolean) => `${isOne ? 'decides' : 'decide'} there instead of ${before.path}.`;
  const s = (isOne: boolean) => (isOne ? '' : 's');
  const sentences: Record<
    Exclude<typeof cause.kind, 'text-new' | 'text-gone'>,
    CauseSentence['sentence'] | undefined
  > = {
    'rule-gone': (paths, isOne) =>
      `The ${nounBefore}${s(isOne)} for ${paths} ${isOne ? 'is' : 'are'} gone${fromPolicy}${whatDecides}`,
    'rule-new': (paths, isOne) =>
      `The new ${nounAfter}${s(isOne)} for ${paths}${withinPolicy} ${instead(isOne)}`,
    'policy-lost': (paths) => `${lost}${isDenied ? ` ${paths}` : ''}${whatDecides}`,
    'policy-gained': (paths, isOne) =>
      `The ${nounAfter}${s(isOne)} for ${paths} in ${policy}, which they gain, ${instead(isOne)}`,
    'rule-changed': undefined,
  };
  const kind = isSame && cause.kind !== 'rule-gone' ? 'policy-lost' : cause.kind;
  const sentence = sentences[kind];
  const isNew = cause.kind === 'rule-new' || cause.kind === 'policy-gained';
  const elsewhere = isNew ? before.path : isSame ? '' : after.path;
  const noun = kind === 'rule-new' || kind === 'policy-gained' ? nounAfter : nounBefore;
  const key = JSON.stringify([kind, cause.policy, isSame, noun, elsewhere]);
  return sentence && { key, path: isNew ? after.path : before.path, sentence };
}

function nounOf({ capabilities }: NonNullable<ChangedPaths['decides']>['before']): string {
  return capabilities.includes('deny') ? 'denial' : 'rule';
}
