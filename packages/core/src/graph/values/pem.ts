import { fromBase64 } from './bytes.ts';
import { type Certificate, type PublicKey, readCertificate, readPublicKey } from './certificate.ts';
import { getOrMake } from './get-or-make.ts';

/** The problem of a private key where a public key belongs. */
export const signingKeyText =
  'this is a private key. Who has read this file can sign tokens with it: rotate it, and give its public key';

/** What a PEM text begins with, and what stands behind its first block. */
interface Decoded {
  label: string;
  der: Uint8Array;
  rest: string;
}

const block = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)\n?-----END \1-----[ \t]*(?:\r?\n|$)/;

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
    if (pem.label === 'CERTIFICATE' && readCertificate(pem.der)) return undefined;
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
  return { label, der: fromBase64(base64) ?? new Uint8Array(), rest };
}

function keyIn(der: Uint8Array): PublicKey | undefined {
  return readPublicKey(der) ?? readCertificate(der)?.key;
}

const parsed = new Map<string, Certificate[] | undefined>();

/** The certificates of a text, in their order; undefined where one cannot be read, or there is none. Each text is read once: that is slow. */
export function certificatesIn(text: string): Certificate[] | undefined {
  if (parsed.size > 1000) parsed.clear();
  return getOrMake(parsed, text, () => readAll(text));
}

function readAll(text: string): Certificate[] | undefined {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  const certificates = blocks.flatMap((pem) => readCertificate(decoded(pem)?.der ?? new Uint8Array()) ?? []);
  return blocks.length > 0 && certificates.length === blocks.length ? certificates : undefined;
}
