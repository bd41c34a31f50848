import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/** The problem of a private key where a public key belongs. */
export const signingKeyText =
  'this is a private key. Who has read this file can sign tokens with it: rotate it, and give its public key';

/** What a PEM text begins with, and what stands behind its first block. */
interface Decoded {
  label: string;
  der: Buffer;
  rest: string;
}

const block = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)\n?-----END \1-----[ \t]*(?:\r?\n|$)/;

/** Curves that Go's crypto/x509 knows. */
const curves: readonly unknown[] = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'];

const whatToGive = 'give the PEM text of a public key: -----BEGIN PUBLIC KEY-----';

/**
 * Why servers refuse a text as the public key that verifies tokens (openbao/openbao `sdk/helper/certutil`,
 * `ParsePublicKeyPEM`); undefined where they take it. Never repeats the text.
 */
export function publicKeyProblem(text: string): string | undefined {
  if (/-----BEGIN [^\n]*PRIVATE KEY-----/.test(text)) {
    return `${signingKeyText} (openssl pkey -in key.pem -pubout)`;
  }
  const pem = decoded(text);
  if (pem === undefined) {
    return /\\n/.test(text)
      ? `its line ends are written as \\n; ${whatToGive}, with its lines`
      : `there is no key in it; ${whatToGive}`;
  }
  if (pem.rest.trim() !== '') return 'there is more behind the key: each key is an entry of its own';
  return keyIn(pem.der) === undefined
    ? `no RSA, EC or Ed25519 key that servers read; ${whatToGive}`
    : undefined;
}

/** Why servers find no certificate in a text that is to hold one or more; undefined where they do. */
export function certificatesProblem(text: string): string | undefined {
  if (/-----BEGIN [^\n]*PRIVATE KEY-----/.test(text)) {
    return 'there is a private key in it. Who has read this file can use it: rotate it, and give certificates alone';
  }
  for (let rest = text; ; ) {
    const pem = decoded(rest);
    if (pem === undefined) return 'there is no certificate in it: -----BEGIN CERTIFICATE-----';
    if (pem.label === 'CERTIFICATE' && certificateIn(pem.der)) return undefined;
    rest = pem.rest;
  }
}

function decoded(text: string): Decoded | undefined {
  const match = block.exec(text);
  if (match === null) return undefined;
  const [whole, label = '', body = ''] = match;
  // Headers, as of encrypted keys, end with an empty line.
  const [, base64 = body] = /^(?:[^\n:]+:[^\n]*\n)+\r?\n([\s\S]*)$/.exec(body) ?? [];
  const rest = text.slice(match.index + whole.length);
  return { label, der: Buffer.from(base64.replace(/\s/g, ''), 'base64'), rest };
}

function keyIn(der: Buffer): KeyObject | undefined {
  const key =
    quietly(() => createPublicKey({ key: der, format: 'der', type: 'spki' })) ??
    certificateIn(der)?.publicKey;
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key ?? {};
  const isRead =
    type === 'rsa' || type === 'ed25519' || (type === 'ec' && curves.includes(details?.namedCurve));
  return isRead ? key : undefined;
}

function certificateIn(der: Buffer): X509Certificate | undefined {
  return quietly(() => new X509Certificate(der));
}

function quietly<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
