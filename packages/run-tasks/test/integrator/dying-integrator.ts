import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '../../../host/src/metrics.ts';
import { Integrator, integratorRoutes } from '../../src/integrator/integrator.ts';
import { Outbound } from '../../src/outbound/outbound.ts';
import { startRunTaskServer } from '../../src/server.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { Queue } from '../../src/store/queue.ts';
import { makeTables } from '../../src/store/tables.ts';
import { dyingDatabase } from '../dying-database.ts';
import type { IntegratorProcessArgs } from './spawn-integrator.ts';

/**
 * An integrator in a process of its own, that is there to be killed. It says its address on standard output once it
 * answers, and ends in order when standard input does.
 */
const { home, url, platform, fatal }: IntegratorProcessArgs = JSON.parse(process.argv[2] ?? '');
const database = dyingDatabase(await openDatabase(url, home), fatal);
// The next of its kind then starts in a third of the time.
flushCompileCache();

await makeTables(database);
const queue = new Queue(database, { pollSeconds: 0.5 });
const metrics = new Metrics();
const integrator = new Integrator({
  database,
  queue,
  metrics,
  outbound: new Outbound({ allowedOrigins: [platform] }),
  endpoints: [{ name: 'review', keys: ['k'] }],
  async review(_request, show) {
    await show([{ outcomeId: 'first', description: 'shown on the way' }]);
    await sleep(10);
    return { status: 'passed', message: 'fine', outcomes: [{ outcomeId: 'last', description: 'last' }] };
  },
  userAgent: 'gatehouse/test (+test)',
});
await queue.start();
await integrator.start();
const server = await startRunTaskServer({
  metrics,
  routes: integratorRoutes(integrator),
  checkReady: () => database.query('SELECT 1'),
});
console.log(`${server.address}/integrator/review`);
process.stdin.resume().once('end', async () => {
  await server.close();
  integrator.stop();
  await queue.stop(5000);
  await database.close();
  process.exit();
});
