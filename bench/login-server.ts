// The embedded secrets service in memory. Its argument is the root token; prints its address.
import { startSecretsService } from '../embedded/secrets/server.ts';
import { MemoryStorage } from '../test/harness/memory-storage.ts';

const [rootToken = ''] = process.argv.slice(2);
const { address } = await startSecretsService({ storage: new MemoryStorage(), rootToken });
console.log(address);
