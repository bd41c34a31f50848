// The process that the bench `many` compares with: GETs of the paths and namespaces on standard input, 16 at a time, parsed.
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';

const { address, token, reads } = JSON.parse(await text(process.stdin));
const pool = new Pool(address, { connections: 16 });
const waiting = reads.flatMap(({ namespace, paths }) => paths.map((path) => ({ path, namespace }))).values();
const work = async () => {
  for (const { path, namespace } of waiting) {
    const headers = { 'X-Vault-Token': token, 'X-Vault-Namespace': namespace };
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
    const answer = await body.text();
    // An empty list is not found.
    if (statusCode >= 300 && statusCode !== 404) throw new Error(`${statusCode} ${path}: ${answer}`);
    JSON.parse(answer);
  }
};
await Promise.all(Array.from({ length: 16 }, work));
await pool.close();
