import { openStateStore } from '../../src/local/state-store.ts';
import { openCrypter } from '../../src/passphrase.ts';
import { Secret } from '../../src/property-value.ts';
import { resource } from '../arbitraries.ts';

/**
 * Records until it is killed, for 20 seconds at most, and says on standard output what has been acknowledged:
 * `begun <n>`, `put <n>`, `removed <n>`.
 */
const [path = '', salt = ''] = process.argv.slice(2);
const store = openStateStore(path, await openCrypter('crash', salt));
const { resources } = store.load();
console.log('open');
const end = Date.now() + 20_000;
for (let number = resources.length; Date.now() < end; number++) {
  const state = resource(`urn:${number}`, { inputs: { number, secret: new Secret(`hidden ${number}`) } });
  const operation = { type: 'creating' as const, resource: state };
  store.begin(operation);
  console.log(`begun ${number}`);
  store.record({ put: [state], end: operation });
  console.log(`put ${number}`);
  if (number % 5 === 4) {
    store.record({ remove: [state] });
    console.log(`removed ${number}`);
  }
}
