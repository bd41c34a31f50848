/**
 * Whether some path may be matched by both patterns of policies. What fills a template may be anything: from there on the
 * answer may be yes for patterns that never meet.
 */
export function mayOverlap(pattern: string, other: string): boolean {
  const parts = partsOf(pattern);
  const otherParts = partsOf(other);
  const shared = Math.min(parts.segments.length, otherParts.segments.length);
  for (let at = 0; at < shared; at += 1) {
    const left = parts.segments[at] ?? '';
    const right = otherParts.segments[at] ?? '';
    const isLeftOpen = isLastOf(parts, at);
    const isRightOpen = isLastOf(otherParts, at);
    if (!isLeftOpen && !isRightOpen) {
      if (left !== right && left !== '+' && right !== '+') return false;
      continue;
    }
    // A `*` takes all that follows.
    if (isLeftOpen && (right === '+' || right.startsWith(left))) return true;
    if (isRightOpen && (left === '+' || left.startsWith(right))) return true;
    return false;
  }
  return parts.segments.length === otherParts.segments.length;
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
