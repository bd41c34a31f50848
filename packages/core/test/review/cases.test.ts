import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { reviewText } from '../../../cli/src/review/review-text.ts';
import { styleFor } from '../../../cli/src/terminal/style.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { jsonReport } from '../../src/review/reports/json.ts';
import { review } from '../../src/review/review.ts';
import { now } from './graphs.ts';

/** What is true of a plan, decided before anything was run. */
interface Truth {
  truth: string;
  gain?: boolean;
  loss?: boolean;
  /** The answers that are right. */
  gains?: string[];
  losses?: string[];
  unknown?: boolean;
  severity?: 'error';
  verdict?: string;
  noUnknown?: boolean;
  says?: string[];
  saysNot?: string[];
}

const folder = `${root}/packages/core/test/review/cases`;
const expected: Record<string, Record<string, Truth>> = JSON.parse(
  readFileSync(`${folder}/expected.json`, 'utf8'),
);
/** The service refuses a text that is no policy: whether anybody gains by it cannot be judged, and is no gain. */
const unreadable = 'T92-policy-unreadable';

describe.each(Object.keys(expected))('plans of %s', (tool) => {
  test.each(Object.entries(expected[tool] ?? {}).map(([id, want]) => [id, want.truth, want] as const))(
    '%s: %s',
    (id, _, want) => {
      const found = review(readPlan(readFileSync(`${folder}/${tool}/${id}.json`, 'utf8')), { now });
      const { losses, life, verdict, findings, ...report } = jsonReport(found, 'error');
      // A gain of these cases may be one of life.
      const gains = life === 'longer' ? 'some' : report.gains;
      const text = reviewText(found, styleFor({}, {}));
      const isOpen =
        gains === 'unknown' ||
        losses === 'unknown' ||
        findings.some(({ rule }) => rule === 'cannot-be-judged');
      const maySayUnknown =
        want.unknown || id === unreadable || (want.says ?? []).some((one) => one.includes('not known'));
      const answers = (truth: boolean | undefined) => {
        if (truth === undefined) return ['none', 'some', 'unknown'];
        return truth ? ['some', ...(maySayUnknown ? ['unknown'] : [])] : ['none'];
      };
      expect(want.gains ?? answers(want.gain)).toContain(gains);
      expect(want.losses ?? answers(want.loss)).toContain(losses);
      if (want.unknown || id === unreadable) expect(isOpen).toBe(true);
      if (want.noUnknown) expect(isOpen).toBe(false);
      if (want.severity === 'error' || id === unreadable) expect(verdict).toBe('failed');
      if (want.verdict !== undefined) expect(verdict).toBe(want.verdict);
      for (const one of want.says ?? []) expect(text).toMatch(new RegExp(one));
      for (const one of want.saysNot ?? []) expect(text).not.toMatch(new RegExp(one));
    },
  );
});
