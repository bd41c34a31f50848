import { createHash, randomBytes } from 'node:crypto';
import type { Sql } from '../store/database.ts';

/**
 * Issues an access token for a task result, and stores its hash. Each attempt to send a request uses a new token; the
 * earlier ones stay valid, as one of them may have arrived although the answer was lost.
 */
export async function issueToken(sql: Sql, taskResult: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await sql.query('INSERT INTO access_tokens (hash, task_result) VALUES ($1, $2)', [hash(token), taskResult]);
  return token;
}

export async function taskResultOf(sql: Sql, token: string): Promise<string | undefined> {
  const [row] = await sql.query('SELECT task_result FROM access_tokens WHERE hash = $1', [hash(token)]);
  return row?.['task_result'] as string | undefined;
}

/** The token of `Authorization: Bearer …`. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization ?? '')?.[1];
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
