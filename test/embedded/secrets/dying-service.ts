import { startSecretsService } from '../../../embedded/secrets/server.ts';
import { SqliteStorage } from '../../../embedded/secrets/storage/sqlite.ts';
import type { Json } from '../../../embedded/secrets/storage/storage.ts';

/**
 * A secrets service in a process of its own, that is there to be killed. Its arguments: the file of its storage, and
 * the number of the stored key at which it kills itself, in the midst of whatever it is storing (0: never). It says
 * its address on standard output once it answers.
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
// Ends with the test that started it, whichever way that goes.
process.stdin.resume().once('end', () => process.exit());
