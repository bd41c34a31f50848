import { createPrivateKey } from 'node:crypto';
import { objectIn } from '../graph/values/json.ts';

/**
 * The problem of a service account's key (docs/inside/specification.md B3) in the form of the suite's console; undefined
 * for a valid key. The text never repeats the key.
 */
export function serviceAccountKeyProblem(text: unknown): string | undefined {
  const key = typeof text === 'string' ? objectIn(text) : undefined;
  if (key === undefined) {
    return 'the key is no JSON object; give the content of the key file, or name a file on the service’s host with directory.serviceAccountFile';
  }
  if (key['type'] !== 'service_account')
    return 'the key is none of a service account: its `type` is another than service_account';
  const missing = ['client_email', 'private_key'].filter(
    (name) => typeof key[name] !== 'string' || !key[name],
  );
  if (missing.length > 0) return `the key has no ${missing.join(' and no ')}`;
  return isRsaKey(key['private_key'] as string)
    ? undefined
    : 'the private_key in it is no PEM private key of type RSA; give the key file as it was downloaded';
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
