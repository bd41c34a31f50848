import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Json, key, remembering, type Storage } from '../storage/storage.ts';

/** Prefix of real servers' batch tokens. */
const prefix = 'hvb.';
const keyPlace = key('', 'core', 'batch-token-key');
const ivBytes = 12;
const tagBytes = 16;

/** A batch token: encrypted contents, nothing stored. */
export function sealBatchToken(storage: Storage, contents: Json): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(storage) ?? newSealingKey(storage), iv);
  const body = Buffer.concat([cipher.update(JSON.stringify(contents), 'utf8'), cipher.final()]);
  return prefix + Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url');
}

/** The contents of a batch token; undefined for one of another service. */
export function openBatchToken(storage: Storage, id: string): { [name: string]: Json } | undefined {
  if (!id.startsWith(prefix)) return undefined;
  const key = sealingKey(storage);
  if (key === undefined) return undefined;
  const bytes = Buffer.from(id.slice(prefix.length), 'base64url');
  if (bytes.length < ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const body = decipher.update(bytes.subarray(ivBytes, -tagBytes));
    return JSON.parse(Buffer.concat([body, decipher.final()]).toString('utf8'));
  } catch {
    return undefined;
  }
}

const keyOf = remembering(1, (encoded) => createSecretKey(encoded, 'base64'));

function sealingKey(storage: Storage): KeyObject | undefined {
  const stored = storage.get(keyPlace);
  return typeof stored === 'string' ? keyOf(stored) : undefined;
}

function newSealingKey(storage: Storage): KeyObject {
  const key = randomBytes(32);
  storage.put(keyPlace, key.toString('base64'));
  return createSecretKey(key);
}
