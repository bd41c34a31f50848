export { type Client, developmentPeople } from './identity-provider/development.ts';
export { type EmbeddedIdentityProvider, startIdentity } from './identity-provider/identity.ts';
export { signIn } from './identity-provider/sign-in.ts';
export { type SecretsServer, startSecretsService } from './server.ts';
export { digestOfConfigured } from './storage/configured.ts';
export { SqliteStorage } from './storage/sqlite.ts';
export { readTlsFiles, type TlsFiles } from './tls-files.ts';
