import { createHmac, randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { GatehouseError } from '@gatehouse/core/values';
import { key, type Storage } from '../storage/storage.ts';

const saltKey = key('', 'core', 'audit-salt');

/** A file with one JSON object per request and per response, readable by its owner only. */
export class AuditLog {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #salt: Buffer;
  /** The write in progress: lines are written one by one. */
  #last: Promise<void> = Promise.resolve();

  /** @throws GatehouseError `audit_unwritable` */
  static async start(path: string, storage: Storage): Promise<AuditLog> {
    try {
      return new AuditLog(path, await open(path, 'a', 0o600), saltOf(storage));
    } catch (cause) {
      throw new GatehouseError('audit_unwritable', { where: path, cause });
    }
  }

  private constructor(path: string, file: FileHandle, salt: Buffer) {
    this.path = path;
    this.#file = file;
    this.#salt = salt;
  }

  append(entry: Record<string, unknown>): Promise<void> {
    const line = `${JSON.stringify(entry)}\n`;
    const write = () => this.#file.appendFile(line);
    const written = this.#last.then(write, write);
    this.#last = written;
    return written;
  }

  /** The hash of a string, the same as long as the storage exists. */
  hash(text: string): string {
    return `hmac-sha256:${createHmac('sha256', this.#salt).update(text).digest('hex')}`;
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#file.close();
  }
}

/** Generated once and stored. */
function saltOf(storage: Storage): Buffer {
  const stored = storage.get(saltKey);
  if (typeof stored === 'string') return Buffer.from(stored, 'base64');
  const key = randomBytes(32);
  storage.put(saltKey, key.toString('base64'));
  return key;
}
