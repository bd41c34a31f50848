import { utf8 } from './bytes.ts';
import { hashesLibrary, macsLibrary } from './key-libraries.ts';

/** The SHA-256 of a text in UTF-8, in hexadecimal digits. */
export function sha256Of(text: string): string {
  return toHex(hashesLibrary().sha256(utf8(text)));
}

/** The HMAC with SHA-256 of a text, in hexadecimal digits. */
export function hmacOf(text: string, key: string): string {
  return toHex(macsLibrary().hmac(hashesLibrary().sha256, utf8(key), utf8(text)));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
