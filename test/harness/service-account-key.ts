import { generateKeyPairSync } from 'node:crypto';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });

/** The key of a service account as a workspace suite's console gives it; small, and of no account. */
export const serviceAccountKey = {
  type: 'service_account',
  client_email: 'lookup@project.example.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
