import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { openFiles } from '../../packages/run-tasks/src/traffic.ts';
import { callBack } from '../../packages/run-tasks/test/platform/scripted-integrator.ts';
import { describePlatform } from '../../packages/run-tasks/test/platform/started-platform.ts';
import { openStallingClients } from '../harness/stalling.ts';

/** Milliseconds that an answer may take on a busy machine. */
const patience = 120_000;

/** Tests that a gate answers everyone else while so many slow bodies and so many event streams of one address are open. */
export function testStalledGate(counts: readonly number[]): void {
  describePlatform('a gate under clients that take what they can', (under) => {
    const ended: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const end of ended.splice(0)) await end();
    });
    const openClients = async (kind: 'slow' | 'streams', run: string, count: number) =>
      ended.push(await openStallingClients(kind, under.address, run, count));

    // The clients are a process of their own, with a connection each.
    const possible = counts.filter((count) => count + 500 <= openFiles());
    for (const count of counts.filter((one) => !possible.includes(one))) {
      test.skip(`answers while ${count} are open: the system lets a process open only ${openFiles()} files`, () => {});
    }

    test.each(possible)(
      'answers while %d slow bodies and as many event streams are open',
      async (count) => {
        const { run, request } = await under.asked('post_plan');
        await openClients('slow', run.id, count);
        await openClients('streams', run.id, count);
        const get = async (path: string, headers = {}) => {
          const answer = await inTurn(() =>
            fetch(under.address + path, { headers, signal: AbortSignal.timeout(patience) }),
          );
          await answer.arrayBuffer();
          return answer.status;
        };
        const authorization = 'Bearer deployer';
        for (let round = 0; round < 10; round += 1) {
          expect(await get('/ready')).toBe(200);
          expect(await get(`/runs/${run.id}`, { authorization })).toBe(200);
          const message = `round ${round}`;
          expect((await inTurn(() => callBack(request, 'running', { message }))).status).toBe(200);
        }
        const events = under.events(run.id);
        expect((await events.next()).value).toMatchObject({ id: run.id });
        await events.return(undefined);
        expect((await inTurn(() => callBack(request, 'passed'))).status).toBe(200);
        expect((await under.ended(run.id)).status).toBe('applied');
      },
      300_000,
    );
  });
}

/** All come from one address, which may ask a thousand times in a second: the next second has room again. */
async function inTurn<Answer extends { status: number }>(ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await ask();
  if (answer.status !== 429) return answer;
  await sleep(1100);
  return await inTurn(ask);
}
