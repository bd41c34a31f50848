// The least that durably accepts run task requests: `node:http`, the signature, and one row with the body in the
// database that Gatehouse uses. Arguments: the URL of a PostgreSQL or '', and a folder. Prints its address.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { openDatabase } from '../../run-tasks/store/open-database.ts';
import { listen } from '../../web/listen.ts';
import { runTaskKey } from './run-task-request.ts';

const [url = '', home = ''] = process.argv.slice(2);
const { query } = await openDatabase(url, home);
await query('CREATE TABLE bodies (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body json NOT NULL)');

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = Buffer.concat(chunks);
    const given = Buffer.from(String(request.headers['x-platform-task-signature']), 'hex');
    const signature = createHmac('sha512', runTaskKey).update(body).digest();
    const isSigned = given.length === signature.length && timingSafeEqual(given, signature);
    if (isSigned) await query('INSERT INTO bodies (body) VALUES ($1)', [body.toString('utf8')]);
    response.writeHead(isSigned ? 200 : 401, { 'content-length': 0 }).end();
  });
});
console.log(`http://127.0.0.1:${await listen(server, 0)}`);
