import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../../../../test/harness/ask.ts';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { longTest, someOf } from '../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../test/harness/openbao.ts';
import { type Difference, differences, globsOf } from './differences.ts';
import { differing } from './differing.ts';
import { startIssuer } from './issuer.ts';
import { scenarios } from './scenarios.ts';
import { Session } from './session.ts';
import type { Step } from './step.ts';
import { pem } from './tokens.ts';

const document = await readFile(
  new URL('../../../../docs/inside/embedded-service.md', import.meta.url),
  'utf8',
);
const count = scenarios.reduce((sum, { steps }) => sum + steps.length, 0);

describeWithOpenBao('the embedded service answers as OpenBao does', (openbao) => {
  let sessions: { ours: Session; real: Session };
  const ends: (() => Promise<void>)[] = [];
  const counted = { asked: 0, refused: 0 };
  const met = new Map<Difference, Set<string>>(differences.map((difference) => [difference, new Set()]));

  beforeAll(async () => {
    const [issuer, service] = [await startIssuer(), await startEmbeddedService()];
    ends.push(issuer.close, service.close);
    // Only a development server has it.
    await ask(openbao(), { method: 'DELETE', path: 'sys/mounts/secret' });
    const known = { issuer: issuer.address, pem };
    sessions = {
      ours: new Session(service.address, { ...known, root: service.token }),
      real: new Session(openbao().address, { ...known, root: openbao().token }),
    };
  });
  afterAll(async () => {
    for (const end of ends) await end();
    console.log(`Conformance: ${counted.asked} requests, ${counted.refused} of them refused.`);
  });

  /** Notes the difference that this is, if it is a known one. */
  function isKnown(at: { scenario: string; step: Step; place: string }, values: [unknown, unknown]): boolean {
    const known = differences.filter((difference) => {
      const globs = globsOf(difference, at, values);
      for (const glob of globs) met.get(difference)?.add(glob);
      return globs.length > 0;
    });
    return known.length > 0;
  }

  describe.each(someOf(4, scenarios))('$name', ({ name: scenario, steps }) => {
    test.each(steps)('$does', async (step) => {
      const { ours, real } = sessions;
      const [one, other] = await Promise.all([ours.send(step), real.send(step)]);
      counted.asked += 1;
      if (other.status >= 400) counted.refused += 1;
      const found = [
        ...differing({ answer: one, kept: ours.kept }, { answer: other, kept: real.kept }),
      ].filter(([place, values]) => !isKnown({ scenario, step, place }, values));
      // Each place, with what the embedded service has there and what OpenBao has.
      expect(Object.fromEntries(found)).toEqual({});
    });
  });

  longTest.each(differences)('still otherwise: $what', (difference) => {
    const { requests = [], steps = [], places } = difference;
    const gone = [...requests, ...steps, ...places].filter((glob) => !met.get(difference)?.has(glob));
    expect(gone).toEqual([]);
  });

  longTest('at least 300 requests, as many refused as not', () => {
    expect(counted.asked).toBe(count);
    expect(counted.refused).toBeGreaterThan(0.4 * count);
    expect(count).toBeGreaterThanOrEqual(300);
  });
});

describe('docs/inside/embedded-service.md', () => {
  test('has the number of requests', () => {
    expect(document).toContain(`${count} requests`);
  });

  test('has every difference with its reason, and no other', () => {
    const [, section = ''] = /^## Where the two differ\n([\s\S]*?)^###? /m.exec(document) ?? [];
    const rows = [...section.matchAll(/^\|(?!---|What\|)(.+)\|(.+)\|$/gm)].map(([, what]) => what);
    expect(rows).toEqual(differences.map(({ what }) => what));
  });

  test('no step has the name of another in its scenario', () => {
    const names = scenarios.flatMap(({ name, steps }) => steps.map(({ does }) => `${name} / ${does}`));
    expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual([]);
  });
});
