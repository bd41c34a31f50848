import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { readPlan } from '../../src/review/plan/read-plan.ts';
import { review } from '../../src/review/review.ts';
import { reasonWords } from '../../src/words/reason-words.ts';
import { now } from './graphs.ts';
import { serviceBefore, withUser } from './service-before.ts';

const folder = `${root}/packages/core/test/review/cases/edges`;

/** Who gains on OpenBao by each plan, as rows name them: measured before and after. */
const gaining: Record<string, string> = {
  A1: 'r',
  A3: 'r',
  A6: 'token role mid',
  B1: 'user u0 of people (userpass)',
  B3: 'user u0 of people (userpass)',
  C1: 'anyone',
  D1: 'user u0 of userpass',
  E1: 'identity mfa login enforcement "en"',
  E4: 'identity mfa login enforcement "en"',
  F3: 'r',
  I1: 'user u0 of userpass',
  J1: 'role x of approle',
  K1: 'role web of k8s (kubernetes)',
  P2: 'g0',
  P3: 'g9',
};

test.each(readdirSync(folder).map((file) => [file.replace('.json', ''), file]))(
  '%s: with the whole service, who gains is named, and nothing is unknown',
  (name, file) => {
    const plan = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
    const live = withUser(serviceBefore(plan));
    const { gains, missing, access } = review(readPlan(JSON.stringify(plan)), { now, live });
    expect([gains, missing.map(reasonWords)]).toEqual(['some', []]);
    const names = access.flatMap((change) => (change.gains === 'some' ? change.principals.name : []));
    expect(names).toContain(gaining[name.slice(0, 2)]);
  },
);
