/**
 * Whether some path may be matched by both patterns of policies. What fills a template may be anything: from there on the
 * answer may be yes for patterns that never meet.
 */
export function mayOverlap(pattern: string, other: string): boolean {
  const [a, b] = [partsOf(pattern), partsOf(other)];
  const shared = Math.min(a.segments.length, b.segments.length);
  for (let at = 0; at < shared; at += 1) {
    const [left = '', right = ''] = [a.segments[at], b.segments[at]];
    const [isLeftOpen, isRightOpen] = [isLastOf(a, at), isLastOf(b, at)];
    if (!isLeftOpen && !isRightOpen) {
      if (left !== right && left !== '+' && right !== '+') return false;
      continue;
    }
    // A `*` takes all that follows.
    if (isLeftOpen && (right === '+' || right.startsWith(left))) return true;
    if (isRightOpen && (left === '+' || left.startsWith(right))) return true;
    return false;
  }
  return a.segments.length === b.segments.length;
}

/** Whether two patterns may overlap where a slash at the end is optional: for lists, and for rules without it. */
export function mayMeet(pattern: string, other: string): boolean {
  return mayOverlap(pattern, other) || mayOverlap(`${pattern}/`, other) || mayOverlap(pattern, `${other}/`);
}

interface PatternParts {
  segments: string[];
  isPrefix: boolean;
}

const isLastOf = ({ segments, isPrefix }: PatternParts, at: number) => isPrefix && at === segments.length - 1;

function partsOf(pattern: string): PatternParts {
  const known = pattern.replace(/\{\{[\s\S]*$/, '*');
  const isPrefix = known.endsWith('*');
  return { segments: (isPrefix ? known.slice(0, -1) : known).split('/'), isPrefix };
}
