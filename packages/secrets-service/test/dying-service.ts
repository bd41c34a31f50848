import { startSecretsService } from '../src/server.ts';
import { SqliteStorage } from '../src/storage/sqlite.ts';
import type { Json } from '../src/storage/storage.ts';

/**
 * A secrets service in a separate process, to be killed. Arguments: the file of its storage, and the number of the
 * stored key at which it kills itself, in the middle of a transaction (0: never). It prints its address when it is up.
 */
const [path = '', fatal = '0'] = process.argv.slice(2);
let stored = 0;

class DyingStorage extends SqliteStorage {
  override put(key: string, value: Json): void {
    stored += 1;
    if (stored === Number(fatal)) process.kill(process.pid, 'SIGKILL');
    super.put(key, value);
  }
}

const { address } = await startSecretsService({ storage: new DyingStorage(path) });
console.log(address);
// Ends with the test that started it, however that ends.
process.stdin.resume().once('end', () => process.exit());
