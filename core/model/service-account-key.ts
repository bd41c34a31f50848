import { createPrivateKey } from 'node:crypto';

/**
 * What is wrong with the key of a service account (interface.md B3), as the suite's console gives it; undefined where it is
 * right. Nothing of the key is in the words.
 */
export function serviceAccountKeyProblem(text: unknown): string | undefined {
  const key = parsed(text);
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

function parsed(text: unknown): Record<string, unknown> | undefined {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap ? (value as Record<string, unknown>) : undefined;
  } catch {
    // The error would repeat a part of the key.
    return undefined;
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
