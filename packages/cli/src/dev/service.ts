import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stack } from '@gatehouse/engine';
import { statePath } from '@gatehouse/engine/state';
import {
  digestOfConfigured,
  readTlsFiles,
  type SecretsServer,
  SqliteStorage,
  startSecretsService,
  type TlsFiles,
} from '@gatehouse/secrets-service';

/** The embedded secrets service of the dev stack. */
interface DevService extends Pick<SecretsServer, 'address' | 'close'> {
  /** Root token. */
  token: string;
  /** A digest of everything that administrators configured. */
  configured(): string;
}

interface DevServiceArgs {
  port: number;
  /** Defaults to plain HTTP. */
  tls?: TlsFiles;
  /** Path of the audit log. Defaults to none. */
  auditFile?: string;
}

/**
 * Starts the embedded secrets service on the store that an earlier start left in the stack's home, or on an empty one. The
 * store and the engine's state belong together: if one of them is missing, both start empty. Its log begins anew.
 *
 * @throws GatehouseError `port_in_use`, `storage_locked`, `storage_damaged`, `storage_newer`, `storage_unwritable`,
 *   `audit_unwritable`, and what `readTlsFiles` throws
 */
export async function startDevService(
  stack: Stack,
  { port, tls, auditFile }: DevServiceArgs,
): Promise<DevService> {
  const certificate = tls === undefined ? undefined : await readTlsFiles(tls);
  const folder = join(stack.home, 'dev');
  const store = join(folder, 'secrets.sqlite');
  const record = statePath(stack);
  if (!existsSync(store) || !existsSync(record)) {
    // Fails if a service is running: it would continue on files that no one finds any more.
    if (existsSync(store)) new SqliteStorage(store).close();
    await Promise.all(
      [...databaseFiles(store), ...databaseFiles(record)].map((file) => rm(file, { force: true })),
    );
  }
  const token = await rootToken(folder);
  const storage = new SqliteStorage(store);
  const logFile = join(folder, 'secrets.log');
  writeFileSync(logFile, '', { mode: 0o600 });
  const log = (message: string) => appendFileSync(logFile, `${message}\n`);
  const server = { storage, port, rootToken: token, tls: certificate, auditFile, log };
  const { address, close } = await startSecretsService(server);
  return { address, token, close, configured: () => digestOfConfigured(storage) };
}

function databaseFiles(database: string): string[] {
  return [database, `${database}-wal`, `${database}-shm`];
}

/** The service stores only the hash of its root token, so a file next to it has the token, for its owner only. */
async function rootToken(folder: string): Promise<string> {
  const file = join(folder, 'root-token');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const token = `hvs.${randomBytes(24).toString('base64url')}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, `${token}\n`, { mode: 0o600 });
  return token;
}
