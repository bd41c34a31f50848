import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { unlisted } from '../../../packages/secrets-service/test/conformance/differences.ts';
import { startIssuers } from '../../harness/doubles/issuers.ts';
import { describeOnEmbeddedService } from '../../harness/two-servers.ts';
import { issuersWithSlash, recordedIssuers, recordedSteps } from './recording.ts';
import { Replay } from './replay.ts';

const steps = recordedSteps();

describeOnEmbeddedService('what the official plugin sends is answered as OpenBao answered it', (server) => {
  let issuers: Awaited<ReturnType<typeof startIssuers>>;
  let replay: Replay;
  let differ = 0;
  beforeAll(async () => {
    issuers = await startIssuers(issuersWithSlash);
    replay = new Replay(server(), { [recordedIssuers]: issuers.address });
  });
  afterAll(async () => {
    await issuers.close();
    const sent = steps.flatMap(({ exchanges }) => exchanges).length;
    console.log(`The official plugin: ${sent} requests, ${differ} fields that differ, all of them listed.`);
  });

  // In this order: a step goes on from those before it.
  test.each(steps)('$step', async ({ exchanges }) => {
    const found: unknown[] = [];
    for (const exchange of exchanges) {
      const places = await replay.send(exchange);
      differ += places.size;
      const unexpected = unlisted(places, exchange);
      if (Object.keys(unexpected).length > 0) found.push([exchange.method, exchange.path, unexpected]);
    }
    expect(found).toEqual([]);
  });
});

test('the recording has 391 requests in 23 steps', () => {
  expect(steps.flatMap(({ exchanges }) => exchanges)).toHaveLength(391);
  expect(steps).toHaveLength(23);
});
