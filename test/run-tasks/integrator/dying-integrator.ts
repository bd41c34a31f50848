import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Integrator, integratorRoutes } from '../../../run-tasks/integrator/integrator.ts';
import { Outbound } from '../../../run-tasks/outbound/outbound.ts';
import { startRunTaskServer } from '../../../run-tasks/server.ts';
import { integratorMigration, migrate } from '../../../run-tasks/store/migrate.ts';
import { openDatabase } from '../../../run-tasks/store/open-database.ts';
import { Queue } from '../../../run-tasks/store/queue.ts';
import { Metrics } from '../../../web/metrics.ts';
import { dyingDatabase } from '../dying-database.ts';

/**
 * An integrator in a process of its own, that is there to be killed. Its arguments: its folder, the platform's origin,
 * and the statement at which it kills itself, as JSON, and which of them.
 * It says its address on standard output once it answers, and ends in order when standard input does.
 */
const [home = '', platform = '', fatal = '', count = '1'] = process.argv.slice(2);
const opened = await openDatabase(process.env['DATABASE_URL'], home);
const database = dyingDatabase(opened, fatal === '' ? undefined : JSON.parse(fatal), Number(count));
// The next of its kind then starts in a third of the time.
flushCompileCache();

await migrate(database, [integratorMigration]);
const queue = new Queue(database);
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
