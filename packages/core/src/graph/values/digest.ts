import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { utf8 } from './bytes.ts';

/** The SHA-256 of a text in UTF-8, in hexadecimal digits. */
export function sha256Of(text: string): string {
  return bytesToHex(sha256(utf8(text)));
}

/** The HMAC with SHA-256 of a text, in hexadecimal digits. */
export function hmacOf(text: string, key: string): string {
  return bytesToHex(hmac(sha256, utf8(key), utf8(text)));
}
