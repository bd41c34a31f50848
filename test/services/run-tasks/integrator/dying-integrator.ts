import { setTimeout as sleep } from 'node:timers/promises';
import { Integrator } from '../../../../services/run-tasks/integrator/integrator.ts';
import { integratorRoutes } from '../../../../services/run-tasks/integrator/routes.ts';
import { Metrics } from '../../../../services/run-tasks/metrics.ts';
import { Outbound } from '../../../../services/run-tasks/outbound/outbound.ts';
import { startRunTaskServer } from '../../../../services/run-tasks/server.ts';
import type { Database, Row, Sql } from '../../../../services/run-tasks/store/database.ts';
import { migrate } from '../../../../services/run-tasks/store/migrate.ts';
import { integratorMigration } from '../../../../services/run-tasks/store/migrations/0001-integrator.ts';
import { openDatabase } from '../../../../services/run-tasks/store/open-database.ts';
import { Queue } from '../../../../services/run-tasks/store/queue.ts';

/**
 * An integrator in a process of its own, that is there to be killed. Its arguments: its folder, the platform's origin,
 * and the statement at which it kills itself: a part of its text, a moment, and which of them.
 * It says its address on standard output once it answers, and ends in order when standard input does.
 */
const [home = '', platform = '', fatal = '', moment = '', count = '1'] = process.argv.slice(2);
let left = Number(count);

/** Kills at once: nothing after it is done. */
function strike(when: string, text: string): void {
  if (fatal === '' || moment !== when || !text.includes(fatal)) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

function dying(sql: Sql, texts: string[] = []): Sql {
  return {
    async query(text: string, values?: unknown[]): Promise<Row[]> {
      texts.push(text);
      strike('before', text);
      const rows = await sql.query(text, values);
      strike('after', text);
      return rows;
    },
  };
}

const opened = await openDatabase(process.env['DATABASE_URL'], home);
const database: Database = {
  ...dying(opened),
  isShared: opened.isShared,
  newBoss: () => opened.newBoss(),
  close: () => opened.close(),
  async transaction(work) {
    const texts: string[] = [];
    const result = await opened.transaction(async (sql) => {
      const done = await work(dying(sql, texts));
      strike('before commit', texts.join('\n'));
      return done;
    });
    strike('after commit', texts.join('\n'));
    return result;
  },
};

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
