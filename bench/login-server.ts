// The embedded secrets service, in memory, as a process of its own. Prints its address; the root token is the first argument.
import { startSecretsService } from '../embedded/secrets/server.ts';
import { MemoryStorage } from '../test/harness/memory-storage.ts';

const [rootToken = ''] = process.argv.slice(2);
const { address } = await startSecretsService({ storage: new MemoryStorage(), rootToken });
console.log(address);
