import type { PathRule } from '../graph/policies/parse-policy.ts';
import { isSame } from '../graph/resources/field.ts';
import type { PolicySides, Side } from './policy-sides.ts';
import {
  type FilledPattern,
  type Filler,
  filledPattern,
  hasTemplate,
  type TokenTexts,
} from './template-texts.ts';

/** A pattern that a token has by the texts of one side, and by those of the other has not, or as another one. */
export interface ChangedText {
  side: Side;
  pattern: string;
  policy: string;
  filler: Filler;
}

/** What a policy says to a token whose texts are known. */
export interface FilledPolicy {
  sides: PolicySides;
  changed: ChangedText[];
  /** The rules that known texts filled in, and no others. */
  filled: Record<Side, PathRule[]>;
  /** What fills it in is not known, and may differ on the two sides; or takes more than this token has. */
  isUnclear: boolean;
  isPartial: boolean;
}

/** Whether a policy has a template on a side. */
export function isTemplated({ before = [], after = [] }: PolicySides): boolean {
  return [...before, ...after].some(({ path }) => hasTemplate(path));
}

/** A policy as a token has it that has these texts on both sides. */
export function filledPolicy(
  policy: string,
  written: PolicySides,
  texts: Record<Side, TokenTexts>,
): FilledPolicy {
  const found: FilledPolicy = {
    sides: { before: written.before && [], after: written.after && [], isSame: false },
    changed: [],
    filled: { before: [], after: [] },
    isUnclear: false,
    isPartial: false,
  };
  for (const side of ['before', 'after'] as const)
    for (const rule of written[side] ?? []) {
      const all = {
        before: filledPattern(rule.path, texts.before),
        after: filledPattern(rule.path, texts.after),
      };
      addRule(found, side, rule, all[side]);
      const { pattern, fillers } = all[side];
      const [filler] = fillers;
      found.isPartial ||= all[side].isPartial;
      if (isUnchanged(all)) continue;
      if ([...all.before.unknown, ...all.after.unknown].length > 0) found.isUnclear = true;
      else if (pattern !== undefined && filler !== undefined)
        found.changed.push({ side, pattern, policy, filler });
    }
  return found;
}

function addRule(
  { sides, filled }: FilledPolicy,
  side: Side,
  rule: PathRule,
  { pattern, fillers }: FilledPattern,
): void {
  if (pattern === undefined) return;
  const own = pattern === rule.path ? rule : { ...rule, path: pattern };
  sides[side]?.push(own);
  if (fillers.length > 0) filled[side].push(own);
}

function isUnchanged({ before, after }: Record<Side, FilledPattern>): boolean {
  return before.pattern === after.pattern && isSame(before.unknown, after.unknown);
}
