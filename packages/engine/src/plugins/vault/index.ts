export { rehearse } from './rehearsal.ts';
export { VaultPlugin } from './vault-plugin.ts';
